package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

// TestReliabilityN8_KillLoopLosesNoAcknowledgedWrite kills the server in the
// middle of writes and looks for every write that was answered with success.
func TestReliabilityN8_KillLoopLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	rounds := 6
	if os.Getenv("PASTEPORT_TEST_LONG") != "" {
		rounds = 200
	}
	dir := t.TempDir()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))

	acknowledged := map[string]string{} // slug to content
	uploads := map[string]string{}      // slug to hash of the file
	var limited, views = "", 0
	for round := range rounds {
		p := start(t, dir)
		admin := p.admin()
		if round > 0 {
			verifyKept(t, p, acknowledged, uploads)
		}
		if limited == "" {
			limited = "limited"
			admin.post("/api/paste", map[string]any{"content": "counted", "slug": limited, "maxViews": 100000})
		}
		var mu sync.Mutex
		before := [2]int{len(acknowledged), len(uploads)}
		var writers sync.WaitGroup
		stop := make(chan struct{})
		for w := range 4 {
			writers.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					slug, content := fmt.Sprintf("r%dw%di%d", round, w, i), fmt.Sprintf("content %d %d %d", round, w, i)
					a, err := admin.try(http.MethodPost, "/api/paste", strings.NewReader(fmt.Sprintf(`{"slug":%q,"content":%q}`, slug, content)), "Content-Type", "application/json")
					if err == nil && a.status == http.StatusOK {
						mu.Lock()
						acknowledged[slug] = content
						mu.Unlock()
					}
				}
			})
		}
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				slug, content := fmt.Sprintf("f%di%d", round, i), pattern(uint64(round*1000+i), 100_000)
				a, err := admin.try(http.MethodPut, "/api/upload-direct/x.bin?slug="+slug, bytes.NewReader(content))
				if err == nil && a.status == http.StatusOK {
					mu.Lock()
					uploads[slug] = hash(content)
					mu.Unlock()
				}
			}
		})
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if a, err := p.visitor().try(http.MethodGet, "/api/paste/"+limited, nil); err == nil && a.status == http.StatusOK {
					mu.Lock()
					views++
					mu.Unlock()
				}
			}
		})
		portstest.Eventually(t, func() bool { // each round proves something, on a slow disk too
			mu.Lock()
			defer mu.Unlock()
			return len(acknowledged) >= before[0]+5 && len(uploads) > before[1]
		})
		<-time.After(time.Duration(random.IntN(700)) * time.Millisecond) // the kill comes at any moment
		p.kill()
		close(stop)
		writers.Wait()
	}
	p := start(t, dir)
	verifyKept(t, p, acknowledged, uploads)
	got := p.visitor().get("/api/paste/" + limited).object(t)["views"].(float64)
	if int(got) < views {
		t.Errorf("%d views were handed out, %v are counted", views, got)
	}
	t.Logf("%d pastes, %d files, %d views acknowledged in %d rounds", len(acknowledged), len(uploads), views, rounds)
}

func verifyKept(t *testing.T, p *program, pastes, files map[string]string) {
	t.Helper()
	for slug, content := range pastes {
		if a := p.visitor().get("/api/raw/" + slug); a.status != 200 || string(a.body) != content {
			t.Fatalf("acknowledged paste %s: %d %q", slug, a.status, a.body)
		}
	}
	for slug, sum := range files {
		if a := p.visitor().get("/api/file-download/" + slug); a.status != 200 || hash(a.body) != sum {
			t.Fatalf("acknowledged file %s: %d, %d bytes", slug, a.status, len(a.body))
		}
	}
}

func TestReliability3_2_AGracefulStopFinishesWhatRuns(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	body, sink := io.Pipe()
	upload, err := http.NewRequestWithContext(t.Context(), http.MethodPut, p.url+"/api/upload-direct/slow.bin?slug=slow", body)
	if err != nil {
		t.Fatal(err)
	}
	upload.Header.Set("Authorization", admin.auth)
	upload.Header.Set("Expect", "100-continue") // so the first byte leaves when the server reads the body
	status := make(chan int, 1)
	go func() {
		defer close(status)
		transport := &http.Transport{ExpectContinueTimeout: patience}
		defer transport.CloseIdleConnections()
		a, err := transport.RoundTrip(upload)
		if err != nil {
			t.Error(err)
			body.CloseWithError(err)
			return
		}
		a.Body.Close()
		status <- a.StatusCode
	}()
	sink.Write([]byte("first half, "))
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	portstest.Eventually(t, func() bool { // readiness fails while the upload goes on
		ready, err := http.Get(p.internal + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		ready.Body.Close()
		return ready.StatusCode != http.StatusOK
	})
	sink.Write([]byte("second half"))
	sink.Close()
	if got := <-status; got != http.StatusOK {
		t.Errorf("the upload under way ended with %d", got)
	}
	if code := p.ended(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestReliability2_7_ASecondProcessOnTheSameFolderIsRefused(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir, onFile)
	second := launch(t, dir, onFile)
	if code := second.ended(); code == 0 {
		t.Error("exit code 0")
	}
	if !strings.Contains(second.log.String(), fmt.Sprint(first.cmd.Process.Pid)) {
		t.Errorf("the message does not name the pid: %s", second.log.String())
	}
}

func TestDecision5_AMissingMasterKeyIsRefused(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	p.admin()
	p.stop()
	info, err := os.Stat(filepath.Join(dir, "secret.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("secret.key: %v %v", info, err)
	}
	for name, spoil := range map[string]func(){
		"missing": func() { os.Remove(filepath.Join(dir, "secret.key")) },
		"foreign": func() { os.WriteFile(filepath.Join(dir, "secret.key"), bytes.Repeat([]byte{7}, 32), 0o600) },
	} {
		spoil()
		q := launch(t, dir)
		if code := q.ended(); code == 0 || !strings.Contains(q.log.String(), "secret.key") {
			t.Errorf("%s: exit code %d, and the message does not name the file: %s", name, code, q.log.String())
		}
	}
}

// TestSecurityNoSecretIsKeptOrLoggedInClear plants secrets and looks for them,
// in the data folder and in the log.
func TestSecurityNoSecretIsKeptOrLoggedInClear(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, "PASTEPORT_LOG_LEVEL=debug")
	admin := p.admin()
	key, _ := admin.key("planted", 3, "/")
	keyValue := strings.TrimPrefix(key.auth, "ApiKey ")
	token := strings.TrimPrefix(admin.auth, "Bearer ")
	const sharePassword = "planted-share-password"
	admin.post("/api/paste", map[string]any{"content": "x", "slug": "p", "password": sharePassword})
	p.visitor().get("/api/raw/p?password=" + sharePassword)
	p.visitor().get("/api/raw/p?password=wrong-planted-guess")
	key.get("/api/pastes")
	for _, path := range []string{"/api/admin/api-keys", "/api/pastes", "/api/pastes/p"} {
		a := admin.get(path)
		if bytes.Contains(a.body, []byte(keyValue)) || bytes.Contains(a.body, []byte(sharePassword)) || bytes.Contains(a.body, []byte("$argon2")) {
			t.Errorf("%s shows a secret: %s", path, a.body)
		}
	}
	p.stop()
	secrets := []string{keyValue, token, sharePassword, "wrong-planted-guess", adminPassword}
	filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, secret := range secrets {
			if bytes.Contains(raw, []byte(secret)) {
				t.Errorf("%s holds the secret %q", filepath.Base(path), secret)
			}
		}
		return nil
	})
	for _, secret := range secrets {
		if strings.Contains(p.log.String(), secret) {
			t.Errorf("the log holds the secret %q", secret)
		}
	}
}
