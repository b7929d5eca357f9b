//go:build !windows

package portstest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Postgres returns the address of a new, empty PostgreSQL database. The first
// call in a test process starts a private cluster from the system's binaries;
// it ends, and its files go, when the process ends. Where PostgreSQL is missing
// the test fails.
func Postgres(t testing.TB) string {
	t.Helper()
	c, err := cluster()
	if err != nil {
		t.Fatalf("start PostgreSQL: %v (install it with: apt-get install postgresql)", err)
	}
	name := fmt.Sprintf("test%d", c.databases.Add(1))
	if out, err := c.command("createdb", "-h", "127.0.0.1", "-p", c.port, "-U", "postgres", name).CombinedOutput(); err != nil {
		t.Fatalf("create database: %v: %s", err, out)
	}
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%s/%s?sslmode=disable", c.port, name)
}

// PostgresServer is a PostgreSQL of one test, which may stop it.
type PostgresServer struct {
	URL string // of a new, empty database

	t testing.TB
	c *pgCluster
}

// NewPostgresServer starts a PostgreSQL for this test alone, and ends it with the
// test. Where PostgreSQL is missing the test fails.
func NewPostgresServer(t testing.TB) *PostgresServer {
	t.Helper()
	c, err := startCluster()
	if err != nil {
		t.Fatalf("start PostgreSQL: %v (install it with: apt-get install postgresql)", err)
	}
	s := &PostgresServer{t: t, c: c}
	t.Cleanup(func() {
		s.Thaw() // who is frozen hears no signal
		_ = c.alive.Close()
	})
	if out, err := c.command("createdb", "-h", "127.0.0.1", "-p", c.port, "-U", "postgres", "own").CombinedOutput(); err != nil {
		t.Fatalf("create database: %v: %s", err, out)
	}
	s.URL = fmt.Sprintf("postgres://postgres@127.0.0.1:%s/own?sslmode=disable", c.port)
	return s
}

// Freeze stops all processes of the server where they stand: connections stay
// open, and nothing is answered.
func (s *PostgresServer) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw lets them go on.
func (s *PostgresServer) Thaw() { s.signal(syscall.SIGCONT) }

// KillBackends kills the process of each connection. The server notices, cuts all
// others and starts them anew by itself.
func (s *PostgresServer) KillBackends() {
	s.t.Helper()
	_, children := s.processes()
	for _, pid := range children {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func (s *PostgresServer) signal(which syscall.Signal) {
	s.t.Helper()
	server, children := s.processes()
	for _, pid := range append([]int{server}, children...) {
		_ = syscall.Kill(pid, which) // one that has ended meanwhile answers nobody either
	}
}

// PID is the server's process; those of its connections are its children.
func (s *PostgresServer) PID() int {
	s.t.Helper()
	server, _ := s.processes()
	return server
}

// processes finds the server's process and those it has started.
func (s *PostgresServer) processes() (server int, children []int) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.c.data, "postmaster.pid"))
	if err != nil {
		s.t.Fatal(err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if server, err = strconv.Atoi(string(line)); err != nil {
		s.t.Fatal(err)
	}
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, path := range all {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name is in parentheses; state and parent follow it.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 || string(fields[1]) != strconv.Itoa(server) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			children = append(children, pid)
		}
	}
	return server, children
}

type pgCluster struct {
	bin, port string
	data      string              // its folder
	owner     *syscall.Credential // nil when the process is not root
	databases atomic.Int64
	alive     io.Closer // our end of the pipe that keeps the server running
}

var cluster = sync.OnceValues(startCluster)

func startCluster() (*pgCluster, error) {
	c := &pgCluster{}
	if c.bin = binaries(); c.bin == "" {
		return nil, fmt.Errorf("initdb and createdb not found")
	}
	dir, err := os.MkdirTemp("", "pasteport-pg-")
	if err != nil {
		return nil, err
	}
	if err := c.own(dir); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	c.data = data
	if out, err := c.command("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C.UTF-8").CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	for try := 1; ; try++ {
		if err = c.start(dir, data); err == nil || try == 3 {
			return c, err
		}
	}
}

// binaries returns the folder of the newest PostgreSQL: Debian's, else one on
// the path.
func binaries() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/createdb")
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if path, err := exec.LookPath("createdb"); err == nil {
		found = append([]string{path}, found...)
	}
	for _, path := range slices.Backward(found) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "initdb")); err == nil {
			return filepath.Dir(path)
		}
	}
	return ""
}

// own gives dir to the user that PostgreSQL runs as: it refuses to be root.
func (c *pgCluster) own(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	c.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(dir, uid, gid)
}

func (c *pgCluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner}
	return cmd
}

// start runs the server below a shell that reads from a pipe of ours: when this
// process ends, in whatever way, the shell stops the server and cleans up.
func (c *pgCluster) start(dir, data string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	c.port = port
	const script = `dir=$1; shift; "$@" >"$dir/log" 2>&1 & pid=$!; (while read -r _; do :; done); kill -INT $pid; wait $pid; cd /; rm -rf "$dir"`
	cmd := exec.Command("/bin/sh", "-c", script, "sh", dir, filepath.Join(c.bin, "postgres"), "-D", data, "-p", port, "-h", "127.0.0.1", "-k", dir,
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "max_connections=300")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner, Setpgid: true} // an interrupt from the terminal is for the tests
	if c.alive, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var log []byte
	ready := false
	Happens(time.Minute, func() bool {
		if log, _ = os.ReadFile(filepath.Join(dir, "log")); bytes.Contains(log, []byte("could not bind")) {
			return true // somebody else has just taken the port; the server ends
		}
		ready = c.command("pg_isready", "-q", "-h", "127.0.0.1", "-p", port).Run() == nil
		return ready
	})
	if ready {
		return nil
	}
	return fmt.Errorf("no answer on port %s: %s", port, log)
}
