package opa

import (
	"context"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"pasteport/ports/policy"
)

func BenchmarkDecide(b *testing.B) {
	admin := policy.Principal{Kind: policy.Admin, ID: "a1", Name: "admin", BasicPath: "/"}
	key := policy.Principal{Kind: policy.APIKey, ID: "k1", Name: "team", Permissions: policy.AllPermissions, BasicPath: "/team/a"}
	folder := policy.Resource{Kind: "mount", Paths: []string{"/team/a/b"}}
	for _, c := range []struct {
		name  string
		who   policy.Principal
		do    policy.Action
		on    policy.Resource
		known bool
	}{
		{"constant/anonymous share.view", policy.Nobody, policy.ShareView, policy.Resource{Kind: "paste"}, true},
		{"constant/key paste.create", key, policy.PasteCreate, policy.Resource{Kind: "paste"}, true},
		{"constant/admin mount.list", admin, policy.MountList, folder, true},
		{"conditional/key mount.list", key, policy.MountList, folder, true},
		{"refused/anonymous paste.create", policy.Nobody, policy.PasteCreate, policy.Resource{Kind: "paste"}, true},
		{"evaluated/anonymous share.view", policy.Nobody, policy.ShareView, policy.Resource{Kind: "paste"}, false},
		{"evaluated/key paste.create", key, policy.PasteCreate, policy.Resource{Kind: "paste"}, false},
		{"evaluated/admin mount.list", admin, policy.MountList, folder, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			d, err := New(b.Context(), Options{Base: os.DirFS("../../policies")})
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			rules, q := d.current.Load(), question{c.who, c.do}
			if c.known {
				rules.decisions.put(q, rules.constants.find(b.Context(), q, d.timeout))
			}
			ctx := policy.WithCall(b.Context(), &policy.Call{ClientIP: "192.0.2.7", Protocol: "http", Method: "GET", Route: "/api/fs/list", RequestID: "r1"})
			b.ReportAllocs()
			for b.Loop() {
				if !c.known {
					d.evaluateOnly(ctx, b, q, c.on)
					continue
				}
				if _, err := d.Decide(ctx, c.who, c.do, c.on); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecideWithSiteRules asks what depends on the request of the shipped
// rules and five of a site: again and again what was asked before, and never
// the same.
func BenchmarkDecideWithSiteRules(b *testing.B) {
	d, err := New(b.Context(), Options{Base: os.DirFS("../../policies"), Site: fiveRules(b), unchecked: true})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	who := policy.Principal{Kind: policy.APIKey, ID: "k1", Name: "team", Permissions: policy.AllPermissions, BasicPath: "/team"}
	for _, c := range []struct {
		name string
		next int64
	}{{"again", 0}, {"anew", 1}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			on := policy.Resource{Kind: "file", Name: "a.pdf", Extension: "pdf", Size: 1 << 20}
			for b.Loop() {
				on.Size += c.next
				ctx := policy.WithCall(b.Context(), &policy.Call{ClientIP: "10.20.1.7", Protocol: "http", Method: "POST", Route: "/api/s3/presign", RequestID: "r1"})
				if got, err := d.Decide(ctx, who, policy.FileUpload, on); err != nil || !got.Allow {
					b.Fatal(got, err)
				}
			}
		})
	}
}

// fiveRules are five of the gallery.
func fiveRules(b *testing.B) fs.FS {
	site := fstest.MapFS{}
	for _, name := range []string{"folder_kept", "guest_types", "network_writes", "share_age", "types_refused"} {
		text, err := os.ReadFile("../../policies/gallery/" + name + ".rego")
		if err != nil {
			b.Fatal(err)
		}
		site[name+".rego"] = &fstest.MapFile{Data: text}
	}
	return site
}

// evaluateOnly decides without what is known of the question.
func (d *Decider) evaluateOnly(ctx context.Context, b *testing.B, q question, on policy.Resource) {
	b.Helper()
	if _, err := d.evaluate(ctx, d.current.Load(), q, on, conclusion{}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFold measures how long it takes to find out that an answer is
// constant, in the background.
func BenchmarkFold(b *testing.B) {
	d, err := New(b.Context(), Options{Base: os.DirFS("../../policies")})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	q := question{policy.Principal{Kind: policy.APIKey, ID: "k1", Permissions: policy.PermText, BasicPath: "/"}, policy.PasteCreate}
	for b.Loop() {
		if d.current.Load().constants.find(b.Context(), q, d.timeout).constant == nil {
			b.Fatal("not constant")
		}
	}
}

func BenchmarkActivate(b *testing.B) {
	d, err := New(b.Context(), Options{Base: os.DirFS("../../policies")})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	for b.Loop() {
		if err := d.Reload(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInput(b *testing.B) {
	q := question{policy.Principal{Kind: policy.APIKey, ID: "k1", Permissions: policy.AllPermissions, BasicPath: "/team/a"}, policy.MountList}
	on := policy.Resource{Kind: "mount", Paths: []string{"/team/a/b"}}
	call := &policy.Call{ClientIP: "192.0.2.7", Protocol: "http", Method: "GET", Route: "/api/fs/list", RequestID: "r1"}
	b.ReportAllocs()
	for b.Loop() {
		inputOf(q, on, call, policy.Usage{}, testClock)
	}
}
