package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pasteport/ports/portstest"
)

var codeBlock = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")

// recipe is a block of a document that lets a proxy pass requests on.
type recipe struct {
	proxy, text string
}

// recipes are the blocks of a document for proxies.
func recipes(t *testing.T, name string) (found []recipe) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range codeBlock.FindAllStringSubmatch(string(text), -1) {
		switch {
		case strings.Contains(block[1], "proxy_pass http://127.0.0.1:8787;"):
			found = append(found, recipe{"nginx", block[1]})
		case strings.Contains(block[1], "reverse_proxy 127.0.0.1:8787\n"):
			found = append(found, recipe{"caddy", block[1]})
		}
	}
	return found
}

var startProxy = map[string]func(t *testing.T, address, text, upstream string){"nginx": nginxAt, "caddy": caddyAt}

// nginxAt starts nginx at an address with a block of a document, which passes
// requests on to upstream.
func nginxAt(t *testing.T, address, text, upstream string) {
	t.Helper()
	dir := t.TempDir()
	text = strings.ReplaceAll(text, "http://127.0.0.1:8787", upstream)
	if !strings.Contains(text, "server {") {
		text = "server {\nlisten 443 ssl;\n" + text + "}\n"
	}
	text = strings.ReplaceAll(text, "listen 443 ssl;", "listen "+address+";")
	config := fmt.Sprintf("daemon off; master_process off; pid %[1]s/pid; error_log stderr;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;\n%[2]s}\n", dir, text)
	file := filepath.Join(dir, "nginx.conf")
	proxyAt(t, address, file, config, exec.Command("nginx", "-p", dir, "-c", file))
}

var caddySite = regexp.MustCompile(`(?m)^[a-z.]*example\.org \{$`)

// caddyAt starts Caddy in the same way, over plain http: a test has no
// certificate for the site.
func caddyAt(t *testing.T, address, text, upstream string) {
	t.Helper()
	dir := t.TempDir()
	text = strings.ReplaceAll(text, "127.0.0.1:8787", strings.TrimPrefix(upstream, "http://"))
	config := "{\n\tadmin off\n}\n" + caddySite.ReplaceAllString(text, "http://"+address+" {")
	file := filepath.Join(dir, "Caddyfile")
	cmd := exec.Command("caddy", "run", "--adapter", "caddyfile", "--config", file)
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	proxyAt(t, address, file, config, cmd)
}

// proxyAt starts a proxy with its config in file and waits until it listens.
func proxyAt(t *testing.T, address, file, config string, cmd *exec.Cmd) {
	t.Helper()
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	log := &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: install it", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("%s:\n%s\n%s", cmd.Path, log.String(), config)
		}
	})
	portstest.Eventually(t, func() bool {
		select {
		case <-ended:
			t.Fatalf("%s ended:\n%s", cmd.Path, log.String())
		default:
		}
		line, err := net.Dial("tcp", address)
		if err == nil {
			line.Close()
		}
		return err == nil
	}, cmd.Path, " listens")
}

func TestTheRecipesForProxiesWork(t *testing.T) {
	all := append(recipes(t, "README.md"), recipes(t, "docs/webdav.md")...)
	count := map[string]int{}
	for _, r := range all {
		count[r.proxy]++
	}
	if count["nginx"] != 3 || count["caddy"] != 2 {
		t.Fatalf("recipes found: %v", count)
	}
	for i, recipe := range all {
		t.Run(fmt.Sprint(recipe.proxy, i), func(t *testing.T) {
			address, base := portstest.FreeAddress(t), ""
			env := []string{"PASTEPORT_TRUSTED_PROXIES=127.0.0.1/32"}
			if strings.Contains(recipe.text, "/box/") {
				base = "/box"
				env = append(env, "PASTEPORT_PUBLIC_URL=http://"+address+base)
			}
			p := launch(t, t.TempDir(), env...)
			direct := p.url
			p.url += base
			p.waitReady()
			startProxy[recipe.proxy](t, address, recipe.text, direct)
			p.url = "http://" + address + base

			admin := p.admin()
			var made struct{ Data struct{ PreviewURL string } }
			up := admin.send(http.MethodPut, "/api/upload-direct/a.txt?slug=there", strings.NewReader(strings.Repeat("x", 2<<20)))
			up.into(t, &made.Data)
			if up.status/100 != 2 || !strings.HasPrefix(made.Data.PreviewURL, p.url+"/") {
				t.Errorf("the link lost something: %d %q, want it below %s", up.status, made.Data.PreviewURL, p.url)
			}
			if a := p.visitor().get(strings.TrimPrefix(made.Data.PreviewURL, p.url)); len(a.body) != 2<<20 {
				t.Errorf("the link leads to %d, %d bytes", a.status, len(a.body))
			}
			if a := p.visitor().get("/"); a.status != http.StatusOK || !strings.Contains(string(a.body), "<html") {
				t.Errorf("the home page: %d", a.status)
			}
			dav := client{p: p, auth: basicAuth("admin", adminPassword)}
			name := "/dav/local/a%20%E6%96%87%26b.txt"
			if a := dav.send(http.MethodPut, name, strings.NewReader("dav")); a.status != http.StatusCreated {
				t.Errorf("PUT: %d %s", a.status, a.body)
			}
			if a := dav.send("MOVE", name, nil, "Destination", p.url+"/dav/local/moved%25.txt"); a.status != http.StatusCreated {
				t.Errorf("MOVE: %d %s", a.status, a.body)
			}
			if a := dav.send("PROPFIND", "/dav/local/", nil, "Depth", "1"); a.status != http.StatusMultiStatus || !strings.Contains(string(a.body), base+"/dav/local/moved%25.txt</D:href>") {
				t.Errorf("PROPFIND: %d %s", a.status, a.body)
			}
			if a := dav.get("/dav/local/moved%25.txt"); string(a.body) != "dav" {
				t.Errorf("GET: %d %q", a.status, a.body)
			}
		})
	}
}
