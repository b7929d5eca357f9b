// Package sftptest starts an SFTP server for tests: OpenSSH's sshd, for the user
// who runs the tests.
package sftptest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"

	"pasteport/plugins/sftp"
	"pasteport/ports/portstest"
)

// sshd wants to be started by its whole path.
const sshd = "/usr/sbin/sshd"

// Folder makes a new folder in dir and gives the options of a config that leads to
// it.
func Folder(t testing.TB, options map[string]string, dir string) map[string]string {
	t.Helper()
	dir, err := os.MkdirTemp(dir, "bucket")
	if err != nil {
		t.Fatal(err)
	}
	chosen := map[string]string{sftp.OptionDirectory: dir}
	for key, value := range options {
		if key != sftp.OptionDirectory {
			chosen[key] = value
		}
	}
	return chosen
}

// Start runs sshd until the test ends and gives the options of a config without a
// folder, which is the user's home.
func Start(t testing.TB) map[string]string {
	t.Helper()
	if _, err := os.Stat(sshd); err != nil {
		t.Fatal("please install openssh-server (on Debian: apt-get install openssh-server)")
	}
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if who.Uid == "0" { // a service manager makes it, else
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	hostKey, hostPublic := NewKey(t)
	userKey, userPublic := NewKey(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	config := write("sshd_config", fmt.Sprintf("ListenAddress 127.0.0.1\nPort %s\nHostKey %s\nAuthorizedKeysFile %s\nPidFile none\nStrictModes no\nUsePAM no\n"+
		"PermitRootLogin prohibit-password\nPasswordAuthentication no\nMaxStartups 100\nSubsystem sftp internal-sftp\n",
		port, write("host_key", hostKey), write("authorized_keys", string(ssh.MarshalAuthorizedKey(userPublic)))))
	said, err := os.Create(filepath.Join(dir, "log")) // a file: sessions may outlive the server a little
	if err != nil {
		t.Fatal(err)
	}
	log := func() []byte {
		all, _ := os.ReadFile(said.Name())
		return all[max(0, len(all)-4000):]
	}
	cmd := exec.Command(sshd, "-D", "-e", "-f", config)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
		said.Close()
		if t.Failed() {
			t.Logf("sshd said:\n%s", log())
		}
	})
	address := net.JoinHostPort("127.0.0.1", port)
	portstest.Eventually(t, func() bool {
		select {
		case <-done:
			t.Fatalf("sshd ended: %s", log())
		default:
		}
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	})
	return map[string]string{
		sftp.OptionHost: "127.0.0.1", sftp.OptionPort: port, sftp.OptionUser: who.Username, sftp.OptionPrivateKey: userKey,
		sftp.OptionHostKey: ssh.FingerprintSHA256(hostPublic),
	}
}

// NewKey makes a key: the private one as its file has it, and the public one.
func NewKey(t testing.TB) (string, ssh.PublicKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "test")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block)), key
}
