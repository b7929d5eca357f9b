package sftp_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	sftplib "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"pasteport/plugins/sftp"
	"pasteport/plugins/sftp/sftptest"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// with is options with some of them changed.
func with(options map[string]string, changes ...string) map[string]string {
	changed := maps.Clone(options)
	for i := 0; i < len(changes); i += 2 {
		changed[changes[i]] = changes[i+1]
	}
	return changed
}

func TestOnlyHostsWhoseKeyWasEnteredAreUsed(t *testing.T) {
	options := with(sftptest.Start(t), sftp.OptionDirectory, t.TempDir())
	right := options[sftp.OptionHostKey]
	list := func(pin string) error {
		_, err := open(t, with(options, sftp.OptionHostKey, pin)).List(t.Context(), objstore.ListQuery{})
		return err
	}
	if err := list(right); err != nil {
		t.Errorf("the fingerprint: %v", err)
	}
	_, other := sftptest.NewKey(t)
	otherLine := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(other)))
	if err := list(ssh.FingerprintSHA256(other) + "\n# the one that follows\n" + right); err != nil {
		t.Errorf("two fingerprints: %v", err)
	}
	for name, pin := range map[string]string{
		"none": "", "another fingerprint": ssh.FingerprintSHA256(other), "another key": otherLine, "a line of known_hosts": "[127.0.0.1]:22 " + otherLine,
	} {
		err := list(pin)
		var e *ports.Error
		if !errors.As(err, &e) || e.Code != ports.BadGateway || !strings.Contains(e.Messages["en"], right) || !strings.Contains(e.Messages["zh"], right) {
			t.Errorf("%s gave %v, which does not name %s", name, err, right)
		}
	}
	for name, pin := range map[string]string{
		"words": "trust me", "half a fingerprint": right[:20], "another hash": "MD5:aa:bb", "an authority": "@cert-authority * " + otherLine, "a revoked key": "@revoked * " + otherLine,
	} {
		if _, err := (sftp.Driver{}).Open(t.Context(), objstore.Config{Options: with(options, sftp.OptionHostKey, pin)}); !ports.Is(err, ports.Invalid) {
			t.Errorf("%s gave %v, want Invalid", name, err)
		}
	}
}

func TestLinksLeadNowhere(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{filepath.Join(outside, "secret"): "secret", filepath.Join(dir, "plain"): "x"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"folder": outside, "file": filepath.Join(outside, "secret"), "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, with(sftptest.Start(t), sftp.OptionDirectory, dir))
	for _, key := range []string{"file", "folder/secret", "loop", "loop/x", "folder/"} {
		if _, err := b.Stat(t.Context(), key); !ports.Is(err, ports.NotFound) {
			t.Errorf("Stat(%q) gave %v, want NotFound", key, err)
		}
		if _, err := b.Read(t.Context(), key, objstore.Range{}); !ports.Is(err, ports.NotFound) {
			t.Errorf("Read(%q) gave %v, want NotFound", key, err)
		}
	}
	for _, key := range []string{"folder/new", "folder/deep/new", "folder/", `..\..\new`} {
		if _, err := b.Write(t.Context(), key, strings.NewReader(""), objstore.WriteOptions{Size: 0}); err == nil {
			t.Errorf("Write(%q) succeeded", key)
		}
	}
	if failed, err := b.Delete(t.Context(), "folder/secret", "file", "folder/"); len(failed) > 0 || err != nil {
		t.Errorf("Delete = %v, %v", failed, err)
	}
	page, err := b.List(t.Context(), objstore.ListQuery{})
	if err != nil || len(page.Objects) != 1 || page.Objects[0].Key != "plain" {
		t.Errorf("List = %+v, %v", page, err)
	}
	left, err := os.ReadDir(outside)
	if err != nil || len(left) != 1 {
		t.Errorf("outside lie %v, %v", left, err)
	}
}

// served is an SFTP server in this process that takes passwords.
type served struct {
	options map[string]string
	mu      sync.Mutex
	conns   []net.Conn
}

// serve starts one over dir. interactive asks for the password by a question.
func serve(t *testing.T, dir string, interactive bool) *served {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{}
	check := func(given string) (*ssh.Permissions, error) {
		if given != "open sesame" {
			return nil, errors.New("wrong")
		}
		return nil, nil
	}
	if interactive {
		config.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			given, err := ask("", "", []string{"Password: "}, []bool{false})
			if err != nil || len(given) != 1 {
				return nil, errors.New("no answer")
			}
			return check(given[0])
		}
	} else {
		config.PasswordCallback = func(_ ssh.ConnMetadata, given []byte) (*ssh.Permissions, error) { return check(string(given)) }
	}
	config.AddHostKey(signer)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s := &served{options: map[string]string{
		sftp.OptionHost: host, sftp.OptionPort: port, sftp.OptionUser: "u", sftp.OptionPassword: "open sesame", sftp.OptionDirectory: dir,
		sftp.OptionHostKey: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))),
	}}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns = append(s.conns, conn)
			s.mu.Unlock()
			wait.Go(func() { answer(conn, config) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.cut()
		wait.Wait()
	})
	return s
}

// cut ends all connections.
func (s *served) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		conn.Close()
	}
	s.conns = nil
}

func answer(conn net.Conn, config *ssh.ServerConfig) {
	defer conn.Close()
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for asked := range channels {
		channel, requests, err := asked.Accept()
		if err != nil {
			return
		}
		go func() {
			for r := range requests {
				_ = r.Reply(r.Type == "subsystem", nil)
			}
		}()
		if server, err := sftplib.NewServer(channel); err == nil {
			_ = server.Serve()
		}
	}
}

func TestPasswordsAreSentInBothWays(t *testing.T) {
	for name, interactive := range map[string]bool{"as a password": false, "as an answer": true} {
		s := serve(t, t.TempDir(), interactive)
		if _, err := open(t, s.options).List(t.Context(), objstore.ListQuery{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, err := open(t, with(s.options, sftp.OptionPassword, "wrong")).List(t.Context(), objstore.ListQuery{})
		var e *ports.Error
		if !errors.As(err, &e) || e.Code != ports.BadGateway || e.Messages["en"] == "" || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%s, a wrong one: %v", name, err)
		}
	}
}

func TestALostConnectionIsMadeAnew(t *testing.T) {
	s := serve(t, t.TempDir(), false)
	b := open(t, s.options)
	if _, err := b.Write(t.Context(), "k", strings.NewReader("kept"), objstore.WriteOptions{Size: 4}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.cut()
		if o, err := b.Stat(t.Context(), "k"); err != nil || o.Size != 4 {
			t.Fatalf("after the connection was cut: %+v, %v", o, err)
		}
	}
	body, err := b.Read(t.Context(), "k", objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	s.cut()
	if got, err := io.ReadAll(body); err == nil {
		t.Errorf("a cut body gave %q", got)
	}
	body.Close()
}

// Times there are whole seconds: two versions of one length still differ.
func TestVersionsOfOneSecondDiffer(t *testing.T) {
	b := open(t, with(sftptest.Start(t), sftp.OptionDirectory, t.TempDir()))
	var tags []string
	for _, content := range []string{"one", "two", "six", "ten"} {
		o, err := b.Write(t.Context(), "k", strings.NewReader(content), objstore.WriteOptions{Size: 3})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(tags, o.ETag) {
			t.Errorf("%q has the ETag of a version before", content)
		}
		tags = append(tags, o.ETag)
	}
}

func TestOptionsThatCannotWorkAreRefused(t *testing.T) {
	key, public := sftptest.NewKey(t)
	good := map[string]string{sftp.OptionHost: "nas.example", sftp.OptionUser: "u", sftp.OptionPrivateKey: strings.TrimSpace(key), sftp.OptionHostKey: ssh.FingerprintSHA256(public)}
	b, err := sftp.Driver{Reach: outbound.PublicOnly}.Open(t.Context(), objstore.Config{Options: with(good, sftp.OptionHost, "127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Stat(t.Context(), "k"); !ports.Is(err, ports.BadGateway) {
		t.Errorf("a private address out of reach gave %v, want BadGateway", err)
	}
	for name, change := range map[string][2]string{
		"no host": {sftp.OptionHost, ""}, "an address as host": {sftp.OptionHost, "sftp://nas.example"}, "no user": {sftp.OptionUser, ""}, "no secret": {sftp.OptionPrivateKey, ""},
		"no key": {sftp.OptionPrivateKey, "hello"}, "port 0": {sftp.OptionPort, "0"}, "port 70000": {sftp.OptionPort, "70000"},
	} {
		if _, err := (sftp.Driver{}).Open(t.Context(), objstore.Config{Options: with(good, change[0], change[1])}); !ports.Is(err, ports.Invalid) {
			t.Errorf("%s gave %v, want Invalid", name, err)
		}
	}
}
