package treedb_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/mounts/index"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// Two characters are fewer than the index of names goes by; they are found wherever
// in a name they are.
func TestATextOfTwoCharactersIsFoundWhereverItStands(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { findPairs(t, bunstoretest.SQLite(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { findPairs(t, bunstoretest.Postgres(t)) })
}

func findPairs(t *testing.T, s *bunstore.Store) {
	letters := []rune("abz0-.照片\U0010ffff")
	random := rand.New(rand.NewPCG(1, 2))
	var objects []objstore.Object
	for i := range 300 {
		name := make([]rune, 1+random.IntN(6))
		for k := range name {
			name[k] = letters[random.IntN(len(letters))]
		}
		if strings.Trim(string(name), ".") == "" {
			continue // no name at all
		}
		objects = append(objects, objstore.Object{Key: fmt.Sprintf("d%d/%s", i, string(name)), Size: 1, ModTime: portstest.Start})
	}
	if err := s.Index().Put(t.Context(), "s", portstest.Start, objects); err != nil {
		t.Fatal(err)
	}
	for _, a := range append(letters, 'q') {
		for _, b := range letters {
			text := string([]rune{a, b})
			hits, err := s.Index().Search(t.Context(), index.Query{Text: text, Areas: []index.Area{{Storage: "s"}}, Most: 1000}, func(refs []index.Ref) []index.Ref { return refs })
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, h := range hits {
				if !strings.HasSuffix(h.Object.Key, "/") {
					got = append(got, h.Object.Key)
				}
			}
			for _, o := range objects {
				if _, name, _ := strings.Cut(o.Key, "/"); strings.Contains(name, text) {
					want = append(want, o.Key)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
}

// An area of very many folders is not read through: the index is asked, and what lies
// elsewhere or in an exception is left out.
func TestSearchesStayInALargeArea(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { searchLargeArea(t, bunstoretest.SQLite(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { searchLargeArea(t, bunstoretest.Postgres(t)) })
}

func searchLargeArea(t *testing.T, s *bunstore.Store) {
	const folders = 5100
	var objects []objstore.Object
	for i := range folders {
		objects = append(objects, objstore.Object{Key: fmt.Sprintf("in/%d/file-%d", i, i), Size: 1, ModTime: portstest.Start})
	}
	for i := range 100 {
		objects = append(objects, objstore.Object{Key: fmt.Sprintf("out/file-%d", i), Size: 1, ModTime: portstest.Start})
	}
	if err := s.Index().Put(t.Context(), "s", portstest.Start, objects); err != nil {
		t.Fatal(err)
	}
	area := index.Area{Storage: "s", Prefix: "in/", Except: []string{"in/50/"}}
	for _, text := range []string{"le-50", "50", "file-50", "9", "nothing"} {
		hits, err := s.Index().Search(t.Context(), index.Query{Text: text, Areas: []index.Area{area}, Most: 2 * folders}, func(refs []index.Ref) []index.Ref { return refs })
		if err != nil {
			t.Fatal(err)
		}
		got, want := 0, 0
		for _, h := range hits {
			if !strings.HasPrefix(h.Object.Key, "in/") || strings.HasPrefix(h.Object.Key, "in/50/") {
				t.Errorf("%q finds %q, which is outside", text, h.Object.Key)
			}
			got++
		}
		for i := range folders {
			if i == 50 {
				continue
			}
			for _, name := range []string{fmt.Sprint(i), fmt.Sprintf("file-%d", i)} { // the folder and what is in it
				if strings.Contains(name, text) {
					want++
				}
			}
		}
		if got != want {
			t.Errorf("%q finds %d entries, want %d", text, got, want)
		}
	}
}
