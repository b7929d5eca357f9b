package objstoretest

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/conformance"
)

// listingModel writes and deletes random trees and lists them by random
// queries; a map is the model. Names of folders and files differ, because some
// storages cannot hold both under one name, and surround "/" in byte order.
func listingModel(t *testing.T, s *conformance.Suite) {
	b := s.Open(t)
	folder := rapid.SampledFrom([]string{"a", "a-", "a.b", "a0", "b", "中"})
	file := rapid.SampledFrom([]string{"f", "f!", "f.txt", "f0", "文"})
	key := rapid.Custom(func(t *rapid.T) string {
		folders := rapid.SliceOfN(folder, 0, 3).Draw(t, "folders")
		return strings.Join(append(folders, file.Draw(t, "file")), "/")
	})
	model := map[string]bool{}
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		for _, k := range rapid.SliceOfN(key, 0, 6).Draw(t, "written") {
			if model[k] {
				continue
			}
			if _, err := b.Write(ctx, k, strings.NewReader(k), objstore.WriteOptions{Size: int64(len(k))}); err != nil {
				t.Fatalf("Write(%q): %v", k, err)
			}
			model[k] = true
		}
		present := sortedKeys(model)
		if len(present) > 0 {
			gone := rapid.SliceOfNDistinct(rapid.SampledFrom(present), 0, min(4, len(present)), rapid.ID).Draw(t, "deleted")
			if failed, err := b.Delete(ctx, gone...); err != nil || len(failed) > 0 {
				t.Fatalf("Delete(%q) = %v, %v", gone, failed, err)
			}
			for _, k := range gone {
				delete(model, k)
			}
		}
		for range 3 {
			k := key.Draw(t, "prefix of")
			q := objstore.ListQuery{
				Prefix:    k[:rapid.IntRange(0, len(k)).Draw(t, "length")],
				Delimiter: rapid.SampledFrom([]string{"", "/"}).Draw(t, "delimiter"),
				Limit:     rapid.IntRange(1, 5).Draw(t, "limit"),
			}
			if !utf8Prefix(q.Prefix) {
				continue
			}
			want := expected(model, q)
			got := s.List(t, b, q)
			if s.Want.Markers {
				got = conformance.WithoutMarkers(got, want)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("List(%+v) of %q (-want +got):\n%s", q, sortedKeys(model), diff)
			}
		}
	})
}

func expected(model map[string]bool, q objstore.ListQuery) []string {
	var names []string
	for k := range model {
		if !strings.HasPrefix(k, q.Prefix) {
			continue
		}
		if i := strings.Index(k[len(q.Prefix):], q.Delimiter); q.Delimiter != "" && i >= 0 {
			k = k[:len(q.Prefix)+i+1]
		}
		names = append(names, k)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// multipartModel opens uploads and sends, replaces, joins and aborts parts at
// random; a map is the model. Parts are a few bytes long, so that most joins are
// refused where parts must be large; each 25th upload has parts of that size.
func multipartModel(t *testing.T, s *conformance.Suite) {
	b := s.Open(t)
	if !s.Multiparts(t, b) {
		return
	}
	m := b.Multipart()
	ctx := context.Background()
	large := bytes.Repeat([]byte("large"), int(s.Want.Limits.MinPart)/5+1)[:s.Want.Limits.MinPart]
	objects := map[string][]byte{}
	uploads := 0
	few := rapid.SliceOfN(rapid.Byte(), 1, 20)
	rapid.Check(t, func(t *rapid.T) {
		uploads++
		key := rapid.SampledFrom([]string{"a", "d/b +", "中/文%"}).Draw(t, "key")
		id, err := m.Create(ctx, key, objstore.WriteOptions{Size: -1})
		if err != nil {
			t.Fatal(err)
		}
		contents, tags := map[int][]byte{}, map[int]string{}
		send := func(number int, data []byte) {
			p, err := m.WritePart(ctx, key, id, number, bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			contents[number], tags[number] = data, p.ETag
		}
		numbers := rapid.SliceOfNDistinct(rapid.IntRange(1, objstore.MaxPart), 1, 3, rapid.ID).Draw(t, "numbers")
		last := slices.Max(numbers)
		joins := len(large) == 0 || len(numbers) == 1 || uploads%25 == 0
		for _, n := range numbers {
			data := few.Draw(t, "data")
			if n != last && joins && len(large) > 0 {
				data = large
			}
			send(n, data)
		}
		if rapid.Bool().Draw(t, "replace the last") {
			send(last, few.Draw(t, "again"))
		}
		parts, err := m.ListParts(ctx, key, id)
		if err != nil || len(parts) != len(numbers) {
			t.Fatalf("ListParts = %v, %v", parts, err)
		}
		var whole []byte
		for i, p := range parts {
			if i > 0 && parts[i-1].Number >= p.Number || p.Size != int64(len(contents[p.Number])) || p.ETag != tags[p.Number] {
				t.Fatalf("ListParts = %v", parts)
			}
			whole = append(whole, contents[p.Number]...)
		}
		if rapid.Bool().Draw(t, "abort") {
			joins = false
		} else if _, err := m.Complete(ctx, key, id, parts); joins && err != nil || !joins && !ports.Is(err, ports.Invalid) {
			t.Fatalf("Complete of %v gave %v", parts, err)
		}
		if joins {
			objects[key] = whole
		} else if err := m.Abort(ctx, key, id); err != nil {
			t.Fatal(err)
		}
		for key, want := range objects {
			body, err := b.Read(ctx, key, objstore.Range{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(body)
			body.Close()
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%q holds %d bytes, want %d, %v", key, len(got), len(want), err)
			}
		}
		if left, err := m.ListUploads(ctx, ""); err != nil || len(left) != 0 {
			t.Fatalf("ListUploads = %v, %v", left, err)
		}
	})
}

func utf8Prefix(s string) bool { return strings.ToValidUTF8(s, "") == s }

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
