package httpapi

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// The splitter cuts valid JSON objects into the members that encoding/json sees.
func FuzzSplitObject(f *testing.F) {
	for _, seed := range []string{`{}`, ` { "a" : 1 , "b":[1,{"c":"]}"}] }`, `{"\u0061":"\"}"}`, `{"a":-1.5e3,"b":null,"c":true}`, `{"a":{}}`, `[]`, `{"":""}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		members, err := splitObject(data)
		if err != nil {
			return // nested too deep, twice the same name, or no object
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if len(members) != len(want) {
			t.Fatalf("%q: %d members, want %d", data, len(members), len(want))
		}
		for name, raw := range want {
			if !bytes.Equal(bytes.TrimSpace(members[name]), bytes.TrimSpace(raw)) {
				t.Fatalf("%q: %q is %q, want %q", data, name, members[name], raw)
			}
		}
	})
}

// No path that passes is changed by the layers below: it has no segment that
// means another place.
func FuzzCleanTarget(f *testing.F) {
	for _, seed := range []string{"/", "/a/b", "/a/../b", "//", "/a/.", "/\\", "/a\x00", "/\xff", "/…", "/a/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if !cleanTarget(path, false) {
			return
		}
		parts := bytes.Split([]byte(path), []byte("/"))
		for i, part := range parts {
			edge := i == 0 || i == len(parts)-1
			if string(part) == ".." || string(part) == "." || (len(part) == 0 && !edge) || bytes.ContainsAny(part, "\\\x00\r\n") {
				t.Fatalf("%q passes", path)
			}
		}
	})
}

// A NUL is seen in JSON text exactly when decoding it would give one.
func FuzzHoldsNUL(f *testing.F) {
	for _, seed := range []string{"a", "\x00", "\\u0000", "\\\x00", "a\x00\\u0000", `\\\\u0000`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := holdsNUL(data), strings.IndexByte(text, 0) >= 0; got != want {
			t.Fatalf("%s: got %v, want %v", data, got, want)
		}
	})
}
