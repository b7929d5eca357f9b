package naming

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzObjectKey proves that whatever name and folder a client sends, the key is
// one that storage takes, inside the folder of the storage config.
func FuzzObjectKey(f *testing.F) {
	for _, seed := range [][2]string{{"a.txt", "docs/2026"}, {"../a", "a/../b"}, {"报告.pdf", "//x//"}, {"a/b", ""}, {".", "."}, {"\x00", "\\"}, {strings.Repeat("a", 255), strings.Repeat("b/", 400)}} {
		f.Add(seed[0], seed[1], "sfx123")
	}
	f.Fuzz(func(t *testing.T, name, path, suffix string) {
		if CheckFile(name) != nil {
			return
		}
		if strings.Trim(suffix, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || len(suffix) > 10 {
			suffix = ""
		}
		key, err := Key("up/", path, Stored(name, suffix, false))
		if err != nil {
			return
		}
		if !strings.HasPrefix(key, "up/") || len(key) > MaxKey || !utf8.ValidString(key) {
			t.Fatalf("key %q", key)
		}
		for segment := range strings.SplitSeq(key, "/") {
			if segment == "" || segment == "." || segment == ".." || len(segment) > MaxSegment || strings.ContainsAny(segment, "\\\x00\x1f\x7f") {
				t.Fatalf("key %q holds segment %q", key, segment)
			}
		}
	})
}

func TestStoredNames(t *testing.T) {
	for _, c := range []struct{ name, suffix, want string }{
		{"a.txt", "", "a.txt"}, {"a.txt", "x1", "a-x1.txt"}, {"noext", "x1", "noext-x1"}, {".gitignore", "x1", ".gitignore-x1"},
		{"a.tar.gz", "x1", "a.tar-x1.gz"}, {`a"b.t*t`, "", "a_b.t_t"}, {"dir/a.txt", "", "dir_a.txt"}, {"报告.pdf", "x1", "报告-x1.pdf"},
	} {
		if got := Stored(c.name, c.suffix, false); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
}
