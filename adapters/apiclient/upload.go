package apiclient

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Begun names an upload in parts, so that it can go on in another process.
type Begun struct {
	FileID   string `json:"file_id"`
	UploadID string `json:"upload_id"`
	PartSize int64  `json:"part_size"` // bytes
	Size     int64  `json:"size"`      // bytes of the whole file
	URL      string `json:"url"`
}

// part is what the server tells of a part.
type part struct {
	PartNumber int
	URL        string
	Size       int64
}

// Begin announces a file of size bytes, at least 1, in parts.
func (c *Client) Begin(ctx context.Context, name string, size int64, o Options) (Begun, error) {
	storage, err := c.storage(ctx)
	if err != nil {
		return Begun{}, err
	}
	var out Begun
	_, err = c.call(ctx, exchange{method: http.MethodPost, path: "/api/s3/multipart/init", in: map[string]any{"s3_config_id": storage, "filename": name, "size": size, "slug": o.Slug, "unguessable": o.Unguessable,
		"remark": o.Remark, "password": o.Password, "expires_in": o.Hours, "max_views": o.Views}, out: &out})
	return out, err
}

// storage is the id of the storage that files go to when none is named.
func (c *Client) storage(ctx context.Context) (id string, err error) {
	var all []struct {
		ID      string
		Default int `json:"is_default"`
	}
	_, err = c.call(ctx, exchange{method: http.MethodGet, path: "/api/s3-configs", out: &all})
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
const partTries = 4

// Send sends the parts that the server does not have yet and joins them. moved
// is told of bytes that are on the server, those of earlier tries included; it
// may be called by several goroutines.
//
// Returns an Error with the code upload_not_found when the upload has ended.
func (c *Client) Send(ctx context.Context, b Begun, file io.ReaderAt, moved func(bytes int64)) (Made, error) {
	var there struct{ Parts []part }
	names := map[string]string{"file_id": b.FileID, "upload_id": b.UploadID}
	if _, err := c.call(ctx, exchange{method: http.MethodPost, path: "/api/s3/multipart/list-parts", in: names, out: &there}); err != nil {
		return Made{}, err
	}
	have := map[int]bool{}
	for _, p := range there.Parts {
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
		return Made{}, context.Cause(ctx)
	}
	var made Made
	_, err := c.call(ctx, exchange{method: http.MethodPost, path: "/api/s3/multipart/complete", in: names, out: &made})
	return made, err
}

// sendPart sends one part, several times if it must.
func (c *Client) sendPart(ctx context.Context, b Begun, number int, file io.ReaderAt, moved func(int64)) (err error) {
	for range partTries {
		var out struct {
			URLs []part `json:"presigned_urls"`
		}
		if _, err = c.call(ctx, exchange{method: http.MethodPost, path: "/api/s3/multipart/refresh-urls", in: map[string]any{"file_id": b.FileID, "upload_id": b.UploadID, "part_numbers": []int{number}}, out: &out}); err == nil && len(out.URLs) != 1 {
			err = ErrForeign
		}
		if err == nil {
			size := b.sizeOf(number)
			var answer *http.Response
			answer, err = c.send(ctx, request{method: http.MethodPut, path: out.URLs[0].URL, body: io.NewSectionReader(file, int64(number-1)*b.PartSize, size), size: size})
			if err == nil {
				_ = answer.Body.Close()
				moved(size)
				return nil
			}
		}
		if status := StatusOf(err); ctx.Err() != nil || status >= 400 && status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout {
			return err
		}
	}
	return err
}

func (b Begun) parts() int { return int((b.Size + b.PartSize - 1) / b.PartSize) }

// sizeOf is the size of a part, in bytes.
func (b Begun) sizeOf(number int) int64 {
	return min(b.PartSize, b.Size-int64(number-1)*b.PartSize)
}

// Cancel gives an upload up with its parts.
func (c *Client) Cancel(ctx context.Context, b Begun) error {
	_, err := c.call(ctx, exchange{method: http.MethodPost, path: "/api/s3/multipart/abort", in: map[string]string{"file_id": b.FileID, "upload_id": b.UploadID}})
	return err
}

// Gone reports whether an upload can't go on because the server has ended it.
func Gone(err error) bool {
	code := CodeOf(err)
	return code == "upload_not_found" || code == "not_found" || strings.HasPrefix(code, "upload_")
}
