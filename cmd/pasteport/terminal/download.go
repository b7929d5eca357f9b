package terminal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pasteport/adapters/apiclient"
)

// downloads is where downloads that were cut are remembered, by downloadMark.
const downloads = "downloads.json"

// cutDownload is a download that was cut: what has come is in Target with
// partial behind its name.
type cutDownload struct {
	Target string          `json:"target"` // absolute
	ETag   string          `json:"etag"`
	Visit  apiclient.Visit `json:"visit"` // of a share
}

// partial is the end of the name of a file that is not whole.
const partial = ".part"

// cutDownloads are those whose files are still there.
func cutDownloads() (map[string]cutDownload, error) {
	known := map[string]cutDownload{}
	err := load(downloads, &known)
	for mark, cut := range known {
		if _, err := os.Lstat(cut.Target + partial); err != nil {
			delete(known, mark)
		}
	}
	return known, err
}

// note changes what is remembered of the downloads that were cut.
func note(change func(known map[string]cutDownload)) error {
	known, err := cutDownloads()
	if err != nil {
		return err
	}
	change(known)
	return save(downloads, known)
}

// drop gives a download that was cut up, with what has come of it.
func drop(mark string) error {
	return note(func(known map[string]cutDownload) {
		_ = os.Remove(known[mark].Target + partial) // what stays is told of by the next try
		delete(known, mark)
	})
}

// downloadMark is what makes two downloads the same: where it comes from, which
// may be a secret and is therefore not kept itself, and where it goes.
func downloadMark(words ...string) string {
	here, _ := os.Getwd() // without one the words alone tell them apart
	sum := sha256.Sum256([]byte(strings.Join(append(words, here), "\n")))
	return hex.EncodeToString(sum[:])
}

// fetched is a file that is brought from a server. It appears when it is whole.
type fetched struct {
	target string
	mark   string
	visit  apiclient.Visit
}

// bring brings the file, and goes on where an earlier try was cut.
func (f fetched) bring(ctx context.Context, source apiclient.Source) error {
	target, err := filepath.Abs(f.target)
	if err != nil {
		return err
	}
	file, etag, err := f.open(target)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	bar := newBar(f.target, -1)
	run := apiclient.Fetch{Source: source, To: file, ETag: etag, Have: info.Size(), Moved: bar.at, Began: func(etag string) error {
		return note(func(known map[string]cutDownload) { known[f.mark] = cutDownload{target, etag, f.visit} })
	}}
	err = run.Run(ctx)
	bar.end()
	if err == nil {
		err = f.prove(file, run.Have)
	}
	switch {
	case err != nil && (run.Have == 0 || run.ETag == "" || errors.Is(err, apiclient.ErrSpoilt)):
		return errors.Join(err, drop(f.mark))
	case err != nil:
		return fmt.Errorf("%w; %d bytes are in %s%s, and the same command goes on from there", err, run.Have, f.target, partial)
	}
	if err := errors.Join(file.Close(), os.Rename(file.Name(), target), f.done()); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "Saved", f.target)
	return nil
}

func (f fetched) prove(file *os.File, size int64) error {
	return f.visit.Checksum.Prove(io.NewSectionReader(file, 0, size))
}

// open opens the file that is not whole yet, with the ETag of what it holds. One
// that this program does not know belongs to somebody else.
func (f fetched) open(target string) (file *os.File, etag string, err error) {
	known, err := cutDownloads()
	if err != nil {
		return nil, "", err
	}
	flags := os.O_RDWR | os.O_CREATE
	if cut, begun := known[f.mark]; begun && cut.Target == target {
		etag = cut.ETag
	} else {
		flags |= os.O_EXCL
	}
	if info, err := os.Lstat(target + partial); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		flags &^= os.O_EXCL // nothing is lost
	}
	file, err = os.OpenFile(target+partial, flags, 0o600)
	if errors.Is(err, os.ErrExist) {
		err = fmt.Errorf("%s%s is there already, and not of this download: move it away", f.target, partial)
	}
	return file, etag, err
}

func (f fetched) done() error {
	return note(func(known map[string]cutDownload) { delete(known, f.mark) })
}

// printOut brings a content to the standard output.
func printOut(ctx context.Context, source apiclient.Source) error {
	run := apiclient.Fetch{Source: source, To: apiclient.Pipe(os.Stdout), Began: func(string) error { return nil }, Moved: func(int64, int64) {}}
	return run.Run(ctx)
}
