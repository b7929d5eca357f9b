package pluginhost_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-plugin"

	"pasteport/adapters/pluginhost"
	"pasteport/plugins/local"
	"pasteport/plugins/s3"
	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// TestMain makes the test binary a driver, as the product's binary is one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "driver" {
		serve(os.Args[2], os.Args[3:])
	}
	if os.Getenv(sdk.HostPID) != "" { // a program of the plugin folder
		serve(filepath.Base(os.Args[0]), nil)
	}
	code := portstest.RunWithoutLeaks(m)
	var left []string
	if !portstest.Happens(portstest.Patience, func() bool { left = children(); return len(left) == 0 }) {
		fmt.Fprintln(os.Stderr, "driver processes were left behind:", left)
		code = 1
	}
	os.Exit(code)
}

// children returns the processes that this one started and that still run.
func children() (pids []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		var state string
		var parent int
		_, rest, _ := strings.Cut(string(stat), ") ")
		if n, _ := fmt.Sscan(rest, &state, &parent); n == 2 && parent == os.Getpid() && state != "Z" {
			pids = append(pids, name)
		}
	}
	return pids
}

func serve(name string, args []string) {
	switch name {
	case "wrong-version":
		plugin.Serve(&plugin.ServeConfig{
			HandshakeConfig: sdk.Handshake, GRPCServer: sdk.NewGRPCServer,
			VersionedPlugins: map[int]plugin.PluginSet{99: sdk.Plugins(local.Driver{})[sdk.Version]},
		})
	case "garbage":
		fmt.Println("hello, I am no driver")
	case "dies":
	case "silent":
		<-time.After(time.Minute)
	case "host":
		beHost(args[0])
	case "renamed":
		sdk.Serve(streamDriver())
	case "names-files", "bad-field", "bad-type":
		sdk.Serve(badDriver(name))
	default:
		err := pluginhost.Serve(name, map[string]objstore.Driver{
			"local": local.Driver{}, "http": httpDriver{}, "stream": streamDriver(), "trouble": &troubleDriver{}, "s3": s3.Driver(),
		})
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(3)
}

// beHost starts a driver, tells both process ids and waits to be killed.
func beHost(dir string) {
	h := pluginhost.New(pluginhost.Options{Processes: map[string]pluginhost.Command{"local": pluginhost.Self("local")}})
	d, err := h.Driver("local")
	if err == nil {
		_, err = d.Open(context.Background(), objstore.Config{Options: map[string]string{local.OptionDirectory: dir}})
	}
	fmt.Println(os.Getpid(), h.Status()[0].PID, err)
	<-time.After(time.Minute)
	os.Exit(0)
}

// httpDriver is a storage that signs requests which it answers by HTTP, with
// one server in the driver's process for each bucket.
type httpDriver struct{}

func (httpDriver) Info(context.Context) (objstore.Info, error) {
	return objstore.Info{Name: "http", StorageType: "S3", Version: "1", Features: portstest.MemoryFeatures, Fields: []objstore.Field{
		{Key: "endpoint_url", Type: "url"}, {Key: "secret", Type: "password", Secret: true},
	}}, nil
}

type httpBucket struct {
	*portstest.Bucket
	server   *httptest.Server
	lie      string
	underWay atomic.Int32 // parts that came and are not answered
}

func (httpDriver) Open(_ context.Context, c objstore.Config) (objstore.Bucket, error) {
	b := &httpBucket{Bucket: portstest.NewBucket(), lie: c.Options["lie"]}
	b.server = httptest.NewServer(b)
	b.BaseURL = b.server.URL
	return b, nil
}

// slowAnswer is how long a slow storage works on a part that it has taken.
const slowAnswer = 300 * time.Millisecond

// ServeHTTP answers signed requests, slowly when the config says so.
func (b *httpBucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.lie == "slow" && r.Method == http.MethodPut {
		b.underWay.Add(1)
		defer b.underWay.Add(-1)
		defer func() { <-time.After(slowAnswer) }()
	}
	b.Bucket.ServeHTTP(w, r)
}

// Abort refuses to forget an upload of which a part is under way; storages keep
// what comes after an abort.
func (b *httpBucket) Abort(ctx context.Context, key, uploadID string) error {
	if b.underWay.Load() > 0 {
		return ports.ErrConflict
	}
	return b.Bucket.Abort(ctx, key, uploadID)
}

func (b *httpBucket) Multipart() objstore.Multipart { return b }

func (b *httpBucket) Endpoints() []string {
	return []string{strings.TrimPrefix(b.server.URL, "http://")}
}

func (b *httpBucket) Close() error {
	b.server.Close()
	return nil
}

// Sign lies when the config says so.
func (b *httpBucket) Sign(ctx context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	s, err := b.Bucket.Sign(ctx, r)
	switch b.lie {
	case "host":
		s.URL = "http://169.254.169.254/latest/meta-data"
	case "suffix":
		s.URL = strings.Replace(s.URL, "127.0.0.1", "evil-127.0.0.1", 1)
	case "scheme":
		s.URL = "file:///etc/passwd"
	case "user":
		s.URL = strings.Replace(s.URL, "http://", "http://user:pass@", 1)
	case "method":
		s.Method = "DELETE"
	case "headers":
		s.Header = http.Header{"Cookie": {"a=b"}, "Host": {"x"}, "Transfer-Encoding": {"chunked"}, "X-Amz-Date": {"now"}, "x-forwarded-for": {"1.2.3.4"}}
	}
	return s, err
}

// streamDriver carries all bytes over the boundary.
func streamDriver() objstore.Driver {
	features := portstest.MemoryFeatures
	features.HTTPLinks, features.BrowserUpload, features.Stream = false, false, true
	return portstest.Driver{
		About: objstore.Info{Name: "stream", StorageType: "TEST", Features: features},
		New:   func(objstore.Config) (objstore.Bucket, error) { return unsigned{portstest.NewBucket()}, nil },
	}
}

// badDriver says something of itself that is not taken.
func badDriver(name string) objstore.Driver {
	about := objstore.Info{Name: name, StorageType: "TEST", Features: objstore.Features{Stream: true}}
	switch name {
	case "names-files":
		about.Features.LocalLinks = true
	case "bad-field":
		about.Fields = []objstore.Field{{Key: "../x", Type: "text"}}
	case "bad-type":
		about.StorageType = "<b>"
	}
	return portstest.Driver{About: about}
}

type unsigned struct{ *portstest.Bucket }

func (unsigned) Sign(context.Context, objstore.SignRequest) (objstore.SignedRequest, error) {
	return objstore.SignedRequest{}, objstore.ErrUnsupported
}

// troubleDriver does what a call's key says.
type troubleDriver struct{}

func (d *troubleDriver) Info(context.Context) (objstore.Info, error) {
	return objstore.Info{Name: "trouble", StorageType: "TEST", Features: objstore.Features{Stream: true, Range: true, ServerCopy: true}, Fields: []objstore.Field{
		{Key: "password", Type: "password", Secret: true},
	}}, nil
}

func (d *troubleDriver) Open(_ context.Context, c objstore.Config) (objstore.Bucket, error) {
	return &troubleBucket{Bucket: portstest.NewBucket(), options: c.Options}, nil
}

type troubleBucket struct {
	*portstest.Bucket
	options map[string]string
}

func (b *troubleBucket) Stat(ctx context.Context, key string) (objstore.Object, error) {
	ok := objstore.Object{Key: key, ETag: fmt.Sprint(os.Getpid())}
	switch key {
	case "panic":
		panic("as asked")
	case "hang":
		select {}
	case "wait":
		<-ctx.Done()
		return ok, ctx.Err()
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "kill-once":
		once := b.options["once"]
		if _, err := os.Stat(once); err != nil {
			_ = os.WriteFile(once, nil, 0o600)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	case "env":
		ok.ContentType = strings.Join(os.Environ(), "\x00")
		ok.ETag = strings.Join(os.Environ(), "|") + "="
	case "args":
		ok.ETag = strings.Join(os.Args, "|")
	case "log":
		slog.Error("told", "password", b.options["password"], "number", 7)
		fmt.Fprintln(os.Stderr, "plain line")
	case "flood":
		for i := range 5000 {
			slog.Info("flood", "i", i)
		}
	case "eat":
		var all [][]byte
		for range 96 { // 3 GiB
			all = append(all, bytes.Repeat([]byte{1}, 32<<20))
		}
		ok.Size = int64(len(all))
	case "own-words":
		return objstore.Object{}, (&ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "host_key_wrong", Params: map[string]any{"field": "host_key"}}).
			Saying(map[string]string{"en": "The host key is another one; the password was " + b.options["password"], "zh": "主机密钥不同"}).
			With(errors.New("key SHA256:abc, asked with " + b.options["password"]))
	case "plain-error":
		return objstore.Object{}, errors.New("nobody classified this")
	case "negative":
		ok.Size = -1
	case "quota":
		return objstore.Object{}, &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Text: "a.text", Params: map[string]any{"total": int64(9)}, RetryAfter: 3 * time.Second}
	}
	return ok, nil
}

// Read gives a body that goes on after its first piece only as the key says.
func (b *troubleBucket) Read(ctx context.Context, key string, _ objstore.Range) (*objstore.Body, error) {
	body := &troubleBody{ctx: ctx, then: key, left: 2 << 20}
	return &objstore.Body{ReadCloser: io.NopCloser(body), Object: objstore.Object{Key: key, Size: 4 << 20}, Length: 4 << 20}, nil
}

type troubleBody struct {
	ctx  context.Context
	then string
	left int
}

func (b *troubleBody) Read(p []byte) (int, error) {
	if b.left > 0 {
		n := min(len(p), b.left)
		b.left -= n
		return n, nil
	}
	switch b.then {
	case "panic":
		panic("as asked")
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "short":
		return 0, io.EOF
	case "fail":
		return 0, ports.ErrUnavailable
	}
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}

func (b *troubleBucket) Multipart() objstore.Multipart { return nil }

// Copy tells that it runs by a file and waits until the process is killed.
func (b *troubleBucket) Copy(context.Context, string, string) (objstore.Object, error) {
	_ = os.WriteFile(b.options["once"], nil, 0o600)
	select {}
}
