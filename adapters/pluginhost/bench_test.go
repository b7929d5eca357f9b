package pluginhost_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"pasteport/adapters/pluginhost"
	"pasteport/plugins/local"
	"pasteport/ports/objstore"
)

// both runs a benchmark in process and behind the boundary, on one folder.
func both(b *testing.B, prepare func(objstore.Bucket), fn func(*testing.B, objstore.Bucket)) {
	h := newHost(b, pluginhost.Timing{}, nil)
	options := map[string]string{local.OptionDirectory: b.TempDir()}
	prepare(open(b, h, "here", options))
	for _, c := range []struct{ name, driver string }{{"in-process", "here"}, {"plugin", "local"}} {
		bucket := open(b, h, c.driver, options)
		b.Run(c.name, func(b *testing.B) { fn(b, bucket) })
	}
}

func fill(b *testing.B, bucket objstore.Bucket, key string, size int) {
	b.Helper()
	if _, err := bucket.Write(b.Context(), key, bytes.NewReader(make([]byte, size)), objstore.WriteOptions{Size: int64(size)}); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkPluginStat(b *testing.B) {
	both(b, func(bucket objstore.Bucket) { fill(b, bucket, "k", 1) }, func(b *testing.B, bucket objstore.Bucket) {
		for b.Loop() {
			if _, err := bucket.Stat(b.Context(), "k"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPluginList1000(b *testing.B) {
	prepare := func(bucket objstore.Bucket) {
		for i := range 1000 {
			fill(b, bucket, fmt.Sprintf("many/%04d", i), 0)
		}
	}
	both(b, prepare, func(b *testing.B, bucket objstore.Bucket) {
		for b.Loop() {
			page, err := bucket.List(b.Context(), objstore.ListQuery{Prefix: "many/", Delimiter: "/"})
			if err != nil || len(page.Objects) != 1000 {
				b.Fatal(len(page.Objects), err)
			}
		}
	})
}

// BenchmarkPluginRead256MiB copies to a TCP connection, as a download does.
func BenchmarkPluginRead256MiB(b *testing.B) {
	const size = 256 << 20
	both(b, func(bucket objstore.Bucket) { fill(b, bucket, "k", size) }, func(b *testing.B, bucket objstore.Bucket) {
		conn := sink(b)
		b.SetBytes(size)
		for b.Loop() {
			body, err := bucket.Read(b.Context(), "k", objstore.Range{})
			if err != nil {
				b.Fatal(err)
			}
			if n, err := io.Copy(conn, body); err != nil || n != size {
				b.Fatal(n, err)
			}
			body.Close()
		}
	})
}

// BenchmarkPluginStream256MiB is the price of bytes that cross the boundary.
func BenchmarkPluginStream256MiB(b *testing.B) {
	const size = 256 << 20
	h := newHost(b, pluginhost.Timing{}, nil)
	bucket := open(b, h, "stream", nil)
	fill(b, bucket, "k", size)
	conn := sink(b)
	b.SetBytes(size)
	for b.Loop() {
		body, err := bucket.Read(b.Context(), "k", objstore.Range{})
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(conn, body); err != nil || n != size {
			b.Fatal(n, err)
		}
		body.Close()
	}
}

func BenchmarkPluginHTTPRead1KiB(b *testing.B) {
	h := newHost(b, pluginhost.Timing{}, nil)
	bucket := open(b, h, "http", nil)
	if _, err := bucket.Write(b.Context(), "k", strings.NewReader(strings.Repeat("x", 1024)), objstore.WriteOptions{Size: 1024}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		body, err := bucket.Read(b.Context(), "k", objstore.Range{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			b.Fatal(err)
		}
		body.Close()
	}
}

// sink is a connection whose other end throws everything away.
func sink(b *testing.B) net.Conn {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if conn, err := listener.Accept(); err == nil {
			_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{conn}, make([]byte, 256<<10))
			conn.Close()
		}
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(conn.Close(), listener.Close()); err != nil {
			b.Error(err)
		}
		<-done
	})
	return conn
}
