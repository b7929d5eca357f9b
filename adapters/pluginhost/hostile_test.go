package pluginhost_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/adapters/pluginhost"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// hostile is a storage that speaks S3 and means no good. It writes without end
// what fill says, or answers as reply does.
type hostile struct {
	*httptest.Server
	head, fill string
	status     int
	requests   atomic.Int64
	written    atomic.Int64
	gone       chan struct{} // gets one for every caller who went away in the middle
	reply      func(w http.ResponseWriter, r *http.Request)
}

func newHostile(t *testing.T) *hostile {
	h := &hostile{status: http.StatusOK, gone: make(chan struct{}, 100)}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.requests.Add(1)
	w.Header().Set("Content-Type", "application/xml")
	if h.reply != nil {
		h.reply(w, r)
		return
	}
	w.WriteHeader(h.status)
	_, _ = io.WriteString(w, h.head)
	piece := bytes.Repeat([]byte(h.fill), 64<<10/len(h.fill))
	for {
		n, err := w.Write(piece)
		h.written.Add(int64(n))
		if err != nil {
			h.gone <- struct{}{}
			return
		}
	}
}

// config is one of the S3 driver for the storage.
func (h *hostile) config() map[string]string {
	return map[string]string{"endpoint_url": h.URL, "bucket_name": "b", "access_key_id": "k", "secret_access_key": "s", "path_style": "1"}
}

// s3Calls are the calls whose answer is no object, by name.
var s3Calls = map[string]func(ctx context.Context, b objstore.Bucket) error{
	"List": func(ctx context.Context, b objstore.Bucket) error {
		_, err := b.List(ctx, objstore.ListQuery{})
		return err
	},
	"ListUploads": func(ctx context.Context, b objstore.Bucket) error {
		_, err := b.Multipart().ListUploads(ctx, "")
		return err
	},
	"ListParts": func(ctx context.Context, b objstore.Bucket) error {
		_, err := b.Multipart().ListParts(ctx, "k", "u")
		return err
	},
	"Create": func(ctx context.Context, b objstore.Bucket) error {
		_, err := b.Multipart().Create(ctx, "k", objstore.WriteOptions{})
		return err
	},
	"Complete": func(ctx context.Context, b objstore.Bucket) error {
		_, err := b.Multipart().Complete(ctx, "k", "u", []objstore.Part{{Number: 1, ETag: "e", Size: 1}})
		return err
	},
	"EnsureCORS": func(ctx context.Context, b objstore.Bucket) error {
		return b.(objstore.CORSAdmin).EnsureCORS(ctx, []string{"*"})
	},
}

func memoryOf(t *testing.T, pid int) (peak int64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			peak, _ = strconv.ParseInt(strings.Fields(kib)[0], 10, 64)
		}
	}
	return peak << 10
}

// driverPeak is the most memory the driver may have held, in bytes.
var driverPeak int64 = 300 << 20

// driverLimit is the memory limit of the S3 driver, as a multiple of the product's.
var driverLimit int64 = 1

func TestAnAnswerWithoutEndEndsTheCall(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	h := newHost(t, pluginhost.Timing{Call: 5 * patience, PingAnswer: patience}, nil) // the bytes end it, not the time
	for name, call := range s3Calls {
		for kind, storage := range map[string]*hostile{
			"a long text":       {status: 200, head: `<?xml version="1.0"?><R><Key>`, fill: "aaaaaaaa"},
			"elements":          {status: 200, head: `<?xml version="1.0"?><R>`, fill: "<Contents><Key>k</Key></Contents>"},
			"an error":          {status: 403, head: `<?xml version="1.0"?><Error><Message>`, fill: "aaaaaaaa"},
			"blanks of a joint": {status: 200, head: `<?xml version="1.0"?>`, fill: "        "},
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				storage.gone = make(chan struct{}, 100)
				storage.Server = httptest.NewServer(storage)
				defer storage.Close()
				b := open(t, h, "s3", storage.config())
				err := call(t.Context(), b)
				if !ports.Is(err, ports.BadGateway) && !(kind == "an error" && err != nil) {
					t.Errorf("it ended with %v", err)
				}
				storage.CloseClientConnections() // so that written is final
				if got, most := storage.written.Load(), storage.requests.Load()*(24<<20); got > most {
					t.Errorf("the driver took %d MiB of %d answers", got>>20, storage.requests.Load())
				}
			})
		}
	}
	if got := memoryOf(t, pidOf(t, h, "s3")); got > driverPeak {
		t.Errorf("the driver took %d MiB", got>>20)
	}
	if s := statusOf(t, h, "s3"); s.Starts != 1 || s.Failures != 0 {
		t.Errorf("the driver's process: %+v", s)
	}
}

// pages are listings whose pages follow each other in a circle, by call: the
// page for a marker.
var pages = map[string]func(marker string) string{
	"List": func(m string) string {
		return `<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>k` + m + `</Key></Contents><NextContinuationToken>` + m + `</NextContinuationToken></ListBucketResult>`
	},
	"ListUploads": func(m string) string {
		return `<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>` + m + `</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker></ListMultipartUploadsResult>`
	},
	"ListParts": func(m string) string {
		return `<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>` + m + `</NextPartNumberMarker></ListPartsResult>`
	},
}

func TestAListingInACircleEnds(t *testing.T) {
	h := newHost(t, pluginhost.Timing{}, nil)
	for name, page := range pages {
		for _, round := range []int64{1, 3} {
			t.Run(fmt.Sprint(name, " ", round), func(t *testing.T) {
				storage := newHostile(t)
				storage.reply = func(w http.ResponseWriter, _ *http.Request) {
					_, _ = io.WriteString(w, page(strconv.FormatInt(storage.requests.Load()%round+1, 10)))
				}
				b := open(t, h, "s3", storage.config())
				if err := untilItEnds(t.Context(), name, b); !ports.Is(err, ports.BadGateway) {
					t.Errorf("it ended with %v", err)
				}
				if got := storage.requests.Load(); got > 4*round+4 {
					t.Errorf("it asked %d times", got)
				}
			})
		}
	}
}

// untilItEnds lists all, as the domain does.
func untilItEnds(ctx context.Context, name string, b objstore.Bucket) error {
	if name != "List" {
		return s3Calls[name](ctx, b)
	}
	var tokens objstore.Tokens
	for q := (objstore.ListQuery{}); ; {
		page, err := b.List(ctx, q)
		if err != nil {
			return err
		}
		q.Token = page.Next
		if err := tokens.Follow(q.Token); err != nil || q.Token == "" {
			return err
		}
	}
}

func TestTheCallerWhoLeavesEndsTheDriversRequest(t *testing.T) {
	h := newHost(t, pluginhost.Timing{}, nil)
	for name, call := range s3Calls {
		t.Run(name, func(t *testing.T) {
			storage := newHostile(t)
			asked := make(chan struct{}, 100)
			storage.reply = func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, "<?xml version=\"1.0\"?>")
				w.(http.Flusher).Flush()
				asked <- struct{}{}
				<-r.Context().Done()
				storage.gone <- struct{}{}
			}
			b := open(t, h, "s3", storage.config())
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- call(ctx, b) }()
			<-asked
			leave()
			for what, ended := range map[string]func() error{
				"the storage is still waited for": func() error { <-storage.gone; return nil },
				"the call goes on":                func() error { <-done; return nil },
			} {
				over := make(chan struct{})
				go func() { _ = ended(); close(over) }()
				select {
				case <-over:
				case <-time.After(patience):
					t.Fatal(what)
				}
			}
			if got := storage.requests.Load(); got != 1 {
				t.Errorf("the storage was asked %d times", got)
			}
		})
	}
}

func TestOwnDriversHaveAMemoryLimit(t *testing.T) {
	h := newHost(t, quick, nil)
	b := open(t, h, "trouble", nil)
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pidOf(t, h, "trouble")))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(limits)) {
		if rest, ok := strings.CutPrefix(line, "Max data size"); ok && strings.Fields(rest)[0] != strconv.Itoa(1<<30) {
			t.Errorf("the bound is %s", rest)
		}
	}
	if _, err := b.Stat(t.Context(), "eat"); !ports.Is(err, ports.Unavailable) {
		t.Errorf("Stat = %v", err)
	}
	if _, err := b.Stat(t.Context(), "fine"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
