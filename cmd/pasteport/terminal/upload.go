package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"pasteport/adapters/apiclient"
)

// inParts is from which size on a file travels in parts, in bytes.
const inParts = 16 << 20

// uploads is where unfinished uploads are remembered, by what they are.
const uploads = "uploads.json"

// inPieces is how a large file goes to a server: announced, then sent.
type inPieces struct {
	client *apiclient.Client
	mark   string // what makes two uploads the same
	begin  func() (apiclient.Begun, error)
	send   func(apiclient.Begun) error
	again  func() // before a file is sent from its beginning after all
}

// run goes on with the upload that was begun earlier, or begins one.
func (u inPieces) run(ctx context.Context) error {
	unfinished := map[string]apiclient.Begun{}
	if err := load(uploads, &unfinished); err != nil {
		return err
	}
	if begun, known := unfinished[u.mark]; known {
		err := u.send(begun)
		if !apiclient.Gone(err) {
			return u.finished(err)
		}
		u.again()
	}
	begun, err := u.begin()
	if err != nil {
		return err
	}
	unfinished[u.mark] = begun
	if err := save(uploads, unfinished); err != nil {
		return errors.Join(err, u.client.Cancel(ctx, begun))
	}
	return u.finished(u.send(begun))
}

// finished forgets an upload, unless it may go on.
func (u inPieces) finished(err error) error {
	if err != nil && !apiclient.Gone(err) {
		return err
	}
	unfinished := map[string]apiclient.Begun{}
	if loaded := load(uploads, &unfinished); loaded != nil {
		return errors.Join(err, loaded)
	}
	delete(unfinished, u.mark)
	return errors.Join(err, save(uploads, unfinished))
}

// uploadMark is what makes two uploads the same: server, file as it is now, and
// where it goes.
func uploadMark(server string, file *os.File, info os.FileInfo, to string) (string, error) {
	path, err := filepath.Abs(file.Name())
	return fmt.Sprintf("%s %s %d %d %s", server, path, info.Size(), info.ModTime().UnixNano(), to), err
}

// pushFile shares a file, a large one in parts that survive a cut.
func pushFile(ctx context.Context, c *apiclient.Client, file *os.File, info os.FileInfo, options apiclient.Options) (made apiclient.Made, err error) {
	bar := newBar(info.Name(), info.Size())
	defer bar.end()
	if info.Size() < inParts {
		return c.ShareStream(ctx, info.Name(), bar.reading(file), info.Size(), options)
	}
	kept := options
	kept.Password = strconv.FormatBool(options.Password != "") // the mark is written down
	mark, err := uploadMark(c.Server(), file, info, fmt.Sprintf("%+v", kept))
	if err != nil {
		return made, err
	}
	err = inPieces{client: c, mark: mark, again: bar.reset,
		begin: func() (apiclient.Begun, error) { return c.Begin(ctx, info.Name(), info.Size(), options) },
		send: func(b apiclient.Begun) (err error) {
			made, err = c.Send(ctx, b, file, bar.add)
			return err
		}}.run(ctx)
	return made, err
}

// storeFile brings a file into a mount, a large one in parts that survive a cut.
func storeFile(ctx context.Context, c *apiclient.Client, file *os.File, info os.FileInfo, target string, force bool) error {
	bar := newBar(info.Name(), info.Size())
	defer bar.end()
	if info.Size() < inParts {
		return c.WriteFile(ctx, target, bar.reading(file), info.Size(), force)
	}
	if !force {
		if err := c.Vacant(ctx, target); err != nil {
			return err
		}
	}
	mark, err := uploadMark(c.Server(), file, info, target)
	if err != nil {
		return err
	}
	return inPieces{client: c, mark: mark, again: bar.reset,
		begin: func() (apiclient.Begun, error) { return c.BeginFile(ctx, target, info.Size()) },
		send:  func(b apiclient.Begun) error { return c.SendFile(ctx, b, file, force, bar.add) }}.run(ctx)
}
