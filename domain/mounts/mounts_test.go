package mounts_test

import (
	"strings"
	"testing"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/policy"
)

func TestContract9_1_ValidationOfMounts(t *testing.T) {
	set := func(change func(*mounts.Draft)) func(*mounts.Draft) { return change }
	path := func(p string) func(*mounts.Draft) { return func(d *mounts.Draft) { d.Path = &p } }
	for name, c := range map[string]struct {
		change func(*mounts.Draft)
		field  string // of the refusal; empty when the mount is good
	}{
		"a good one":           {set(func(*mounts.Draft) {}), ""},
		"no name":              {set(func(d *mounts.Draft) { d.Name = nil }), "name"},
		"an empty name":        {set(func(d *mounts.Draft) { d.Name = ptr(" ") }), "name"},
		"50 characters":        {set(func(d *mounts.Draft) { d.Name = ptr(strings.Repeat("名", 50)) }), ""},
		"51 characters":        {set(func(d *mounts.Draft) { d.Name = ptr(strings.Repeat("名", 51)) }), "name"},
		"a name with a tab":    {set(func(d *mounts.Draft) { d.Name = ptr("a\tb") }), "name"},
		"no storage type":      {set(func(d *mounts.Draft) { d.StorageType = nil }), "storage_type"},
		"another storage type": {set(func(d *mounts.Draft) { d.StorageType = ptr("FTP") }), "storage_type"},
		"no config":            {set(func(d *mounts.Draft) { d.StorageConfigID = nil }), "storage_config_id"},
		"an empty config":      {set(func(d *mounts.Draft) { d.StorageConfigID = ptr("") }), "storage_config_id"},
		"an unknown config":    {set(func(d *mounts.Draft) { d.StorageConfigID = ptr("none") }), "storage_config_id"},
		"no path":              {set(func(d *mounts.Draft) { d.Path = nil }), "mount_path"},
		"an empty path":        {path(""), "mount_path"},
		"a relative path":      {path("a"), "mount_path"},
		"a slash at the end":   {path("/a/"), "mount_path"},
		"two slashes":          {path("/a//b"), "mount_path"},
		"a dot":                {path("/a/./b"), "mount_path"},
		"dots":                 {path("/../x"), "mount_path"},
		"dots at the end":      {path("/x/.."), "mount_path"},
		"a question mark":      {path("/a?b"), "mount_path"},
		"an angle":             {path("/a<b"), "mount_path"},
		"a colon":              {path("/a:b"), "mount_path"},
		"a quote":              {path(`/a"b`), "mount_path"},
		"a star":               {path("/a*b"), "mount_path"},
		"a bar":                {path("/a|b"), "mount_path"},
		"a space":              {path("/a b"), "mount_path"},
		"a full stop":          {path("/a.b"), "mount_path"},
		"a backslash":          {path(`/a\b`), "mount_path"},
		"a control character":  {path("/a\x01b"), "mount_path"},
		"a C1 character":       {path("/a\u0085b"), "mount_path"},
		"a long segment":       {path("/" + strings.Repeat("a", 256)), "mount_path"},
		"letters and more":     {path("/Team_1/sub-2"), ""},
		"Chinese":              {path("/团队/资料"), ""},
		"the root":             {path("/"), ""},
		"reserved":             {path("/bin"), "mount_path"},
		"below a reserved one": {path("/etc/x"), "mount_path"},
		"beside reserved ones": {path("/binary"), ""},
		"devices":              {path("/dev"), "mount_path"},
		"TTL 0":                {set(func(d *mounts.Draft) { d.CacheTTL = ptr(int64(0)) }), ""},
		"TTL of a day":         {set(func(d *mounts.Draft) { d.CacheTTL = ptr(int64(86400)) }), ""},
		"a longer TTL":         {set(func(d *mounts.Draft) { d.CacheTTL = ptr(int64(86401)) }), "cache_ttl"},
		"a negative TTL":       {set(func(d *mounts.Draft) { d.CacheTTL = ptr(int64(-1)) }), "cache_ttl"},
		"a negative order":     {set(func(d *mounts.Draft) { d.SortOrder = ptr(int64(-5)) }), ""},
		"signatures for ever":  {set(func(d *mounts.Draft) { d.SignExpires = ptr(int64(0)) }), ""},
		"a negative signature": {set(func(d *mounts.Draft) { d.SignExpires = ptr(int64(-1)) }), "sign_expires"},
		"native WebDAV":        {set(func(d *mounts.Draft) { d.WebDAVPolicy = ptr(mounts.Native) }), ""},
		"another WebDAV":       {set(func(d *mounts.Draft) { d.WebDAVPolicy = ptr("use_proxy_url") }), "webdav_policy"},
		"a long remark":        {set(func(d *mounts.Draft) { d.Remark = ptr(strings.Repeat("r", 1001)) }), "remark"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWood(t)
			good := func() mounts.Draft {
				return mounts.Draft{Name: ptr("n"), StorageType: ptr("S3"), StorageConfigID: ptr("open"), Path: ptr("/good")}
			}
			d := good()
			c.change(&d)
			_, err := w.use.Create(t.Context(), boss.Who, d)
			wantField(t, err, c.field)
			// An update is checked the same way; what is absent stays.
			w = newWood(t)
			m := w.mount("/first")
			err = errorOf(w.use.Update(t.Context(), boss.Who, m.ID, d))
			if strings.HasPrefix(name, "no ") {
				wantField(t, err, "")
			} else {
				wantField(t, err, c.field)
			}
		})
	}
}

func wantField(t *testing.T, err error, field string) {
	t.Helper()
	if field == "" {
		if err != nil {
			t.Errorf("got %v", err)
		}
		return
	}
	e, ok := err.(*ports.Error)
	if !ok || e.Code != ports.Invalid || e.Params["field"] != field {
		t.Errorf("got %v, want a refusal of %s", err, field)
	}
}

func TestContract3_5_DefaultsOfANewMount(t *testing.T) {
	w := newWood(t)
	m := w.mount("/m", private)
	got, err := w.use.Get(t.Context(), boss.Who, m.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := mounts.Mount{ID: m.ID, Name: "mount m", StorageType: "LOCAL", StorageConfigID: "shut", Path: "/m", Active: true, CreatedBy: "admin",
		CacheTTL: 300, WebDAVPolicy: mounts.Redirect, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now()}
	if *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestContract9_1_APathBelongsToOneMount(t *testing.T) {
	w := newWood(t)
	w.mount("/a")
	b := w.mount("/b")
	_, err := w.use.Create(t.Context(), boss.Who, mounts.Draft{Name: ptr("n"), StorageType: ptr("S3"), StorageConfigID: ptr("open"), Path: ptr("/a")})
	wantCode(t, err, ports.Conflict)
	wantCode(t, errorOf(w.use.Update(t.Context(), boss.Who, b.ID, mounts.Draft{Path: ptr("/a")})), ports.Conflict)
	if _, err := w.use.Update(t.Context(), boss.Who, b.ID, mounts.Draft{Path: ptr("/b")}); err != nil {
		t.Errorf("a mount may keep its path: %v", err)
	}
}

func TestContract9_2_MountsAreTheAdministrators(t *testing.T) {
	w := newWood(t)
	m := w.mount("/m")
	for _, c := range []struct {
		do  policy.Action
		run func() error
	}{
		{policy.MountsAdmin, func() error { _, err := w.use.List(t.Context(), boss.Who); return err }},
		{policy.MountsAdmin, func() error { _, err := w.use.Get(t.Context(), boss.Who, m.ID); return err }},
		{policy.MountsWrite, func() error {
			return errorOf(w.use.Update(t.Context(), boss.Who, m.ID, mounts.Draft{Remark: ptr("r")}))
		}},
		{policy.MountsWrite, func() error {
			_, err := w.use.Create(t.Context(), boss.Who, mounts.Draft{Name: ptr("n"), StorageType: ptr("S3"), StorageConfigID: ptr("open"), Path: ptr("/n")})
			return err
		}},
		{policy.MountsRead, func() error { _, err := w.use.ListUsable(t.Context(), boss.Who); return err }},
		{policy.MountsRead, func() error { _, err := w.use.GetUsable(t.Context(), boss.Who, m.ID); return err }},
		{policy.MountsRead, func() error { _, err := w.ClearOwnCache(t.Context(), boss.Who, "", ""); return err }},
		{policy.MountsWrite, func() error { return errorOf(w.use.Delete(t.Context(), boss.Who, m.ID)) }},
	} {
		w.walker.asked, w.walker.deny = nil, true
		wantCode(t, c.run(), ports.Forbidden)
		w.walker.deny = false
		if err := c.run(); err != nil {
			t.Errorf("%s: %v", c.do, err)
		}
		if len(w.walker.asked) != 2 || w.walker.asked[0] != c.do || w.walker.asked[1] != c.do {
			t.Errorf("asked %q, want %s once each time", w.walker.asked, c.do)
		}
	}
	wantError(t, errorOf(w.use.Delete(t.Context(), boss.Who, m.ID)), mounts.ErrNoMount)
	wantError(t, errorOf(w.use.Update(t.Context(), boss.Who, m.ID, mounts.Draft{})), mounts.ErrNoMount)
	_, err := w.use.Get(t.Context(), boss.Who, m.ID)
	wantError(t, err, mounts.ErrNoMount)
}

func TestContract9_2_TheListIsSortedAndHoldsInactiveMounts(t *testing.T) {
	w := newWood(t)
	w.mount("/c", func(d *mounts.Draft) { d.SortOrder, d.Active = ptr(int64(-1)), ptr(false) })
	w.mount("/b")
	w.mount("/a")
	all, err := w.use.List(t.Context(), boss.Who)
	if err != nil || len(all) != 3 || all[0].Path != "/c" || all[1].Path != "/a" || all[2].Path != "/b" {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestContract9_2_WhichMountsAKeyIsShown(t *testing.T) {
	w := newWood(t)
	ids := map[string]string{}
	for _, path := range []string{"/team", "/team/a", "/team/ab", "/other", "/team/a/deep"} {
		ids[w.mount(path).ID] = path
	}
	ids[w.mount("/team/a/shut", private).ID] = "/team/a/shut"
	ids[w.mount("/team/a/off", func(d *mounts.Draft) { d.Active = ptr(false) }).ID] = "/team/a/off"
	for _, c := range []struct {
		who  mounts.Caller
		want string
	}{
		{key("/"), "/other /team /team/a /team/a/deep /team/ab"},
		{key("/team/a"), "/team /team/a /team/a/deep"},
		{key("/team/a/deep/er"), "/team /team/a /team/a/deep"},
		{key("/team/ab"), "/team /team/ab"},
		{key("/none"), ""},
		{boss, "/other /team /team/a /team/a/deep /team/a/shut /team/ab"},
	} {
		all, err := w.use.ListUsable(t.Context(), c.who.Who)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range all {
			got = append(got, m.Path)
			if m.Public == (m.StorageConfigID == "shut") {
				t.Errorf("%s: public is %t", m.Path, m.Public)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s sees %q, want %q", c.who.Who.BasicPath, got, c.want)
		}
		for id, path := range ids {
			_, err := w.use.GetUsable(t.Context(), c.who.Who, id)
			switch {
			case path == "/team/a/off":
				wantError(t, err, mounts.ErrNoMount)
			case strings.Contains(" "+c.want+" ", " "+path+" "):
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
			default:
				wantError(t, err, mounts.ErrForeign)
			}
		}
	}
	_, err := w.use.GetUsable(t.Context(), boss.Who, "unknown")
	wantError(t, err, mounts.ErrNoMount)
}

func TestContract6_1_AChangedMountIsSeenAtOnceOnAllNodes(t *testing.T) {
	w := newWood(t)
	w.Tree.Watch(t.Context(), w.events)
	m := w.mount("/m")
	w.put("a")
	w.want(boss, "/m", "a")
	if _, err := w.use.Update(t.Context(), boss.Who, m.ID, mounts.Draft{Path: ptr("/moved"), SignExpires: ptr(int64(5))}); err != nil {
		t.Fatal(err)
	}
	w.want(boss, "/m", "!not_found")
	w.want(boss, "/moved", "a")
	if _, err := w.use.Update(t.Context(), boss.Who, m.ID, mounts.Draft{StorageConfigID: ptr("shut"), SignDefault: true}); err != nil {
		t.Fatal(err)
	}
	w.want(boss, "/moved", "")
	if got, err := w.use.Get(t.Context(), boss.Who, m.ID); err != nil || got.StorageType != "LOCAL" || got.SignExpires != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	// Another node removes it.
	if _, err := w.memory.Mounts().Delete(t.Context(), m.ID); err != nil {
		t.Fatal(err)
	}
	w.want(boss, "/moved", "")
	w.events.Arrive(mounts.MountsChanged, m.ID)
	w.want(boss, "/moved", "!not_found")
	again := w.mount("/m")
	if _, err := w.use.Delete(t.Context(), boss.Who, again.ID); err != nil {
		t.Fatal(err)
	}
	w.want(boss, "/m", "!not_found")
	if string(w.open.Bytes("a")) != "a" {
		t.Error("the objects are gone with the mount")
	}
	if got := w.events.Published(); len(got) != 5 || got[4] != "mounts/"+again.ID {
		t.Errorf("published %q", got)
	}
}

func TestAConfigTellsHowManyMountsUseIt(t *testing.T) {
	w := newWood(t)
	w.mount("/a")
	w.mount("/b", func(d *mounts.Draft) { d.Active = ptr(false) })
	w.mount("/c", private)
	for id, want := range map[string]int64{"open": 2, "shut": 1, "none": 0} {
		if n, err := w.use.CountByConfig(t.Context(), id); err != nil || n != want {
			t.Errorf("%s: got %d, %v; want %d", id, n, err, want)
		}
	}
}

func TestContract10_5_ClearingListings(t *testing.T) {
	w := newWood(t)
	open := w.mount("/open")
	shut := w.mount("/shut", private)
	w.put("a/x")
	fill := func() {
		w.want(boss, "/open", "a/")
		w.want(boss, "/open/a", "x")
		w.want(boss, "/shut", "")
	}
	clear := func(want int) func(int, error) {
		return func(got int, err error) {
			t.Helper()
			if err != nil || got != want {
				t.Errorf("got %d, %v; want %d", got, err, want)
			}
		}
	}
	fill()
	clear(0)(w.ClearCache(t.Context(), "unknown", ""))
	clear(0)(w.ClearCache(t.Context(), "", "unknown"))
	clear(2)(w.ClearCache(t.Context(), open.ID, ""))
	clear(1)(w.ClearCache(t.Context(), "", "shut"))
	fill()
	clear(3)(w.ClearCache(t.Context(), "", ""))
	fill()
	limited := key("/open/a").Who
	clear(0)(w.ClearOwnCache(t.Context(), limited, shut.ID, ""))
	clear(0)(w.ClearOwnCache(t.Context(), key("/else").Who, "", ""))
	clear(2)(w.ClearOwnCache(t.Context(), limited, "", ""))
	fill()
	clear(3)(w.ClearOwnCache(t.Context(), boss.Who, "", ""))
}

func TestLastUsesAreWrittenWhenAsked(t *testing.T) {
	w := newWood(t)
	m := w.mount("/m")
	idle := w.mount("/idle")
	w.put("a")
	w.want(boss, "/m", "a")
	if err := w.FlushUsage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := w.use.Get(t.Context(), boss.Who, m.ID); got.LastUsed == nil || !got.LastUsed.Equal(w.clock.Now()) {
		t.Errorf("got %v", got.LastUsed)
	}
	if got, _ := w.use.Get(t.Context(), boss.Who, idle.ID); got.LastUsed != nil {
		t.Errorf("got %v", got.LastUsed)
	}
}

func TestTheFirstStartMakesAMountOfTheLocalDisk(t *testing.T) {
	w := newWood(t)
	if err := w.use.EnsureLocal(t.Context(), "admin", "shut", "LOCAL"); err != nil {
		t.Fatal(err)
	}
	w.want(boss, "/", "(local:1)/")
}
