package backup

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pasteport/ports"
)

func TestABackupComesBackWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	sources := []Source{}
	for name, text := range map[string]string{"pasteport.db": string(bytes.Repeat([]byte("data"), 100_000)), "policies/a.rego": "package x", "empty": ""} {
		path := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{name, path})
	}
	var whole bytes.Buffer
	if err := Write(&whole, Manifest{CreatedAt: time.Unix(1, 0), Version: "1", Database: "sqlite", Counts: map[string]int64{"pastes": 3}}, nil, sources); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	m, err := Read(bytes.NewReader(whole.Bytes()), to)
	if err != nil || m.Counts["pastes"] != 3 || len(m.Files) != 3 {
		t.Fatal(m, err)
	}
	for _, s := range sources {
		want, _ := os.ReadFile(s.Path)
		got, err := os.ReadFile(filepath.Join(to, s.Name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", s.Name, len(got), err)
		}
	}
	for name, spoil := range map[string]func([]byte) []byte{
		"cut short":        func(b []byte) []byte { return b[:len(b)-20] },
		"cut to a half":    func(b []byte) []byte { return b[:len(b)/2] },
		"a flipped bit":    func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"something else":   func([]byte) []byte { return []byte("hello") },
		"nothing":          func([]byte) []byte { return nil },
		"a spoilt trailer": func(b []byte) []byte { b[len(b)-6] ^= 1; return b },
	} {
		if _, err := Read(bytes.NewReader(spoil(bytes.Clone(whole.Bytes()))), t.TempDir()); ports.CodeOf(err) != ports.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Write(&bytes.Buffer{}, Manifest{}, nil, []Source{{"../x", sources[0].Path}}); err == nil {
		t.Error("a name leads out of the backup")
	}
}
