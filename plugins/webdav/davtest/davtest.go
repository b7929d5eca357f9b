// Package davtest starts a WebDAV server for tests: rclone, over a folder.
package davtest

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os/exec"
	"syscall"
	"testing"

	"pasteport/plugins/webdav"
	"pasteport/ports/portstest"
)

// Credentials of the server.
const (
	User     = "tester"
	Password = "a pass word"
)

// Folder makes a new folder there and gives the options of a config that leads to
// it.
func Folder(t testing.TB, options map[string]string) map[string]string {
	t.Helper()
	options = maps.Clone(options)
	options[webdav.OptionURL] += "/" + rand.Text()
	req, err := http.NewRequestWithContext(t.Context(), "MKCOL", options[webdav.OptionURL], nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(User, Password)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		t.Fatal("make a folder: ", resp.Status)
	}
	return options
}

// Start serves dir until the test ends and gives the options of a config that
// leads there.
func Start(t testing.TB, dir string) map[string]string {
	t.Helper()
	rclone, err := exec.LookPath("rclone")
	if err != nil {
		t.Fatal("please install rclone (on Debian: apt-get install rclone)")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.Command(rclone, "serve", "webdav", dir, "--addr", address, "--user", User, "--pass", Password, "--config", "/dev/null",
		"--local-encoding", "Slash,Dot") // else it shows control characters as pictures of them
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-done
	})
	portstest.Eventually(t, func() bool {
		select {
		case <-done:
			t.Fatal("rclone ended: ", cmd.ProcessState)
		default:
		}
		resp, err := http.Get(fmt.Sprintf("http://%s/", address))
		if err != nil {
			return false
		}
		resp.Body.Close()
		return true
	})
	return map[string]string{webdav.OptionURL: "http://" + address, webdav.OptionUser: User, webdav.OptionPassword: Password}
}
