package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pasteport/domain/audit"
)

// NodeFile is the file of the data folder that names this node.
const NodeFile = "node.id"

// NodeName names this node for good, by a file in its data folder. make makes a
// name for a new one.
func NodeName(dir string, make func() string) (string, error) {
	path := filepath.Join(dir, NodeFile)
	text, err := os.ReadFile(path)
	if name := strings.TrimSpace(string(text)); err == nil && name != "" {
		return name, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the name of this node: %w", err)
	}
	name := make()
	if err := os.WriteFile(path, []byte(name+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("name this node: %w", err)
	}
	return name, nil
}

// HeadsFile is the file of the data folder with the ends of the audit log, which
// who writes to the database alone cannot move. While it is there, ends without
// a signature are not trusted.
const HeadsFile = "audit.heads"

// KeepHeads stores the ends of the audit log beside the database.
func KeepHeads(dir string, heads []audit.Head) error {
	path := filepath.Join(dir, HeadsFile)
	part := path + ".part"
	if err := os.WriteFile(part, []byte(TextOfHeads(heads, "\n")), 0o600); err != nil {
		return fmt.Errorf("keep the ends of the audit log: %w", err)
	}
	return os.Rename(part, path)
}

// KeptHeads are the ends that were stored last; none before the first time.
func KeptHeads(dir string) ([]audit.Head, error) {
	text, err := os.ReadFile(filepath.Join(dir, HeadsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return ParseHeads(strings.Fields(string(text)))
}

// TextOfHeads writes ends as audit.Head does, with something between them.
func TextOfHeads(heads []audit.Head, between string) string {
	var text strings.Builder
	for _, h := range heads {
		text.WriteString(h.String() + between)
	}
	return strings.TrimSpace(text.String())
}

// ParseHeads reads ends as audit.Head writes them.
func ParseHeads(texts []string) (heads []audit.Head, err error) {
	for _, text := range texts {
		head, err := audit.ParseHead(text)
		if err != nil {
			return nil, fmt.Errorf("%q is no end of the audit log (chain:seq:hash)", text)
		}
		heads = append(heads, head)
	}
	return heads, nil
}
