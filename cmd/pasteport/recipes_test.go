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
	"time"
)

var codeBlock = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")

// recipes are the nginx blocks of a document that pass requests on.
func recipes(t *testing.T, name string) (found []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range codeBlock.FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(block[1], "proxy_pass http://127.0.0.1:8787;") {
			found = append(found, block[1])
		}
	}
	return found
}

// nginxAt starts nginx at an address with a block of a document, which passes
// requests on to upstream.
func nginxAt(t *testing.T, address, recipe, upstream string) {
	t.Helper()
	dir := t.TempDir()
	recipe = strings.ReplaceAll(recipe, "http://127.0.0.1:8787", upstream)
	if !strings.Contains(recipe, "server {") {
		recipe = "server {\nlisten 443 ssl;\n" + recipe + "}\n"
	}
	recipe = strings.ReplaceAll(recipe, "listen 443 ssl;", "listen "+address+";")
	config := fmt.Sprintf("daemon off; master_process off; pid %[1]s/pid; error_log stderr;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;\n%[2]s}\n", dir, recipe)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	log := &lockedBuffer{}
	cmd := exec.Command("nginx", "-p", dir, "-c", file)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: install nginx", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("nginx:\n%s\n%s", log.String(), config)
		}
	})
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if line, err := net.Dial("tcp", address); err == nil {
			line.Close()
			return
		}
	}
	t.Fatalf("nginx does not listen:\n%s", log.String())
}

func TestTheRecipesForNginxWork(t *testing.T) {
	all := append(recipes(t, "README.md"), recipes(t, "docs/webdav.md")...)
	if len(all) != 3 {
		t.Fatalf("%d recipes found", len(all))
	}
	for i, recipe := range all {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			address, base := freeAddress(t), ""
			env := []string{"PASTEPORT_TRUSTED_PROXIES=127.0.0.1/32"}
			if strings.Contains(recipe, "location /box/") {
				base = "/box"
				env = append(env, "PASTEPORT_PUBLIC_URL=http://"+address+base)
			}
			p := launch(t, t.TempDir(), env...)
			direct := p.url
			p.url += base
			p.waitReady()
			nginxAt(t, address, recipe, direct)
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
