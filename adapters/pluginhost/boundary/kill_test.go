package boundary

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"pasteport/adapters/pluginhost"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// own opens a bucket on a host of its own, whose driver may be killed.
func own(t *testing.T, name string) (*pluginhost.Host, objstore.Bucket) {
	t.Helper()
	h := pluginhost.New(pluginhost.Options{
		Processes: map[string]pluginhost.Command{name: pluginhost.Self(name)},
		Timing:    pluginhost.Timing{Start: patience, Backoff: 10 * time.Millisecond},
	})
	t.Cleanup(func() { h.Close() })
	d, err := h.Driver(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Open(t.Context(), cloud.Config(name, cloud.NewBucket(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return h, b
}

func kill(t *testing.T, h *pluginhost.Host) {
	t.Helper()
	pid := h.Status()[0].PID
	if pid == 0 {
		t.Fatal("no driver process")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// killing calls kill once, in the middle of a body.
type killing struct {
	io.Reader
	after int
	kill  func()
}

func (k *killing) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	if k.after -= n; k.after <= 0 && k.kill != nil {
		k.kill()
		k.kill = nil
	}
	return n, err
}

func TestBytesUnderWayOutliveTheDriver(t *testing.T) {
	h, b := own(t, "aws")
	content := strings.Repeat("0123456789abcdef", 4<<20/16)
	body := &killing{strings.NewReader(content), 1 << 20, func() { kill(t, h) }}
	o, err := b.Write(t.Context(), "k", body, objstore.WriteOptions{Size: int64(len(content))})
	if err != nil || o.Size != int64(len(content)) {
		t.Fatalf("Write = %+v, %v", o, err)
	}
	read, err := b.Read(t.Context(), "k", objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	var got strings.Builder
	if _, err := io.Copy(&got, &killing{read, 1 << 20, func() { kill(t, h) }}); err != nil || got.String() != content {
		t.Errorf("Read gave %d bytes, %v", got.Len(), err)
	}
	if _, err := b.Stat(t.Context(), "k"); err != nil {
		t.Errorf("Stat after the driver was killed: %v", err)
	}
}

func TestAnUploadInPartsGoesOnAfterTheDriverWasKilled(t *testing.T) {
	h, b := own(t, "r2")
	content := strings.Repeat("0123456789abcdef", 20<<20/16)
	body := &killing{strings.NewReader(content), 9 << 20, func() { kill(t, h) }}
	o, err := b.Write(t.Context(), "k", body, objstore.WriteOptions{Size: -1})
	if err != nil || o.Size != int64(len(content)) {
		t.Fatalf("Write = %+v, %v", o, err)
	}
	if left, err := b.Multipart().ListUploads(t.Context(), ""); err != nil || len(left) != 0 {
		t.Errorf("ListUploads = %v, %v", left, err)
	}
}

func TestADriverWithWrongKeysSaysSo(t *testing.T) {
	d, err := host.Driver("b2")
	if err != nil {
		t.Fatal(err)
	}
	config := cloud.Config("b2", cloud.NewBucket(t, "b2"))
	config.Options["secret_access_key"] = "wrong"
	b, err := d.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	_, err = b.List(t.Context(), objstore.ListQuery{})
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != ports.BadGateway || e.Text != "storage_secret_wrong" {
		t.Errorf("List gave %v", err)
	}
	if _, err := b.Read(t.Context(), "k", objstore.Range{}); !ports.Is(err, ports.BadGateway) {
		t.Errorf("Read gave %v", err)
	}
}
