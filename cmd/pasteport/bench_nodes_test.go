//go:build bench

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pasteport/ports/portstest"
	"pasteport/ports/portstest/figures"
)

// TestBenchNodes runs one, two and four nodes on one PostgreSQL behind nginx, all
// on this machine: how many reads and writes a second of processor time does,
// of everybody's together, and what the channel between the nodes carries.
func TestBenchNodes(t *testing.T) {
	b := &bench{t: t, dir: t.TempDir(), sheet: figures.New(t, "nodes")}
	var alone [3]float64
	for _, nodes := range []int{1, 2, 4} {
		s := b.site(nodes)
		read := s.rate("/api/paste/k1", "")
		write := s.rate("/api/paste", b.createScript())
		mix := s.rate("", b.mixScript())
		for i, c := range []struct {
			what, bar string
			rate      siteRate
		}{{"reads", ">= 0.9", read}, {"creates", ">= 0.8", write}, {"90 reads and 10 creates", ">= 0.8", mix}} {
			if nodes == 1 {
				alone[i], c.bar = c.rate.perSecond, ""
			}
			b.add(fmt.Sprintf("%d nodes: %s per second of processor time, of one node", nodes, c.what), c.rate.perSecond/alone[i], "", c.rate.text(alone[i]), c.bar)
		}
		edits, heard, seen := s.edits()
		b.add(fmt.Sprintf("%d nodes: an edit is seen everywhere after, p99", nodes), seen, "ms", fmt.Sprintf("%.1f ms (%d edits, %d notifications)", seen, edits, heard), "")
		s.stop()
	}
	b.sheet.End()
}

// benchSite is several nodes behind nginx.
type benchSite struct {
	b        *bench
	url      string
	postgres *portstest.PostgresServer
	nodes    []*program
	nginx    *exec.Cmd
}

func (b *bench) site(nodes int) *benchSite {
	s := &benchSite{b: b, postgres: portstest.NewPostgresServer(b.t)}
	root := filepath.Join(b.dir, fmt.Sprintf("site%d", nodes))
	env := []string{"PASTEPORT_DATABASE_URL=" + s.postgres.URL, "PASTEPORT_SECRET_KEY_FILE=" + filepath.Join(root, "secret.key"), "PASTEPORT_LOG_LEVEL=warn"}
	upstream := ""
	for i := range nodes {
		dir := filepath.Join(root, fmt.Sprintf("node%d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.t.Fatal(err)
		}
		p := start(b.t, dir, env...)
		s.nodes = append(s.nodes, p)
		upstream += "server " + strings.TrimPrefix(p.url, "http://") + "; "
	}
	b.p = s.nodes[0]
	b.admin = b.p.measuring()
	b.paste("k1", text(1024))
	at, tmp := portstest.FreeAddress(b.t), filepath.Join(root, "tmp")
	os.MkdirAll(tmp, 0o755)
	conf := fmt.Sprintf(`daemon off; worker_processes 2; user root; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 4096; }
http { access_log off; keepalive_requests 100000000; client_body_temp_path %[1]s; proxy_temp_path %[1]s; fastcgi_temp_path %[1]s; uwsgi_temp_path %[1]s; scgi_temp_path %[1]s;
 upstream nodes { least_conn; %[2]s keepalive 64; keepalive_requests 100000000; }
 server { listen %[3]s; location / { proxy_pass http://nodes; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; } } }`, tmp, upstream, at)
	path := filepath.Join(root, "nginx.conf")
	os.WriteFile(path, []byte(conf), 0o644)
	s.nginx = exec.Command("nginx", "-c", path, "-p", root)
	if err := s.nginx.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { s.nginx.Process.Kill(); s.nginx.Wait() })
	s.url = "http://" + at
	portstest.Eventually(b.t, func() bool { return answers(s.url + "/api/health") }, "nginx starts")
	return s
}

// stop ends what would take time from the next.
func (s *benchSite) stop() {
	s.nginx.Process.Signal(os.Interrupt)
	for _, p := range s.nodes {
		p.stop()
	}
}

// siteRate is what a load made the site do.
type siteRate struct {
	perSecond              float64 // calls per second of processor time of all
	rate                   float64 // by the clock
	nodes, proxy, database time.Duration
}

func (r siteRate) text(alone float64) string {
	return fmt.Sprintf("%.2f (%.0f per cpu s, %.0f/s; per call %v of nodes, %v of nginx, %v of PostgreSQL)", r.perSecond/alone, r.perSecond, r.rate, r.nodes, r.proxy, r.database)
}

// rate puts load on the site and tells what each part of it spent.
func (s *benchSite) rate(path, script string) siteRate {
	used := func() (n, p, d time.Duration) {
		for _, node := range s.nodes {
			n += cpuTime(node.cmd.Process.Pid)
		}
		return n, cpuTime(s.nginx.Process.Pid), cpuTime(s.postgres.PID())
	}
	var best siteRate
	for range benchRounds {
		n, p, d := used()
		l := s.b.wrk(s.nginx.Process.Pid, 64, s.url+path, script)
		n2, p2, d2 := used()
		if l.bad {
			s.b.t.Errorf("%s: answers other than 2xx", path)
		}
		calls := l.rate * benchSeconds
		all := (n2 - n + p2 - p + d2 - d).Seconds()
		r := siteRate{perSecond: calls / all, rate: l.rate, nodes: each(n2-n, calls), proxy: each(p2-p, calls), database: each(d2-d, calls)}
		if r.perSecond > best.perSecond {
			best = r
		}
	}
	return best
}

func each(d time.Duration, calls float64) time.Duration {
	return time.Duration(float64(d) / calls).Round(100 * time.Nanosecond)
}

// edits changes one paste again and again on the first node and waits until every
// other one shows it, in milliseconds; and counts the notifications of that.
func (s *benchSite) edits() (edits int, heard int64, p99 float64) {
	c, err := pgx.Connect(s.b.t.Context(), s.postgres.URL)
	if err != nil {
		s.b.t.Fatal(err)
	}
	defer c.Close(s.b.t.Context())
	if _, err := c.Exec(s.b.t.Context(), "LISTEN pasteport"); err != nil {
		s.b.t.Fatal(err)
	}
	var took []float64
	const times = 100
	for i := range times {
		want := fmt.Sprintf("edit %d", i)
		if a := s.b.admin.put("/api/pastes/k1", map[string]any{"content": want}); a.status != http.StatusOK {
			s.b.t.Fatalf("edit: %d %s", a.status, a.body)
		}
		begin := time.Now()
		for _, p := range s.nodes {
			for string(p.visitor().get("/api/raw/k1").body) != want {
				if time.Since(begin) > patience {
					s.b.t.Fatalf("%s does not show %q", p.url, want)
				}
			}
		}
		took = append(took, float64(time.Since(begin))/float64(time.Millisecond))
	}
	// What the server has sent by now arrives with the next answer.
	if _, err := c.Exec(s.b.t.Context(), "SELECT 1"); err != nil {
		s.b.t.Fatal(err)
	}
	for {
		ctx, cancel := context.WithTimeout(s.b.t.Context(), 100*time.Millisecond)
		_, err := c.WaitForNotification(ctx)
		cancel()
		if err != nil {
			break
		}
		heard++
	}
	median(took)
	return times, heard, took[len(took)*99/100]
}
