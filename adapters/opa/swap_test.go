package opa

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"pasteport/ports/policy"
)

// TestRulesAreSwappedUnderLoad puts two sets of rules in force in turn while
// requests come in. Each answer must come from one set whole.
func TestRulesAreSwappedUnderLoad(t *testing.T) {
	rules := func(n int) fstest.MapFS {
		return siteOf(fmt.Sprintf(`limit contains {"name": "max_size", "value": %d}

limit contains {"name": "list_limit", "value": %d} if input.resource.kind != "x"
`, n, n))
	}
	sets := []fstest.MapFS{rules(1), rules(2)}
	d := newDecider(t, Options{Site: sets[0], unchecked: true})

	var answers atomic.Int64
	var wait sync.WaitGroup
	done := make(chan struct{})
	for i := range 4 {
		wait.Go(func() {
			pace := time.NewTicker(4 * time.Millisecond) // four callers, 1,000 requests a second
			defer pace.Stop()
			for {
				for _, who := range []policy.Principal{policy.Nobody, admin, textKey, mountKey} {
					do, on := policy.ShareView, policy.Resource{}
					if who == mountKey && i%2 == 0 {
						do, on = policy.MountList, policy.Resource{Paths: []string{"/team/a"}}
					}
					got, err := d.Decide(t.Context(), who, do, on)
					if err != nil || !got.Allow {
						t.Errorf("decision %+v, error %v", got, err)
						return
					}
					if got.Obligations.MaxSize != got.Obligations.ListLimit || got.Obligations.MaxSize == 0 {
						t.Errorf("the answer mixes two sets of rules: %+v", got.Obligations)
						return
					}
					answers.Add(1)
				}
				select {
				case <-done:
					return
				case <-pace.C:
				}
			}
		})
	}
	swaps := 100
	if testing.Short() {
		swaps = 20
	}
	for i := 0; !t.Failed() && (i < swaps || answers.Load() < int64(swaps)); i++ {
		if err := d.Activate(t.Context(), sets[(i+1)%2]); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	wait.Wait()
}

func TestClosingEndsTheBackgroundAndKeepsDeciding(t *testing.T) {
	d, err := New(t.Context(), Options{Base: shipped(), Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for range 1000 { // more than the background would take in
		if got, err := d.Decide(t.Context(), admin, policy.PasteList, policy.Resource{}); err != nil || !got.Allow {
			t.Fatalf("decision %+v, error %v", got, err)
		}
	}
}

func TestManyCallersShareOneDecider(t *testing.T) {
	d := newDecider(t, Options{Site: exampleSites(t)["guests"]})
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			who := policy.Principal{Kind: policy.APIKey, ID: fmt.Sprint("k", i%4), Permissions: policy.AllPermissions, BasicPath: "/", Guest: i%2 == 0}
			for n := range 50 {
				got, err := d.Decide(t.Context(), who, policy.FileUpload, policy.Resource{Extension: "exe", Size: int64(n), Share: policy.ShareTerms{ExpiresIn: 60}})
				if err != nil || got.Allow == who.Guest {
					t.Errorf("guest %t: decision %+v, error %v", who.Guest, got, err)
					return
				}
			}
		})
	}
	wait.Wait()
}
