package apiclient

import (
	"context"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
)

// Begun names an upload in parts, so that it can go on in another process.
type Begun struct {
	FileID   string `json:"file_id,omitempty"` // of a share
	Path     string `json:"path,omitempty"`    // of a file in a mount
	UploadID string `json:"upload_id"`
	PartSize int64  `json:"part_size"` // bytes
	Size     int64  `json:"size"`      // bytes of the whole file
}

// part is what the server tells of a part.
type part struct {
	PartNumber int
	URL        string `json:",omitempty"`
	Size       int64  `json:",omitempty"`
	ETag       string
}

// Begin announces a file of size bytes, at least 1, that will be shared, in
// parts.
func (c *Client) Begin(ctx context.Context, name string, size int64, o Options) (Begun, error) {
	storage, err := c.storage(ctx)
	if err != nil {
		return Begun{}, err
	}
	var out Begun
	_, err = c.call(ctx, exchange{method: http.MethodPost, path: "/api/s3/multipart/init", in: map[string]any{"s3_config_id": storage, "filename": name, "size": size, "slug": o.Slug, "unguessable": o.Unguessable,
		"remark": o.Remark, "password": o.Password, "expires_in": o.Hours, "max_views": o.Views}, out: &out})
	out.Path = ""
	return out, err
}

// BeginFile announces a file of a mount of size bytes, at least 1, in parts.
func (c *Client) BeginFile(ctx context.Context, file string, size int64) (Begun, error) {
	var out struct {
		UploadID string
		PartSize int64
	}
	_, err := c.call(ctx, exchange{method: http.MethodPost, path: "/api/fs/multipart/init", in: map[string]any{"path": path.Dir(file), "fileName": path.Base(file), "fileSize": size}, out: &out})
	return Begun{Path: file, UploadID: out.UploadID, PartSize: out.PartSize, Size: size}, err
}

// storage is the id of the storage that files go to when none is named.
func (c *Client) storage(ctx context.Context) (id string, err error) {
	var all []struct {
		ID      string
		Default int `json:"is_default"`
	}
	_, err = c.call(ctx, exchange{method: http.MethodGet, path: "/api/s3-configs", out: &all, looks: true})
	for _, one := range all {
		if id == "" || one.Default == 1 {
			id = one.ID
		}
	}
	return id, err
}

// atOnce is how many parts travel at once.
const atOnce = 3

// partTries is how often a part is sent before its upload fails.
const partTries = 5

// Send sends the parts of a share that the server does not have yet and joins
// them. moved is told of bytes that are on the server, those of earlier tries
// included; it may be called by several goroutines.
//
// Returns an Error for which Gone holds when the upload has ended.
func (c *Client) Send(ctx context.Context, b Begun, file io.ReaderAt, moved func(bytes int64)) (Made, error) {
	if err := c.sendParts(ctx, b, file, moved); err != nil {
		return Made{}, err
	}
	var made Made
	err := c.join(ctx, b, nil, &made)
	return made, err
}

// join has the server join the parts, which may be asked for again when the
// answer was lost.
func (c *Client) join(ctx context.Context, b Begun, more map[string]any, out any) error {
	for try := 1; ; try++ {
		err := c.multipart(ctx, b, "complete", more, out)
		if err == nil || final(ctx, err) || try >= partTries {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// SendFile does for a file of a mount what Send does for a share. One that is
// there is replaced when overwrite is set; else the Error has the code
// already_exists.
func (c *Client) SendFile(ctx context.Context, b Begun, file io.ReaderAt, overwrite bool, moved func(bytes int64)) error {
	if err := c.sendParts(ctx, b, file, moved); err != nil {
		return err
	}
	parts, err := c.arrived(ctx, b)
	if err != nil {
		return err
	}
	if !overwrite {
		if err := c.Vacant(ctx, b.Path); err != nil {
			return err
		}
	}
	return c.join(ctx, b, map[string]any{"parts": parts, "fileSize": b.Size}, nil)
}

// Vacant returns an Error with the code already_exists when there is an entry at
// a path of the mounts.
func (c *Client) Vacant(ctx context.Context, at string) error {
	_, err := c.Stat(ctx, at)
	switch {
	case err == nil:
		return &Error{Status: http.StatusConflict, Code: "already_exists", Message: at + " is there already"}
	case StatusOf(err) == http.StatusNotFound:
		return nil
	}
	return err
}

// multipart makes one of the calls about an upload in parts.
func (c *Client) multipart(ctx context.Context, b Begun, what string, more map[string]any, out any) error {
	in, at := map[string]any{"file_id": b.FileID, "upload_id": b.UploadID}, "/api/s3/multipart/"
	if b.Path != "" {
		in, at = map[string]any{"path": path.Dir(b.Path), "fileName": path.Base(b.Path), "uploadId": b.UploadID}, "/api/fs/multipart/"
	}
	for name, value := range more {
		in[name] = value
	}
	_, err := c.call(ctx, exchange{method: http.MethodPost, path: at + what, in: in, out: out, looks: what == "list-parts"})
	return err
}

// arrived are the parts that the server has.
func (c *Client) arrived(ctx context.Context, b Begun) ([]part, error) {
	var there struct{ Parts []part }
	err := c.multipart(ctx, b, "list-parts", nil, &there)
	return there.Parts, err
}

// link is where a part goes.
func (c *Client) link(ctx context.Context, b Begun, number int) (string, error) {
	name := "part_numbers"
	if b.Path != "" {
		name = "partNumbers"
	}
	var out struct {
		Share []part `json:"presigned_urls"`
		File  []part `json:"presignedUrls"`
	}
	if err := c.multipart(ctx, b, "refresh-urls", map[string]any{name: []int{number}}, &out); err != nil {
		return "", err
	}
	links := append(out.Share, out.File...)
	if len(links) != 1 {
		return "", ErrForeign
	}
	return links[0].URL, nil
}

// sendParts sends what the server does not have yet.
func (c *Client) sendParts(ctx context.Context, b Begun, file io.ReaderAt, moved func(bytes int64)) error {
	there, err := c.arrived(ctx, b)
	if err != nil {
		return err
	}
	have := map[int]bool{}
	for _, p := range there {
		if p.Size == b.sizeOf(p.PartNumber) {
			have[p.PartNumber] = true
			moved(p.Size)
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	numbers := make(chan int)
	for range atOnce {
		group.Go(func() {
			for number := range numbers {
				if err := c.sendPart(ctx, b, number, file, moved); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
feed:
	for number := 1; number <= b.parts(); number++ {
		if have[number] {
			continue
		}
		select {
		case numbers <- number:
		case <-ctx.Done():
			break feed
		}
	}
	close(numbers)
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// sendPart sends one part, several times if it must.
func (c *Client) sendPart(ctx context.Context, b Begun, number int, file io.ReaderAt, moved func(int64)) error {
	for try := 1; ; try++ {
		size := b.sizeOf(number)
		address, err := c.link(ctx, b, number)
		if err == nil {
			var answer *http.Response
			answer, err = c.send(ctx, request{method: http.MethodPut, path: address, body: io.NewSectionReader(file, int64(number-1)*b.PartSize, size), size: size})
			if err == nil {
				_ = answer.Body.Close()
				moved(size)
				return nil
			}
		}
		if final(ctx, err) || try >= partTries {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

func (b Begun) parts() int { return int((b.Size + b.PartSize - 1) / b.PartSize) }

// sizeOf is the size of a part, in bytes.
func (b Begun) sizeOf(number int) int64 {
	return min(b.PartSize, b.Size-int64(number-1)*b.PartSize)
}

// Cancel gives an upload up with its parts.
func (c *Client) Cancel(ctx context.Context, b Begun) error {
	return c.multipart(ctx, b, "abort", nil, nil)
}

// Gone reports whether an upload can't go on because the server has ended it.
func Gone(err error) bool {
	code := CodeOf(err)
	return code == "upload_not_found" || code == "not_found" || strings.HasPrefix(code, "upload_")
}
