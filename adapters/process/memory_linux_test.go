package process

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheMemoryLimitOfTheControlGroupIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		lines string
		files map[string]string
		want  int64
	}{
		"version 2":                {"0::/a/b\n", map[string]string{"a/b/memory.max": "134217728\n"}, 128 << 20},
		"a smaller one above":      {"0::/a/b\n", map[string]string{"a/memory.max": "1000", "a/b/memory.max": "2000"}, 1000},
		"no limit":                 {"0::/a/b\n", map[string]string{"a/b/memory.max": "max\n"}, 0},
		"version 1":                {"5:cpu,cpuacct:/x\n4:memory:/x\n", map[string]string{"memory/x/memory.limit_in_bytes": "5000\n"}, 5000},
		"version 1, no limit":      {"4:memory:/x\n", map[string]string{"memory/x/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"a container's own root":   {"0::/outside/x\n", map[string]string{"memory.max": "4096"}, 4096},
		"a name that leads upward": {"0::/../../x\n", map[string]string{"memory.max": "77"}, 77},
		"nothing to read":          {"", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for file, text := range c.files {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := groupLimit(c.lines, root); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
