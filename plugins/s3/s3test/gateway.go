// Package s3test gives tests real S3 servers on this machine, one for each
// provider, behind a proxy that refuses what the provider refuses. Only tests
// import it.
package s3test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pasteport/ports/filelock"
)

// Credentials of every server.
const (
	AccessKey = "AKIATESTTESTTESTTEST"
	SecretKey = "test/secret+key/test/secret+key/test/sec"
)

// Gateway is a running S3 server.
type Gateway struct {
	Addr   string // host:port
	Region string

	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
	log  *bytes.Buffer // read after done
	dir  string
}

// StartGateway starts versitygw with buckets in a new folder. domain is the
// host below which buckets have names of their own. Close ends it.
func StartGateway(region, domain string) (*Gateway, error) {
	program, err := Tool("versitygw", "github.com/versity/versitygw/cmd/versitygw")
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		g, err := startGateway(program, region, domain)
		if err == nil || try == 3 {
			return g, err
		}
	}
}

func startGateway(program, region, domain string) (*Gateway, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pasteport-s3-")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"objects", "versions"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	g := &Gateway{Addr: addr, Region: region, done: make(chan struct{}), log: &bytes.Buffer{}, dir: dir}
	g.cmd = exec.Command(program,
		"--port", addr, "--access", AccessKey, "--secret", SecretKey, "--region", region, "--virtual-domain", domain,
		"--keep-alive", "--quiet", "--health", "/healthy", "posix", "--versioning-dir", filepath.Join(dir, "versions"), filepath.Join(dir, "objects"))
	g.cmd.Stdout, g.cmd.Stderr = g.log, g.log
	g.cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = g.cmd.Wait()
		close(g.done)
	}()
	if err := g.wait(time.Minute); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// wait waits until the server answers or has ended.
func (g *Gateway) wait(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+g.Addr+"/healthy", nil)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-g.done:
			return fmt.Errorf("versitygw ended at its start: %s", g.log)
		case <-ctx.Done():
			return fmt.Errorf("versitygw does not answer: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Age makes an object look as if it had been written so long ago.
func (g *Gateway) Age(bucket, key string, by time.Duration) error {
	then := time.Now().Add(-by)
	return os.Chtimes(filepath.Join(g.dir, "objects", bucket, filepath.FromSlash(key)), then, then)
}

// Close ends the server and removes its buckets.
func (g *Gateway) Close() error {
	_ = g.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-g.done:
	case <-time.After(5 * time.Second):
		_ = g.cmd.Process.Kill()
		<-g.done
	}
	return os.RemoveAll(g.dir)
}

// Tool returns the path of a development tool, built from .tools/go.mod when it
// is missing or older than that.
func Tool(name, pkg string) (string, error) {
	root, err := repository()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(root, ".cache", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(bin, "."+name+".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := filelock.Take(lock); err != nil {
		return "", err
	}
	path := filepath.Join(bin, name)
	if newer(path, filepath.Join(root, ".tools", "go.mod")) {
		return path, nil
	}
	build := exec.Command("go", "build", "-C", filepath.Join(root, ".tools"), "-o", path, pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s (it needs the Go module proxy once): %w\n%s", name, err, out)
	}
	now := time.Now()
	return path, os.Chtimes(path, now, now)
}

func newer(file, than string) bool {
	a, err1 := os.Stat(file)
	b, err2 := os.Stat(than)
	return err1 == nil && err2 == nil && a.ModTime().After(b.ModTime())
}

// repository is the folder of the product's go.mod.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(text), "module pasteport\n") {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("the tests do not run inside the repository")
		}
		dir = filepath.Dir(dir)
	}
}
