package sftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// Times of a connection.
const (
	dialTime      = 5 * time.Second
	handshakeTime = 10 * time.Second
	aliveEvery    = 15 * time.Second // a sign of life is asked for, and awaited
	closeTime     = 5 * time.Second
)

// requests is how many requests of one file are under way at once, each of 32 KiB.
const requests = 64

// server is the far end of a config, with one connection to it when it is needed.
type server struct {
	reach   outbound.Reach
	address string
	user    string
	auth    []ssh.AuthMethod
	pins    pins

	turn chan struct{} // held by who connects

	mu      sync.Mutex
	current *link
	closed  bool
}

// link is a connection.
type link struct {
	*sftp.Client
	ssh  *ssh.Client
	done chan struct{} // closed when it has ended
}

func (l *link) over() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// watch asks for signs of life, and closes a connection that gives none.
func (l *link) watch() {
	go func() {
		_ = l.ssh.Wait()
		_ = l.Client.Close()
		close(l.done)
	}()
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	for {
		answered := make(chan error, 1)
		select {
		case <-l.done:
			return
		case <-tick.C:
			go func() {
				_, _, err := l.ssh.SendRequest("keepalive@openssh.com", true, nil)
				answered <- err
			}()
		}
		select {
		case <-l.done:
			return
		case err := <-answered:
			if err == nil {
				continue
			}
		case <-time.After(aliveEvery):
		}
		_ = l.ssh.Close()
		<-l.done
		return
	}
}

// link gives the connection, made anew when there is none.
func (s *server) link(ctx context.Context) (*link, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	l, closed := s.current, s.closed
	s.mu.Unlock()
	if closed {
		return nil, ports.ErrUnavailable.With(net.ErrClosed)
	}
	if l != nil && !l.over() {
		return l, nil
	}
	l, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = l.ssh.Close()
		return nil, ports.ErrUnavailable.With(net.ErrClosed)
	}
	s.current = l
	return l, nil
}

// drop makes the next call connect anew.
func (s *server) drop(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == l {
		s.current = nil
		_ = l.ssh.Close()
	}
}

// close ends the connection.
func (s *server) close() {
	s.mu.Lock()
	l := s.current
	s.closed, s.current = true, nil
	s.mu.Unlock()
	if l != nil {
		_ = l.ssh.Close()
		<-l.done
	}
}

var denied = &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Text: "storage_access_denied"}

// connect asks for one kind of host key after the other until the server shows one
// that was entered. Nothing of the sign-in is sent before.
func (s *server) connect(ctx context.Context) (*link, error) {
	var (
		found seen
		last  error
	)
	for _, algorithms := range s.pins.asked() {
		before := len(found)
		client, err := s.handshake(ctx, algorithms, &found)
		switch {
		case err == nil:
			return open(client)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case len(found) == before && !strings.Contains(err.Error(), "no common algorithm for host key"):
			return nil, unreached(err)
		}
		last = err
	}
	if len(found) == 0 {
		return nil, unreached(last)
	}
	return nil, found.refusal(s.pins)
}

func (s *server) handshake(ctx context.Context, algorithms []string, found *seen) (*ssh.Client, error) {
	conn, err := s.reach.Dialer(dialTime).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	_ = conn.SetDeadline(time.Now().Add(handshakeTime))
	c, channels, asked, err := ssh.NewClientConn(conn, s.address, &ssh.ClientConfig{
		User: s.user, Auth: s.auth, HostKeyCallback: s.pins.check(found), HostKeyAlgorithms: algorithms, ClientVersion: "SSH-2.0-pasteport",
	})
	if err != nil {
		conn.Close()
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	return ssh.NewClient(c, channels, asked), nil
}

// open begins the protocol of files.
func open(client *ssh.Client) (*link, error) {
	// The server answers within the time of a sign of life, or never.
	timer := time.AfterFunc(handshakeTime, func() { client.Close() })
	files, err := sftp.NewClient(client, sftp.UseConcurrentWrites(true), sftp.MaxConcurrentRequestsPerFile(requests))
	if !timer.Stop() && err == nil {
		err = os.ErrDeadlineExceeded
	}
	if err != nil {
		client.Close()
		return nil, denied.Saying(text("The server lets this user in, but offers no SFTP.", "服务器允许此用户登录，但未提供 SFTP。")).With(err)
	}
	l := &link{Client: files, ssh: client, done: make(chan struct{})}
	go l.watch()
	return l, nil
}

// unreached is the error of a connection that was not made.
func unreached(err error) error {
	switch {
	case strings.Contains(err.Error(), "unable to authenticate"):
		return denied.Saying(text("The server refuses the user name, the password or the key.", "服务器拒绝了用户名、密码或密钥。")).With(err)
	case errors.Is(err, outbound.ErrPrivate):
		return denied.With(err)
	}
	return ports.ErrUnavailable.With(fmt.Errorf("connect: %w", err))
}

// lost reports whether a connection ended in the middle of a call.
func lost(err error) bool {
	var ours *ports.Error
	if errors.As(err, &ours) || err == io.EOF { // the end of a file
		return false
	}
	var network *net.OpError
	for _, end := range []error{sftp.ErrSSHFxConnectionLost, sftp.ErrSSHFxNoConnection, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return errors.As(err, &network)
}

// call does something that can be repeated over the connection, once more when it
// was lost. It returns when ctx ends; what was asked then ends with its answer or
// the connection.
func call[T any](ctx context.Context, s *server, do func(l *link) (T, error)) (value T, err error) {
	for try := 0; ; try++ {
		value, err = once(ctx, s, do)
		if try > 0 || !lost(err) {
			return value, translate(err)
		}
	}
}

// once is call for what cannot be repeated.
func once[T any](ctx context.Context, s *server, do func(l *link) (T, error)) (value T, err error) {
	l, err := s.link(ctx)
	if err != nil {
		return value, err
	}
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := do(l)
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		if lost(a.err) {
			s.drop(l)
		}
		return a.value, a.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// translate gives errors of the protocol their meaning.
func translate(err error) error {
	var ours *ports.Error
	var status *sftp.StatusError
	switch {
	case err == nil, errors.As(err, &ours), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), err == io.EOF:
		return err
	case errors.Is(err, os.ErrNotExist):
		return ports.ErrNotFound
	case errors.Is(err, os.ErrPermission):
		return denied.With(errors.New("permission denied"))
	case errors.As(err, &status) && status.FxCode() == sftp.ErrSSHFxOpUnsupported:
		return objstore.ErrUnsupported
	case errors.As(err, &status):
		return (&ports.Error{Code: ports.BadGateway, Key: "storage_unavailable"}).With(fmt.Errorf("the server answered: %w", err))
	}
	return ports.ErrUnavailable.With(err)
}
