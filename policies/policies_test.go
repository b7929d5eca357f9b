package policies

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryFileIsEmbedded compares the folder with what is built into the
// program: a name that begins with a dot or an underscore, or a new folder,
// would be left out in silence.
func TestEveryFileIsEmbedded(t *testing.T) {
	count := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) == ".go" || strings.HasPrefix(filepath.Base(name), ".") {
			return err
		}
		count++
		want, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if got, err := fs.ReadFile(Files, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not embedded as it is (error %v)", name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count == 0 {
		t.Error("there are no files")
	}
}
