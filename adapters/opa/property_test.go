package opa

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// extraRules are site rules made to catch partial evaluation out: unknowns
// behind negation, in comprehensions, functions, every and imports, conflicts,
// errors in functions, and rules that look at nothing.
var extraRules = map[string]string{
	"negation":       "deny contains {\"code\": \"neg\", \"message\": \"\"} if {\n\tinput.action in {\"paste.create\", \"share.view\"}\n\tnot _tls\n}\n\n_tls if input.context.tls",
	"double":         "deny contains {\"code\": \"double\", \"message\": \"\"} if not _not_small\n\n_not_small if not _small\n\n_small if input.resource.size < 10",
	"comprehension":  "deny contains {\"code\": \"many\", \"message\": \"\"} if count([p | some p in input.resource.paths; p != \"/\"]) > 1",
	"every":          "deny contains {\"code\": \"every\", \"message\": \"\"} if {\n\tinput.subject.type == \"apikey\"\n\tevery p in input.resource.paths { startswith(p, \"/team\") }\n}",
	"function":       "_big(n) if n > 100\n\ndeny contains {\"code\": \"big\", \"message\": \"\"} if _big(input.resource.size)",
	"alias":          "import input.context as here\n\ndeny contains {\"code\": \"dav\", \"message\": \"\"} if here.protocol == \"webdav\"",
	"conflict":       "_n := 1 if input.context.tls\n\n_n := 2 if input.resource.size > 100\n\ndeny contains {\"code\": \"n\", \"message\": \"\"} if _n > 2",
	"function fails": "deny contains {\"code\": \"net\", \"message\": \"\"} if {\n\tnet.cidr_contains(\"10.0.0.0/8\", input.context.client_ip)\n\tinput.action == \"mount.list\"\n}",
	"constant":       "deny contains {\"code\": \"guest\", \"message\": \"\"} if input.subject.guest",
	"whole context":  "deny contains {\"code\": \"whole\", \"message\": \"\"} if json.marshal(input.context) == \"{}\"",
	"walk":           "deny contains {\"code\": \"walk\", \"message\": \"\"} if {\n\tinput.subject.type == \"admin\"\n\twalk(input.resource, [_, value])\n\tvalue == \"exe\"\n}",
	"limit by size":  "limit contains {\"name\": \"list_limit\", \"value\": 5} if input.resource.size > 100",
	"limit value":    "limit contains {\"name\": \"link_expires\", \"value\": input.resource.size}",
	"limit broken":   "limit contains {\"name\": \"no_such_limit\", \"value\": 1} if input.resource.extension == \"exe\"",
	"limit fixed":    "limit contains {\"name\": \"rate_per_minute\", \"value\": 7} if input.action in {\"share.view\", \"paste.create\"}",
	"message":        "deny contains {\"code\": \"msg\", \"message\": input.resource.name} if input.resource.name == \"x.exe\"",
	"time":           "deny contains {\"code\": \"time\", \"message\": \"\"} if time.weekday(input.context.time_ns) == \"Sunday\"",
	"else":           "_level := 1 if {\n\tinput.context.tls\n} else := 2 if {\n\tinput.subject.guest\n} else := 3\n\ndeny contains {\"code\": \"level\", \"message\": \"\"} if _level == 3",
	"default":        "default _open := false\n\n_open if input.resource.size == 0\n\ndeny contains {\"code\": \"open\", \"message\": \"\"} if _open == false",
	"with":           "_peek if input.context.tls\n\ndeny contains {\"code\": \"with\", \"message\": \"\"} if {\n\tinput.action == \"paste.list\"\n\t_peek with input.context.tls as true\n}",
	"object":         "deny contains {\"code\": \"obj\", \"message\": \"\"} if object.get(input.resource, \"size\", 0) == 101",
	"data":           "deny contains {\"code\": \"data\", \"message\": \"\"} if input.action in data.site.closed",
}

// rulePool returns the extra rules and the examples, without what every file
// has, so that several can be put together.
func rulePool(t testing.TB) map[string]string {
	pool := maps.Clone(extraRules)
	for name, text := range exampleTexts(t) {
		pool["example "+name] = text
	}
	return pool
}

func exampleTexts(t testing.TB) map[string]string {
	texts := map[string]string{}
	for name, text := range regoFiles(t, shipped(), "examples") {
		if strings.HasSuffix(name, "_test.rego") {
			continue
		}
		_, rest, _ := strings.Cut(text, "package pasteport.site\n")
		texts[name] = rest
	}
	return texts
}

func poolSite(pool map[string]string, names []string) fstest.MapFS {
	site := fstest.MapFS{"data.json": {Data: []byte(`{"closed": ["file.list"], "freeze": true, "blocked_networks": ["192.0.2.0/24"]}`)}}
	for i, name := range names {
		site[fmt.Sprintf("rule%d.rego", i)] = &fstest.MapFile{Data: []byte("package pasteport.site\n\n" + pool[name] + "\n")}
	}
	return site
}

// randomQuestion draws who asks for what.
func randomQuestion(t *rapid.T, actions []policy.Action) question {
	who := policy.Principal{
		Kind:      rapid.SampledFrom([]policy.Kind{policy.Anonymous, policy.APIKey, policy.APIKey, policy.APIKey, policy.Admin, policy.System}).Draw(t, "kind"),
		BasicPath: "/",
	}
	if who.Kind == policy.APIKey {
		who.ID, who.Name = "k1", "key"
		who.Guest = rapid.Bool().Draw(t, "guest")
		who.BasicPath = rapid.SampledFrom([]string{"/", "/team/a", "/archive"}).Draw(t, "base")
		who.Permissions = policy.Permission(rapid.Int64().Draw(t, "bits")) & policy.AllPermissions
	}
	return question{who, rapid.SampledFrom(actions).Draw(t, "action")}
}

// randomRest draws the rest of a request.
func randomRest(t *rapid.T) (policy.Resource, *policy.Call, policy.Usage) {
	path := rapid.SampledFrom([]string{"/", "/team", "/team/a", "/team/a/x.txt", "/team/ab", "/archive/2020", "/hr/x", "/team/a/private/y"})
	on := policy.Resource{
		Kind:      rapid.SampledFrom([]string{"", "paste", "file", "mount"}).Draw(t, "kind"),
		Owner:     rapid.SampledFrom([]string{"", "k1", "apikey:k1", "apikey:k2", "a1"}).Draw(t, "owner"),
		Paths:     rapid.SliceOfN(path, 0, 3).Draw(t, "paths"),
		Name:      rapid.SampledFrom([]string{"", "x.exe", "x.pdf"}).Draw(t, "name"),
		Extension: rapid.SampledFrom([]string{"", "exe", "pdf"}).Draw(t, "extension"),
		Size:      rapid.SampledFrom([]int64{0, 1, 9, 10, 100, 101, 1 << 40}).Draw(t, "size"),
		URLHost:   rapid.SampledFrom([]string{"", "example.com", "evil.test"}).Draw(t, "host"),
		Slug:      rapid.SampledFrom([]string{"", "one", "other"}).Draw(t, "slug"),
		Storage:   rapid.SampledFrom([]string{"", "c1"}).Draw(t, "storage"),
		Share: policy.ShareTerms{
			HasPassword: rapid.Bool().Draw(t, "password"),
			ExpiresIn:   rapid.SampledFrom([]int64{0, 60, 604800, 604801}).Draw(t, "expires"),
		},
	}
	call := &policy.Call{
		Time:     time.Unix(rapid.Int64Range(1754000000, 1756000000).Draw(t, "time"), 0).UTC(),
		ClientIP: rapid.SampledFrom([]string{"", "10.20.3.4", "192.0.2.9", "2001:db8:20::1", "not an address"}).Draw(t, "ip"),
		TLS:      rapid.Bool().Draw(t, "tls"),
		Protocol: rapid.SampledFrom([]string{"http", "webdav", ""}).Draw(t, "protocol"),
	}
	used := policy.Usage{BytesToday: rapid.SampledFrom([]int64{0, 1 << 30, 1 << 31}).Draw(t, "used")}
	return on, call, used
}

// deciders makes one Decider per set of site rules and keeps it.
type deciders struct {
	t    *testing.T
	pool map[string]string
	mu   sync.Mutex
	made map[string]*Decider
	used counted
}

func (d *deciders) of(names []string) *Decider {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := strings.Join(names, "+")
	if d.made[key] == nil {
		d.made[key] = newDecider(d.t, Options{unchecked: true, Site: poolSite(d.pool, names), Usage: &d.used})
	}
	return d.made[key]
}

// TestWhatIsKnownAheadEqualsFullEvaluation draws site rules and requests, and
// compares the answer from partial evaluation with that from full evaluation,
// errors included.
func TestWhatIsKnownAheadEqualsFullEvaluation(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	pool, actions := rulePool(t), portActions(t)
	names := slices.Sorted(maps.Keys(pool))
	cache := &deciders{t: t, pool: pool, made: map[string]*Decider{}}
	var constants, rests, neither int
	rapid.Check(t, func(r *rapid.T) {
		drawn := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 2, rapid.ID).Draw(r, "rules")
		slices.Sort(drawn)
		d := cache.of(drawn)
		rules := d.current.Load()
		for range 16 { // so many that a short run draws each kind, too
			q := randomQuestion(r, actions)
			known := rules.constants.find(t.Context(), q, d.timeout)
			switch {
			case known.constant != nil:
				constants++
			case known.rest != nil:
				rests++
			default:
				neither++
			}
			for range 4 {
				on, call, used := randomRest(r)
				cache.used.used = used
				ctx := policy.WithCall(t.Context(), call)
				want, wantErr := d.evaluate(ctx, rules, q, on, conclusion{})
				got, gotErr := d.evaluate(ctx, rules, q, on, known)
				if (gotErr == nil) != (wantErr == nil) {
					r.Fatalf("%s by %+v on %+v, %+v: error %v ahead, %v in full", q.do, q.who, on, call, gotErr, wantErr)
				}
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					r.Fatalf("%s by %+v on %+v, %+v (-full +ahead):\n%s", q.do, q.who, on, call, diff)
				}
			}
		}
	})
	if constants == 0 || rests == 0 || neither == 0 {
		t.Errorf("%d constant, %d partly known and %d unknown questions were drawn; want some of each", constants, rests, neither)
	}
}

// TestSiteRulesNeverWiden draws site rules and requests: what the rules allow
// with them they also allow without them.
func TestSiteRulesNeverWiden(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	pool, actions := rulePool(t), portActions(t)
	names := slices.Sorted(maps.Keys(pool))
	cache := &deciders{t: t, pool: pool, made: map[string]*Decider{}}
	plain := cache.of(nil)
	narrowed := 0
	rapid.Check(t, func(r *rapid.T) {
		drawn := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 2, rapid.ID).Draw(r, "rules")
		slices.Sort(drawn)
		site := cache.of(drawn)
		for range 10 {
			q := randomQuestion(r, actions)
			on, call, used := randomRest(r)
			cache.used.used = used
			ctx := policy.WithCall(t.Context(), call)
			with, errWith := site.Decide(ctx, q.who, q.do, on)
			without, err := plain.Decide(ctx, q.who, q.do, on)
			if err != nil {
				r.Fatal(err)
			}
			if errWith == nil && with.Allow && !without.Allow {
				r.Fatalf("%s by %+v on %+v is allowed only because of %v", q.do, q.who, on, drawn)
			}
			if with.Scope == policy.All && without.Scope != policy.All {
				r.Fatalf("%s by %+v: the scope is wider because of %v", q.do, q.who, drawn)
			}
			if without.Allow && !with.Allow {
				narrowed++
			}
		}
	})
	if narrowed == 0 {
		t.Error("no site rule ever narrowed anything")
	}
}

// TestStrangeNamesAreSafeAhead puts names into a question that would break out
// of a text, if what is left of the question were not quoted well.
func TestStrangeNamesAreSafeAhead(t *testing.T) {
	d := newDecider(t, Options{unchecked: true})
	rules := d.current.Load()
	for _, name := range []string{`k"1`, `k\`, `k\"; true`, "k\n1", "k\x00", "k\x7f", "k\U000E0001", "键", "k\xff", "`", "${x}", "k'\t"} {
		who := policy.Principal{Kind: policy.APIKey, ID: name, BasicPath: "/team/" + name, Permissions: policy.AllPermissions}
		for _, c := range []struct {
			do   policy.Action
			on   policy.Resource
			want bool
		}{
			{policy.PasteUpdate, policy.Resource{Owner: "apikey:" + name}, true},
			{policy.PasteUpdate, policy.Resource{Owner: name}, true},
			{policy.PasteUpdate, policy.Resource{Owner: "apikey:k"}, false},
			{policy.MountRead, policy.Resource{Paths: []string{"/team/" + name + "/x"}}, true},
			{policy.MountRead, policy.Resource{Paths: []string{"/team/k"}}, false},
		} {
			q := question{who, c.do}
			for how, known := range map[string]conclusion{"in full": {}, "ahead": rules.constants.find(t.Context(), q, d.timeout)} {
				got, err := d.evaluate(t.Context(), rules, q, c.on, known)
				if err != nil || got.Allow != c.want {
					t.Errorf("%q, %s on %+v: allow is %t %s (error %v), want %t", name, c.do, c.on, got.Allow, how, err, c.want)
				}
			}
		}
	}
}

// TestRulesOnTheRequestAreNeverConstant names questions that a site rule
// decides by time, address, usage, data of the resource or protocol.
func TestRulesOnTheRequestAreNeverConstant(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	pool := rulePool(t)
	cache := &deciders{t: t, pool: pool, made: map[string]*Decider{}}
	uploader := policy.Principal{Kind: policy.APIKey, ID: "k1", BasicPath: "/", Permissions: policy.AllPermissions}
	guest := uploader
	guest.Guest = true
	for _, c := range []struct {
		rule string
		who  policy.Principal
		do   policy.Action
	}{
		{"example examples/times.rego", uploader, policy.FileUpload},
		{"example examples/networks.rego", admin, policy.KeysRead},
		{"example examples/networks.rego", policy.Nobody, policy.ShareView},
		{"example examples/quotas.rego", uploader, policy.FileUpload},
		{"example examples/guests.rego", guest, policy.PasteCreate},
		{"example examples/content.rego", admin, policy.URLFetch},
		{"time", policy.Nobody, policy.SiteRead},
		{"negation", policy.Nobody, policy.ShareView},
		{"double", admin, policy.StatsRead},
		{"comprehension", admin, policy.MountList},
		{"function", admin, policy.StatsRead},
		{"alias", admin, policy.StatsRead},
		{"conflict", admin, policy.StatsRead},
		{"whole context", admin, policy.StatsRead},
		{"walk", admin, policy.StatsRead},
		{"limit by size", admin, policy.StatsRead},
		{"limit value", admin, policy.StatsRead},
		{"default", admin, policy.StatsRead},
		{"else", admin, policy.StatsRead},
		{"object", admin, policy.StatsRead},
	} {
		t.Run(c.rule+" "+string(c.do), func(t *testing.T) {
			d := cache.of([]string{c.rule})
			found := d.current.Load().constants.find(t.Context(), question{c.who, c.do}, d.timeout)
			if found.constant != nil || found.rest != nil {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// TestRulesOnTheCallerAloneStayConstant shows that site rules cost nothing
// where they do not look at the request.
func TestRulesOnTheCallerAloneStayConstant(t *testing.T) {
	cache := &deciders{t: t, pool: rulePool(t), made: map[string]*Decider{}}
	guest := policy.Principal{Kind: policy.APIKey, ID: "k1", BasicPath: "/", Permissions: policy.AllPermissions, Guest: true}
	for _, c := range []struct {
		rule  string
		who   policy.Principal
		do    policy.Action
		allow bool
	}{
		{"constant", guest, policy.PasteCreate, false},
		{"constant", admin, policy.PasteCreate, true},
		{"data", admin, policy.FileList, false},
		{"data", admin, policy.PasteList, true},
		{"limit fixed", policy.Nobody, policy.ShareView, true},
		{"example examples/times.rego", policy.Nobody, policy.ShareView, true},
		{"example examples/guests.rego", guest, policy.PasteList, true},
		{"example examples/quotas.rego", guest, policy.PasteList, true},
	} {
		t.Run(c.rule+" "+string(c.do), func(t *testing.T) {
			d := cache.of([]string{c.rule})
			found := d.current.Load().constants.find(t.Context(), question{c.who, c.do}, d.timeout)
			if found.constant == nil || found.constant.Allow != c.allow {
				t.Errorf("found %+v, want a constant with allow %t", found, c.allow)
			}
		})
	}
}
