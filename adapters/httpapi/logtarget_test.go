package httpapi

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"strconv"
	"strings"
	"testing"

	"pasteport/adapters/httpapi/edgetest"
)

func TestTheLogNamesTheShareAsTheOperatorWants(t *testing.T) {
	hash := func(text string) string {
		return "hash of " + string([]rune(text)[:1]) + string(rune('0'+len(text)%10))
	}
	lines := func(targets LogTargets) (found []map[string]any, text string) {
		f := newFrame(t, func(o *Options) { o.Targets, o.TargetHash, o.PublicURL = targets, hash, "https://a.example/box" })
		for _, path := range []string{"/api/raw/secret-slug", "/api/raw/secret-slug", "/paste/secret-slug", "/file/secret-slug/more", "/api/unknown/secret-slug", "/about"} {
			f.Call("GET", "/box"+path, "")
		}
		f.Call("POST", "/box/api/note/other", `{"name":"x"}`, "Authorization", edgetest.AsAdmin)
		for line := range bytes.Lines(f.log.Bytes()) {
			var attrs map[string]any
			if err := json.Unmarshal(line, &attrs); err != nil {
				t.Fatal(err)
			}
			if attrs["msg"] == "request" {
				found = append(found, attrs)
			}
		}
		return found, f.log.String()
	}
	for targets, want := range map[LogTargets][]any{
		NoTargets:    {nil, nil, nil, nil, nil, nil, nil},
		HashTargets:  {hash("secret-slug"), hash("secret-slug"), hash("secret-slug"), hash("secret-slug"), nil, nil, hash("other")},
		PlainTargets: {"secret-slug", "secret-slug", "secret-slug", "secret-slug", nil, nil, "other"},
	} {
		got, text := lines(targets)
		if len(got) != len(want) {
			t.Fatalf("%d lines: %s", len(got), text)
		}
		for i, line := range got {
			if line["target"] != want[i] {
				t.Errorf("%d, line %d: target %v, want %v", targets, i, line["target"], want[i])
			}
		}
		if shown := bytes.Contains([]byte(text), []byte("secret-slug")); shown != (targets == PlainTargets) {
			t.Errorf("%d: the slug is in the log: %t", targets, shown)
		}
	}
}

func TestHashesOfTargetsAreKept(t *testing.T) {
	names, made := targetNames{seed: maphash.MakeSeed()}, 0
	hash := func(text string) string { made++; return "hash of " + text }
	long := strings.Repeat("x", keptTarget+1)
	for _, about := range []string{"one", "one", long, long} {
		if got := names.of(about, hash); got != "hash of "+about {
			t.Errorf("%s: %s", about, got)
		}
	}
	if made != 3 { // a long one each time
		t.Errorf("%d hashes were made", made)
	}
	for i := range 3 * len(names.slots) { // many share a place
		if about := strconv.Itoa(i); names.of(about, hash) != "hash of "+about {
			t.Fatal(about)
		}
	}
}
