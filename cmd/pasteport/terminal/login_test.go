package terminal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
)

func TestACredentialGoesToTheKeyringAndWithoutOneToTheFile(t *testing.T) {
	const server, credential = "https://paste.example", "ApiKey not-to-be-seen"
	for name, inKeyring := range map[string]bool{"with a keyring": true, "without one": false} {
		t.Run(name, func(t *testing.T) {
			keyring.MockInit()
			if !inKeyring {
				keyring.MockInitWithError(errors.New("no keyring"))
			}
			home := t.TempDir()
			t.Setenv("XDG_CONFIG_HOME", home)
			if err := remember(server, credential); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(home, "pasteport", accounts)
			raw, err := os.ReadFile(file)
			if err != nil || strings.Contains(string(raw), credential) == inKeyring {
				t.Errorf("the file has %s, %v", raw, err)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file is %v, %v", info, err)
			}
			if address, got, err := remembered(""); address != server || got != credential || err != nil {
				t.Errorf("remembered %q, %q, %v", address, got, err)
			}
		})
	}
}
