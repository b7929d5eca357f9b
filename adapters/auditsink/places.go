package auditsink

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"pasteport/domain/audit"
)

// PlacesFile is the file in the data folder that keeps how far this node's audit log
// was sent.
const PlacesFile = "audit.sent"

// Places keeps places in a file that is replaced as a whole.
type Places struct {
	path string
	mu   sync.Mutex
}

var _ audit.Places = (*Places)(nil)

// NewPlaces returns the places in a data folder.
func NewPlaces(dataDir string) *Places { return &Places{path: filepath.Join(dataDir, PlacesFile)} }

func (p *Places) read() (map[string]int64, error) {
	places := map[string]int64{}
	text, err := os.ReadFile(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return places, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &places)
	}
	return places, err
}

// Place implements audit.Places.
func (p *Places) Place(sink string) (int64, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	places, err := p.read()
	seq, known := places[sink]
	return seq, known, err
}

// SetPlace implements audit.Places.
func (p *Places) SetPlace(sink string, seq int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	places, err := p.read()
	if err != nil {
		return err
	}
	places[sink] = seq
	text, err := json.Marshal(places)
	if err != nil {
		return err
	}
	next := p.path + ".new"
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(next, p.path)
}
