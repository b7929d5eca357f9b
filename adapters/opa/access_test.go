package opa

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	regoast "github.com/open-policy-agent/opa/v1/ast"

	"pasteport/ports/policy"
)

// The table of §6, written down a second time and on purpose without looking at
// the rules: an action, who may take it, and what it is bound to.

type access struct {
	anybody bool
	keys    int64 // a key with any of these bits may, 0: no key may
	anyKey  bool  // a key may without any bit
	item    bool  // on an item that the key created
	paths   bool  // on paths inside the key's basic path
	walk    bool  // and on the way down to it
	bare    bool  // and on no path at all
}

const (
	textBit, fileBit                                            = 1, 2
	mountView, mountUpload, mountCopy, mountRename, mountDelete = 256, 512, 1024, 2048, 4096
	webdavRead, webdavManage                                    = 65536, 131072
	anyMount                                                    = mountView | mountUpload | mountCopy | mountRename | mountDelete
	everyBit                                                    = textBit | fileBit | anyMount | webdavRead | webdavManage
)

var accessTable = map[policy.Action]access{
	"paste.create":        {keys: textBit},
	"paste.list":          {keys: textBit},
	"paste.read_own":      {keys: textBit, item: true},
	"paste.update":        {keys: textBit, item: true},
	"paste.delete":        {keys: textBit, item: true},
	"paste.clear_expired": {},

	"file.list":     {keys: fileBit},
	"file.upload":   {keys: fileBit},
	"file.read_own": {keys: fileBit, item: true},
	"file.update":   {keys: fileBit, item: true},
	"file.delete":   {keys: fileBit, item: true},
	"url.fetch":     {keys: fileBit},
	"storage.list":  {keys: fileBit},

	"share.view":     {anybody: true},
	"share.list":     {anybody: true},
	"share.download": {anybody: true},
	"share.preview":  {anybody: true},
	"share.verify":   {anybody: true},
	"site.read":      {anybody: true},
	"session.open":   {anybody: true},
	"session.close":  {anybody: true},
	"mount.proxy":    {anybody: true},
	"url.proxy":      {anybody: true},

	"mounts.read":   {keys: anyMount},
	"mount.list":    {keys: mountView, paths: true, walk: true},
	"mount.read":    {keys: mountView, paths: true},
	"mount.search":  {keys: mountView, paths: true},
	"mount.share":   {keys: mountView, paths: true},
	"mount.archive": {keys: mountView, paths: true},
	"mount.upload":  {keys: mountUpload, paths: true},
	"mount.mkdir":   {keys: mountUpload, paths: true},
	"mount.edit":    {keys: mountUpload, paths: true},
	"mount.copy":    {keys: mountCopy, paths: true},
	"mount.move":    {keys: mountRename, paths: true},
	"mount.rename":  {keys: mountRename, paths: true},
	"mount.delete":  {keys: mountDelete, paths: true},
	"task.read":     {keys: fileBit | mountCopy | mountRename | mountDelete},
	"webdav.list":   {keys: webdavRead, paths: true, walk: true},
	"webdav.read":   {keys: webdavRead, paths: true},
	"webdav.write":  {keys: webdavManage, paths: true},

	"share.log": {keys: textBit | fileBit, item: true},

	"request.view":     {anybody: true},
	"request.upload":   {anybody: true},
	"request.create":   {keys: fileBit | mountUpload, paths: true, bare: true},
	"request.update":   {keys: fileBit | mountUpload, item: true, paths: true, bare: true},
	"request.list":     {keys: fileBit | mountUpload},
	"request.read_own": {keys: fileBit | mountUpload, item: true},
	"request.delete":   {keys: fileBit | mountUpload, item: true},

	"notification.read":  {keys: textBit | fileBit | mountView | mountUpload},
	"notification.write": {keys: textBit | fileBit | mountView | mountUpload},

	"key.self": {anyKey: true},

	"admin.keys.read":         {},
	"admin.keys.write":        {},
	"admin.mounts.read":       {},
	"admin.mounts.write":      {},
	"admin.storage.read":      {},
	"admin.storage.write":     {},
	"admin.storage.reconcile": {},
	"admin.settings.read":     {},
	"admin.settings.write":    {},
	"admin.account.write":     {},
	"admin.stats.read":        {},
	"admin.cache.write":       {},
	"admin.policy.read":       {},
	"admin.policy.write":      {},
	"admin.audit.read":        {},
	"admin.tasks.read":        {},
	"admin.shares.read":       {},
	"admin.shares.write":      {},
	"admin.sessions.write":    {},
	"admin.backup.write":      {},
	"admin.doctor.read":       {},
	"admin.events.read":       {},
	"admin.events.write":      {},
}

// Where the paths of a request lie, seen from a key at /team/a, and whether
// that is inside and on the way.
var pathCases = []struct {
	name        string
	paths       []string
	inside, way bool
}{
	{"no path", nil, false, false},
	{"the folder itself", []string{"/team/a"}, true, true},
	{"inside", []string{"/team/a/文件/x.txt"}, true, true},
	{"two inside", []string{"/team/a/x", "/team/a/y"}, true, true},
	{"one inside, one not", []string{"/team/a/x", "/team/b/x"}, false, false},
	{"the parent", []string{"/team"}, false, true},
	{"the root", []string{"/"}, false, true},
	{"a sibling with the same beginning", []string{"/team/ab"}, false, false},
	{"elsewhere", []string{"/other"}, false, false},
}

var ownerCases = []struct {
	name, owner string
	self        bool
}{
	{"nobody", "", false},
	{"self with prefix", "apikey:k1", true},
	{"self without prefix", "k1", true},
	{"another key", "apikey:k2", false},
	{"the admin", "a1", false},
}

func (a access) allows(kind policy.Kind, bits int64, self, inside, way, none bool) bool {
	switch {
	case a.anybody || kind == policy.Admin:
		return true
	case kind != policy.APIKey:
		return false
	case a.anyKey:
		return true
	}
	here := !a.paths || inside || a.walk && way || a.bare && none
	return bits&a.keys != 0 && here && (!a.item || self)
}

// TestAccessTable asks every action with every single bit, no bit and all bits,
// for every owner and every place, and each question twice: evaluated in full,
// and by what is known of the question ahead.
func TestAccessTable(t *testing.T) {
	d := newDecider(t, Options{})
	rules := d.current.Load()
	subjects := []policy.Principal{
		policy.Nobody,
		{Kind: policy.System, BasicPath: "/"},
		{Kind: policy.Admin, ID: "a1", Name: "admin", BasicPath: "/"},
		{Kind: policy.APIKey, ID: "k1", BasicPath: "/team/a"},
		{Kind: policy.APIKey, ID: "k1", BasicPath: "/team/a", Permissions: everyBit},
		{Kind: policy.APIKey, ID: "k1", BasicPath: "/team/a", Permissions: everyBit, Guest: true},
	}
	if testing.Short() { // the race detector learns nothing from single bits
		subjects = subjects[len(subjects)-2:]
	} else {
		for _, p := range policy.Names {
			subjects = append(subjects, policy.Principal{Kind: policy.APIKey, ID: "k1", BasicPath: "/team/a", Permissions: p.Bit})
		}
	}
	for action, row := range accessTable {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			for _, who := range subjects {
				q := question{who, action}
				known := rules.constants.find(t.Context(), q, d.timeout)
				for _, owner := range ownerCases {
					for _, place := range pathCases {
						want := row.allows(who.Kind, int64(who.Permissions), owner.self, place.inside, place.way, len(place.paths) == 0)
						on := policy.Resource{Owner: owner.owner, Paths: place.paths}
						got, err := d.evaluate(t.Context(), rules, q, on, conclusion{})
						if err != nil {
							t.Fatal(err)
						}
						ahead := got.Allow
						switch {
						case known.constant != nil:
							ahead = known.constant.Allow
						case known.rest != nil:
							byRest, err := d.evaluate(t.Context(), rules, q, on, known)
							if err != nil {
								t.Fatal(err)
							}
							ahead = byRest.Allow
						}
						if got.Allow != want || ahead != want {
							t.Errorf("%s with bits %d, owner %s, %s: allow is %t in full and %t ahead, want %t",
								who.Kind, who.Permissions, owner.name, place.name, got.Allow, ahead, want)
						}
						if (len(got.Reasons) == 0) != got.Allow {
							t.Errorf("%s with bits %d, owner %s, %s: reasons %v", who.Kind, who.Permissions, owner.name, place.name, got.Reasons)
						}
					}
				}
			}
		})
	}
}

func TestKeyAtTheRootReachesEveryPath(t *testing.T) {
	d := newDecider(t, Options{})
	who := policy.Principal{Kind: policy.APIKey, ID: "k1", BasicPath: "/", Permissions: everyBit}
	for action, row := range accessTable {
		if !row.paths || row.item {
			continue
		}
		for _, place := range pathCases {
			got, err := d.Decide(t.Context(), who, action, policy.Resource{Paths: place.paths})
			if err != nil {
				t.Fatal(err)
			}
			if want := len(place.paths) > 0 || row.bare; got.Allow != want {
				t.Errorf("%s on %s: allow is %t, want %t", action, place.name, got.Allow, want)
			}
		}
	}
}

func TestScopeIsAllForTheAdminAndOwnForOthers(t *testing.T) {
	d := newDecider(t, Options{})
	for _, c := range []struct {
		who  policy.Principal
		want policy.Scope
	}{
		{policy.Principal{Kind: policy.Admin, ID: "a1", BasicPath: "/"}, policy.All},
		{policy.Principal{Kind: policy.APIKey, ID: "k1", BasicPath: "/", Permissions: textBit}, policy.Own},
	} {
		for range 2 { // evaluated, then constant
			got, err := d.Decide(t.Context(), c.who, policy.PasteList, policy.Resource{})
			if err != nil || got.Scope != c.want {
				t.Errorf("%s: scope %q (error %v), want %q", c.who.Kind, got.Scope, err, c.want)
			}
			waitForConclusion(t, d, question{c.who, policy.PasteList})
		}
	}
}

// portActions reads the constants of type Action from the port's source.
func portActions(t testing.TB) []policy.Action {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../ports/policy/action.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var actions []policy.Action
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Action" {
			name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			actions = append(actions, policy.Action(name))
		}
		return true
	})
	slices.Sort(actions)
	return actions
}

// regoActions reads the actions that the shipped rules know.
func regoActions(t *testing.T) []policy.Action {
	t.Helper()
	var actions []policy.Action
	for _, list := range []string{"needs", "public", "admin_only", "any_key"} {
		switch value := shippedValue(t, "data.pasteport.permissions."+list).(type) {
		case regoast.Object:
			value.Foreach(func(name, _ *regoast.Term) { actions = append(actions, policy.Action(name.Value.(regoast.String))) })
		case regoast.Set:
			value.Foreach(func(name *regoast.Term) { actions = append(actions, policy.Action(name.Value.(regoast.String))) })
		default:
			t.Fatalf("%s is a %T", list, value)
		}
	}
	slices.Sort(actions)
	return actions
}

func TestPortRulesAndTableKnowTheSameActions(t *testing.T) {
	port, rules := portActions(t), regoActions(t)
	if len(port) < 50 {
		t.Fatalf("only %d actions were read", len(port))
	}
	var table []policy.Action
	for action := range accessTable {
		table = append(table, action)
	}
	slices.Sort(table)
	for name, list := range map[string][]policy.Action{"the rules": rules, "the table": table} {
		for _, action := range port {
			if !slices.Contains(list, action) {
				t.Errorf("%s do not know %s of the port", name, action)
			}
		}
		for _, action := range list {
			if !slices.Contains(port, action) {
				t.Errorf("%s know %s, the port does not", name, action)
			}
		}
	}
}

func TestPermissionBitsAgree(t *testing.T) {
	rego := map[string]string{}
	shippedValue(t, "data.pasteport.permissions.bit").(regoast.Object).Foreach(func(name, bit *regoast.Term) {
		rego[string(name.Value.(regoast.String))] = bit.String()
	})
	if len(rego) != len(policy.Names) {
		t.Errorf("the rules have %d permissions, the port %d", len(rego), len(policy.Names))
	}
	for _, p := range policy.Names {
		if want := fmt.Sprint(int64(p.Bit)); rego[p.Name] != want {
			t.Errorf("%s is %s in the rules, %s in the port", p.Name, rego[p.Name], want)
		}
	}
}

// TestBrowserHasTheSamePermissionBits compares the bits of the web interface,
// where each stands as NAME: bit.
func TestBrowserHasTheSamePermissionBits(t *testing.T) {
	file, err := fs.ReadFile(os.DirFS("../../webui/src/auth"), "permissions.ts")
	if err != nil {
		t.Fatal(err)
	}
	got := browserBits(string(file))
	for _, p := range policy.Names {
		name := strings.ToUpper(p.Name)
		if got[name] != int64(p.Bit) {
			t.Errorf("%s is %d in the browser, want %d", name, got[name], p.Bit)
		}
		delete(got, name)
	}
	for name, bit := range got {
		t.Errorf("the browser knows %s (%d), the port does not", name, bit)
	}
}
