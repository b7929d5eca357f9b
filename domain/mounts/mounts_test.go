package mounts_test

import (
	"strings"
	"testing"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/mountstest"
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
		"an empty name":        {set(func(d *mounts.Draft) { d.Name = mountstest.Ptr(" ") }), "name"},
		"50 characters":        {set(func(d *mounts.Draft) { d.Name = mountstest.Ptr(strings.Repeat("名", 50)) }), ""},
		"51 characters":        {set(func(d *mounts.Draft) { d.Name = mountstest.Ptr(strings.Repeat("名", 51)) }), "name"},
		"a name with a tab":    {set(func(d *mounts.Draft) { d.Name = mountstest.Ptr("a\tb") }), "name"},
		"no storage type":      {set(func(d *mounts.Draft) { d.StorageType = nil }), "storage_type"},
		"another storage type": {set(func(d *mounts.Draft) { d.StorageType = mountstest.Ptr("FTP") }), "storage_type"},
		"no config":            {set(func(d *mounts.Draft) { d.StorageConfigID = nil }), "storage_config_id"},
		"an empty config":      {set(func(d *mounts.Draft) { d.StorageConfigID = mountstest.Ptr("") }), "storage_config_id"},
		"an unknown config":    {set(func(d *mounts.Draft) { d.StorageConfigID = mountstest.Ptr("none") }), "storage_config_id"},
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
		"TTL 0":                {set(func(d *mounts.Draft) { d.CacheTTL = mountstest.Ptr(int64(0)) }), ""},
		"TTL of a day":         {set(func(d *mounts.Draft) { d.CacheTTL = mountstest.Ptr(int64(86400)) }), ""},
		"a longer TTL":         {set(func(d *mounts.Draft) { d.CacheTTL = mountstest.Ptr(int64(86401)) }), "cache_ttl"},
		"a negative TTL":       {set(func(d *mounts.Draft) { d.CacheTTL = mountstest.Ptr(int64(-1)) }), "cache_ttl"},
		"a negative order":     {set(func(d *mounts.Draft) { d.SortOrder = mountstest.Ptr(int64(-5)) }), ""},
		"signatures for ever":  {set(func(d *mounts.Draft) { d.SignExpires = mountstest.Ptr(int64(0)) }), ""},
		"a negative signature": {set(func(d *mounts.Draft) { d.SignExpires = mountstest.Ptr(int64(-1)) }), "sign_expires"},
		"native WebDAV":        {set(func(d *mounts.Draft) { d.WebDAVPolicy = mountstest.Ptr(mounts.Native) }), ""},
		"another WebDAV":       {set(func(d *mounts.Draft) { d.WebDAVPolicy = mountstest.Ptr("use_proxy_url") }), "webdav_policy"},
		"a long remark":        {set(func(d *mounts.Draft) { d.Remark = mountstest.Ptr(strings.Repeat("r", 1001)) }), "remark"},
	} {
		t.Run(name, func(t *testing.T) {
			w := mountstest.NewFixture(t)
			good := func() mounts.Draft {
				return mounts.Draft{Name: mountstest.Ptr("n"), StorageType: mountstest.Ptr("S3"), StorageConfigID: mountstest.Ptr("open"), Path: mountstest.Ptr("/good")}
			}
			d := good()
			c.change(&d)
			_, err := w.Admin.Create(t.Context(), mountstest.Admin.Who, d)
			wantField(t, err, c.field)
			// An update is checked the same way; what is absent stays.
			w = mountstest.NewFixture(t)
			m := w.Mount("/first")
			err = errorOf(w.Admin.Update(t.Context(), mountstest.Admin.Who, m.ID, d))
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
	w := mountstest.NewFixture(t)
	m := w.Mount("/m", mountstest.Private)
	got, err := w.Admin.Get(t.Context(), mountstest.Admin.Who, m.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := mounts.Mount{ID: m.ID, Name: "mount m", StorageType: "LOCAL", StorageConfigID: "shut", Path: "/m", Active: true, CreatedBy: "admin",
		CacheTTL: 300, WebDAVPolicy: mounts.Redirect, CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now()}
	if *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestContract9_1_APathBelongsToOneMount(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/a")
	b := w.Mount("/b")
	_, err := w.Admin.Create(t.Context(), mountstest.Admin.Who, mounts.Draft{Name: mountstest.Ptr("n"), StorageType: mountstest.Ptr("S3"), StorageConfigID: mountstest.Ptr("open"), Path: mountstest.Ptr("/a")})
	mountstest.WantCode(t, err, ports.Conflict)
	mountstest.WantCode(t, errorOf(w.Admin.Update(t.Context(), mountstest.Admin.Who, b.ID, mounts.Draft{Path: mountstest.Ptr("/a")})), ports.Conflict)
	if _, err := w.Admin.Update(t.Context(), mountstest.Admin.Who, b.ID, mounts.Draft{Path: mountstest.Ptr("/b")}); err != nil {
		t.Errorf("a mount may keep its path: %v", err)
	}
}

func TestContract9_2_MountsAreTheAdministrators(t *testing.T) {
	w := mountstest.NewFixture(t)
	m := w.Mount("/m")
	for _, c := range []struct {
		do  policy.Action
		run func() error
	}{
		{policy.MountsAdmin, func() error { _, err := w.Admin.List(t.Context(), mountstest.Admin.Who); return err }},
		{policy.MountsAdmin, func() error { _, err := w.Admin.Get(t.Context(), mountstest.Admin.Who, m.ID); return err }},
		{policy.MountsWrite, func() error {
			return errorOf(w.Admin.Update(t.Context(), mountstest.Admin.Who, m.ID, mounts.Draft{Remark: mountstest.Ptr("r")}))
		}},
		{policy.MountsWrite, func() error {
			_, err := w.Admin.Create(t.Context(), mountstest.Admin.Who, mounts.Draft{Name: mountstest.Ptr("n"), StorageType: mountstest.Ptr("S3"), StorageConfigID: mountstest.Ptr("open"), Path: mountstest.Ptr("/n")})
			return err
		}},
		{policy.MountsRead, func() error { _, err := w.Admin.ListUsable(t.Context(), mountstest.Admin.Who); return err }},
		{policy.MountsRead, func() error { _, err := w.Admin.GetUsable(t.Context(), mountstest.Admin.Who, m.ID); return err }},
		{policy.MountsRead, func() error { _, err := w.ClearOwnCache(t.Context(), mountstest.Admin.Who, "", ""); return err }},
		{policy.MountsWrite, func() error { return errorOf(w.Admin.Delete(t.Context(), mountstest.Admin.Who, m.ID)) }},
	} {
		w.Walker.Asked, w.Walker.Deny = nil, true
		mountstest.WantCode(t, c.run(), ports.Forbidden)
		w.Walker.Deny = false
		if err := c.run(); err != nil {
			t.Errorf("%s: %v", c.do, err)
		}
		if len(w.Walker.Asked) != 2 || w.Walker.Asked[0] != c.do || w.Walker.Asked[1] != c.do {
			t.Errorf("asked %q, want %s once each time", w.Walker.Asked, c.do)
		}
	}
	mountstest.WantError(t, errorOf(w.Admin.Delete(t.Context(), mountstest.Admin.Who, m.ID)), mounts.ErrNoMount)
	mountstest.WantError(t, errorOf(w.Admin.Update(t.Context(), mountstest.Admin.Who, m.ID, mounts.Draft{})), mounts.ErrNoMount)
	_, err := w.Admin.Get(t.Context(), mountstest.Admin.Who, m.ID)
	mountstest.WantError(t, err, mounts.ErrNoMount)
}

func TestContract9_2_TheListIsSortedAndHoldsInactiveMounts(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/c", func(d *mounts.Draft) { d.SortOrder, d.Active = mountstest.Ptr(int64(-1)), mountstest.Ptr(false) })
	w.Mount("/b")
	w.Mount("/a")
	all, err := w.Admin.List(t.Context(), mountstest.Admin.Who)
	if err != nil || len(all) != 3 || all[0].Path != "/c" || all[1].Path != "/a" || all[2].Path != "/b" {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestContract9_2_WhichMountsAKeyIsShown(t *testing.T) {
	w := mountstest.NewFixture(t)
	ids := map[string]string{}
	for _, path := range []string{"/team", "/team/a", "/team/ab", "/other", "/team/a/deep"} {
		ids[w.Mount(path).ID] = path
	}
	ids[w.Mount("/team/a/shut", mountstest.Private).ID] = "/team/a/shut"
	ids[w.Mount("/team/a/off", func(d *mounts.Draft) { d.Active = mountstest.Ptr(false) }).ID] = "/team/a/off"
	for _, c := range []struct {
		who  mounts.Caller
		want string
	}{
		{mountstest.Key("/"), "/other /team /team/a /team/a/deep /team/ab"},
		{mountstest.Key("/team/a"), "/team /team/a /team/a/deep"},
		{mountstest.Key("/team/a/deep/er"), "/team /team/a /team/a/deep"},
		{mountstest.Key("/team/ab"), "/team /team/ab"},
		{mountstest.Key("/none"), ""},
		{mountstest.Admin, "/other /team /team/a /team/a/deep /team/a/shut /team/ab"},
	} {
		all, err := w.Admin.ListUsable(t.Context(), c.who.Who)
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
			_, err := w.Admin.GetUsable(t.Context(), c.who.Who, id)
			switch {
			case path == "/team/a/off":
				mountstest.WantError(t, err, mounts.ErrNoMount)
			case strings.Contains(" "+c.want+" ", " "+path+" "):
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
			default:
				mountstest.WantError(t, err, mounts.ErrForeign)
			}
		}
	}
	_, err := w.Admin.GetUsable(t.Context(), mountstest.Admin.Who, "unknown")
	mountstest.WantError(t, err, mounts.ErrNoMount)
}

func TestContract6_1_AChangedMountIsSeenAtOnceOnAllNodes(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Tree.Watch(t.Context(), w.Events)
	m := w.Mount("/m")
	w.Put("a")
	w.Want(mountstest.Admin, "/m", "a")
	if _, err := w.Admin.Update(t.Context(), mountstest.Admin.Who, m.ID, mounts.Draft{Path: mountstest.Ptr("/moved"), SignExpires: mountstest.Ptr(int64(5))}); err != nil {
		t.Fatal(err)
	}
	w.Want(mountstest.Admin, "/m", "!not_found")
	w.Want(mountstest.Admin, "/moved", "a")
	if _, err := w.Admin.Update(t.Context(), mountstest.Admin.Who, m.ID, mounts.Draft{StorageConfigID: mountstest.Ptr("shut"), SignDefault: true}); err != nil {
		t.Fatal(err)
	}
	w.Want(mountstest.Admin, "/moved", "")
	if got, err := w.Admin.Get(t.Context(), mountstest.Admin.Who, m.ID); err != nil || got.StorageType != "LOCAL" || got.SignExpires != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	// Another node removes it.
	if _, err := w.Memory.Mounts().Delete(t.Context(), m.ID); err != nil {
		t.Fatal(err)
	}
	w.Want(mountstest.Admin, "/moved", "")
	w.Events.Arrive(mounts.MountsChanged, m.ID)
	w.Want(mountstest.Admin, "/moved", "!not_found")
	again := w.Mount("/m")
	if _, err := w.Admin.Delete(t.Context(), mountstest.Admin.Who, again.ID); err != nil {
		t.Fatal(err)
	}
	w.Want(mountstest.Admin, "/m", "!not_found")
	if string(w.Open.Bytes("a")) != "a" {
		t.Error("the objects are gone with the mount")
	}
	if got := w.Events.Published(); len(got) != 5 || got[4] != "mounts/"+again.ID {
		t.Errorf("published %q", got)
	}
}

func TestAConfigTellsHowManyMountsUseIt(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/a")
	w.Mount("/b", func(d *mounts.Draft) { d.Active = mountstest.Ptr(false) })
	w.Mount("/c", mountstest.Private)
	for id, want := range map[string]int64{"open": 2, "shut": 1, "none": 0} {
		if n, err := w.Admin.CountByConfig(t.Context(), id); err != nil || n != want {
			t.Errorf("%s: got %d, %v; want %d", id, n, err, want)
		}
	}
}

func TestContract10_5_ClearingListings(t *testing.T) {
	w := mountstest.NewFixture(t)
	open := w.Mount("/open")
	shut := w.Mount("/shut", mountstest.Private)
	w.Put("a/x")
	fill := func() {
		w.Want(mountstest.Admin, "/open", "a/")
		w.Want(mountstest.Admin, "/open/a", "x")
		w.Want(mountstest.Admin, "/shut", "")
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
	limited := mountstest.Key("/open/a").Who
	clear(0)(w.ClearOwnCache(t.Context(), limited, shut.ID, ""))
	clear(0)(w.ClearOwnCache(t.Context(), mountstest.Key("/else").Who, "", ""))
	clear(2)(w.ClearOwnCache(t.Context(), limited, "", ""))
	fill()
	clear(3)(w.ClearOwnCache(t.Context(), mountstest.Admin.Who, "", ""))
}

func TestLastUsesAreWrittenWhenAsked(t *testing.T) {
	w := mountstest.NewFixture(t)
	m := w.Mount("/m")
	idle := w.Mount("/idle")
	w.Put("a")
	w.Want(mountstest.Admin, "/m", "a")
	if err := w.FlushUsage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := w.Admin.Get(t.Context(), mountstest.Admin.Who, m.ID); got.LastUsed == nil || !got.LastUsed.Equal(w.Clock.Now()) {
		t.Errorf("got %v", got.LastUsed)
	}
	if got, _ := w.Admin.Get(t.Context(), mountstest.Admin.Who, idle.ID); got.LastUsed != nil {
		t.Errorf("got %v", got.LastUsed)
	}
}

func TestTheFirstStartMakesAMountOfTheLocalDisk(t *testing.T) {
	w := mountstest.NewFixture(t)
	if err := w.Admin.EnsureLocal(t.Context(), "admin", "shut", "LOCAL"); err != nil {
		t.Fatal(err)
	}
	w.Want(mountstest.Admin, "/", "(local:1)/")
}
