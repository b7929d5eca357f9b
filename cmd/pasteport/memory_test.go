package main

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"pasteport/adapters/process"
	"pasteport/ports/portstest"
)

// Each check of a password takes 32 MiB. Without work there is no collection
// for two minutes, so what the second round gives back is given by settle.
func TestAServerAtRestGivesMemoryBackEachTime(t *testing.T) {
	p := start(t, filepath.Join(t.TempDir(), "data"), "PASTEPORT_RATE_LIMITS=off")
	deadline := time.Now().Add(patience)
	for round := range 2 {
		for !givesBack(p, 20<<20) {
			if time.Now().After(deadline) {
				t.Fatalf("round %d: the server at rest gave back too little", round+1)
			}
		}
	}
}

// givesBack lets the server check passwords and reports whether it holds less
// by the given number of bytes soon after.
func givesBack(p *program, bytes int64) bool {
	p.t.Helper()
	for range 4 {
		a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": "Wrong-123456"})
		if a.status != http.StatusUnauthorized {
			p.t.Fatalf("login: %d %s", a.status, a.body)
		}
	}
	before, _, known := process.Use(p.cmd.Process.Pid)
	if !known {
		p.t.Fatal("the memory of the server is not known")
	}
	return portstest.Happens(10*time.Second, func() bool {
		now, _, _ := process.Use(p.cmd.Process.Pid)
		return now <= before-bytes
	})
}
