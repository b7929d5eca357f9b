package settings_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/settings"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// decider opens site.read to everybody and the rest to administrators.
type decider struct{ asked []policy.Action }

func (d *decider) Decide(_ context.Context, who policy.Principal, do policy.Action, _ policy.Resource) (policy.Decision, error) {
	d.asked = append(d.asked, do)
	return policy.Decision{Allow: do == policy.SiteRead || who.Kind == policy.Admin}, nil
}

var (
	admin = policy.Principal{Kind: policy.Admin, ID: "a"}
	key   = policy.Principal{Kind: policy.APIKey, ID: "k", Permissions: policy.AllPermissions}
)

type world struct {
	*settings.Settings
	memory       *domaintest.Memory
	clock        *portstest.Clock
	decider      *decider
	invalidation *portstest.Invalidation
}

func newWorld(t *testing.T) *world {
	t.Helper()
	clock := portstest.NewClock()
	w := &world{memory: domaintest.NewMemory(clock), clock: clock, decider: &decider{}, invalidation: &portstest.Invalidation{}}
	w.Settings = w.server()
	if err := w.Seed(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	return w
}

// server makes another server over the same database.
func (w *world) server() *settings.Settings {
	return settings.New(settings.Deps{Repository: w.memory.Settings(), Decider: w.decider, Invalidation: w.invalidation, Clock: w.clock})
}

func (w *world) set(t *testing.T, group int, values map[string]any) settings.Update {
	t.Helper()
	done, err := w.Update(t.Context(), admin, settings.Change{Group: group, Values: values})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func TestContract4_2_EveryKeyIsSeededWithItsDefault(t *testing.T) {
	w := newWorld(t)
	all, err := w.All(t.Context(), admin, true)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for group, rows := range all {
		for _, r := range rows {
			got[r.Key] = r.Value
			if r.Group != group || r.CreatedAt.IsZero() {
				t.Errorf("row %+v in group %d", r, group)
			}
		}
	}
	for key, want := range map[string]string{
		"max_upload_size": "100", "proxy_sign_all": "true", "proxy_sign_expires": "0", "proxy_sign_epoch": "0", "file_naming_strategy": "random_suffix", "default_use_proxy": "false",
		"preview_audio_types": "mp3,flac,ogg,m4a,wav,opus,wma", "preview_video_types": "mp4,mkv,avi,mov,rmvb,webm,flv,m3u8,ts,m2ts",
		"preview_image_types": "jpg,tiff,jpeg,png,gif,bmp,svg,ico,swf,webp,avif", "preview_office_types": "doc,docx,xls,xlsx,ppt,pptx,rtf",
		"preview_document_types": "pdf", "preview_office_viewers": "microsoft,google", "preview_office_viewer_url": "", "preview_privacy_mode": "false",
		"share_default_expiry_hours": "0", "share_max_expiry_hours": "0", "share_max_views": "0", "share_password_required": "false", "webdav_upload_mode": "direct", "site_title": "Pasteport", "site_favicon_url": "",
		"site_announcement_enabled": "false", "site_announcement_content": "", "site_custom_head": "", "site_custom_body": "", "site_editor_mode": "markdown", "site_default_language": "en", "site_logo": "", "site_accent": "",
		"share_expired_grace_days": "7", "cors_allowed_origins": "", "basic_over_public_http": "false", "schema_version": "7", "db_initialized": "true",
	} {
		if value, ok := got[key]; !ok || value != want {
			t.Errorf("%s is %q (%t), want %q", key, value, ok, want)
		}
	}
	if !strings.Contains(got["preview_text_types"], "dockerfile,makefile,gitignore,license,readme") || got["site_footer_markdown"] == "" {
		t.Errorf("text types %q, footer %q", got["preview_text_types"], got["site_footer_markdown"])
	}
}

func TestASiteThatWasSetUpBeforeKeepsTheOlderNaming(t *testing.T) {
	for name, stored := range map[string][]settings.Setting{
		"it has the setting":   {{Key: "file_naming_strategy", Value: "overwrite"}, {Key: "site_title", Value: "Ours"}},
		"it lacks the setting": {{Key: "site_title", Value: "Ours"}},
	} {
		w := newWorld(t)
		repository := domaintest.NewMemory(w.clock).Settings()
		if err := repository.Seed(t.Context(), stored...); err != nil {
			t.Fatal(err)
		}
		older := settings.New(settings.Deps{Repository: repository, Decider: w.decider, Invalidation: &portstest.Invalidation{}, Clock: w.clock})
		for range 2 {
			if err := older.Seed(t.Context(), 7); err != nil {
				t.Fatal(err)
			}
			if older.Values().RandomSuffix() {
				t.Errorf("%s: names get a suffix", name)
			}
		}
	}
	if w := newWorld(t); !w.server().Values().RandomSuffix() {
		t.Error("a new site names files as an old one did")
	}
}

func TestTheLogoThatIsSentIsCleanAndTheColourCanBeRead(t *testing.T) {
	w := newWorld(t)
	if kind, data := w.Values().Logo(); kind != "" || len(data) != 0 || w.Values().Accent() != nil {
		t.Fatalf("a new site has the logo %q %q and the colour %v", kind, data, w.Values().Accent())
	}
	svg := `<svg xmlns="http://www.w3.org/2000/svg" onload="run()"><script>run()</script><path d="M0 0"/></svg>`
	w.set(t, settings.SiteGroup, map[string]any{"site_logo": "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(svg)), "site_accent": "#FFD400"})
	kind, data := w.Values().Logo()
	if want := `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"></path></svg>`; kind != "image/svg+xml" || string(data) != want {
		t.Errorf("the logo is %q %s, want %s", kind, data, want)
	}
	if got := w.Values().Accent(); got == nil || got.Light != "#806A00" || got.Dark != "#FFD400" {
		t.Errorf("the colours are %+v", got)
	}
	rows, err := w.Group(t.Context(), policy.Principal{}, settings.SiteGroup)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.Key == "site_logo" || row.Key == "site_accent" {
			t.Errorf("strangers are sent %s with every page", row.Key)
		}
	}
}

func TestSeedingAgainKeepsWhatWasSet(t *testing.T) {
	w := newWorld(t)
	w.set(t, settings.SiteGroup, map[string]any{"site_title": "Ours"})
	again := w.server()
	if err := again.Seed(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	if got := again.Values().SiteTitle(); got != "Ours" {
		t.Errorf("title is %q", got)
	}
	if got := again.Values().Text("schema_version"); got != "8" {
		t.Errorf("schema version is %q", got)
	}
}

func TestContract10_4_GroupsOneToFourArePublicWithoutPrivateRows(t *testing.T) {
	w := newWorld(t)
	for group, want := range map[int]int{1: 10, 2: 9, 3: 1, 4: 8, 5: 0} {
		for _, who := range []policy.Principal{policy.Nobody, key} {
			rows, err := w.Group(t.Context(), who, group)
			if err != nil || len(rows) != want {
				t.Errorf("group %d as %s: %d rows, %v, want %d", group, who.Kind, len(rows), err, want)
			}
			for _, r := range rows {
				if r.Flag == settings.Private {
					t.Errorf("%s sees %s", who.Kind, r.Key)
				}
			}
		}
	}
	rows, err := w.Group(t.Context(), admin, settings.GlobalGroup)
	if err != nil || len(rows) != 17 {
		t.Errorf("the administrator sees %d rows of group 1, %v", len(rows), err)
	}
	if !slices.IsSortedFunc(rows, func(a, b settings.Row) int { return a.Sort - b.Sort }) {
		t.Error("rows are not in order")
	}
}

func TestW17_SystemGroupAndTheWholeAreForTheAdministrator(t *testing.T) {
	w := newWorld(t)
	for who, want := range map[policy.Principal]ports.Code{policy.Nobody: ports.Unauthenticated, key: ports.Forbidden} {
		_, system := w.Group(t.Context(), who, settings.SystemGroup)
		_, all := w.All(t.Context(), who, false)
		_, groups := w.Groups(t.Context(), who)
		_, metadata := w.Metadata(t.Context(), who, "site_title")
		_, update := w.Update(t.Context(), who, settings.Change{Group: 4, Values: map[string]any{"site_title": "x"}})
		for name, err := range map[string]error{"system": system, "all": all, "groups": groups, "metadata": metadata, "update": update} {
			if ports.CodeOf(err) != want || err == nil {
				t.Errorf("%s as %s: %v", name, who.Kind, err)
			}
		}
	}
	if got := w.Values().SiteTitle(); got != "Pasteport" {
		t.Errorf("a refused update changed the title to %q", got)
	}
	all, err := w.All(t.Context(), admin, false)
	if err != nil || len(all) != 5 || all[settings.SystemGroup] != nil {
		t.Errorf("%d groups, %v", len(all), err)
	}
}

func TestContract10_4_GroupInfo(t *testing.T) {
	w := newWorld(t)
	groups, err := w.Groups(t.Context(), admin)
	if err != nil || len(groups) != 5 {
		t.Fatal(groups, err)
	}
	if g := groups[3]; g.ID != 4 || g.Settings != 11 || g.ReadOnly != 0 || g.Name.In("en") != "Site" || g.Name.In("zh-CN") != "站点设置" {
		t.Errorf("group 4 is %+v", g)
	}
}

func TestContract10_4_Metadata(t *testing.T) {
	w := newWorld(t)
	row, err := w.Metadata(t.Context(), admin, "webdav_upload_mode")
	if err != nil || row.Value != "direct" || row.Type != settings.SelectType || len(row.Options) != 2 {
		t.Errorf("%+v, %v", row, err)
	}
	for _, key := range []string{"", "nothing", "master_key"} {
		if _, err := w.Metadata(t.Context(), admin, key); !ports.Is(err, ports.NotFound) {
			t.Errorf("metadata of %q: %v", key, err)
		}
	}
}

func TestContract4_2_ValuesAreConvertedAndChecked(t *testing.T) {
	long := strings.Repeat("码", 100_000)
	for _, c := range []struct {
		group     int
		key, json string
		want      string // the stored text
		checked   bool   // refused when checked
		always    bool   // refused in any case
	}{
		{1, "max_upload_size", `250`, "250", false, false},
		{1, "max_upload_size", `"250"`, "250", false, false},
		{1, "max_upload_size", `0`, "0", true, false},
		{1, "max_upload_size", `-1`, "-1", true, false},
		{1, "max_upload_size", `9e15`, "9000000000000000", true, false},
		{1, "max_upload_size", `1.5`, "", true, true},
		{1, "max_upload_size", `"NaN"`, "", true, true},
		{1, "max_upload_size", `""`, "", true, true},
		{1, "max_upload_size", `null`, "", true, true},
		{1, "proxy_sign_expires", `0`, "0", false, false},
		{1, "proxy_sign_all", `false`, "false", false, false},
		{1, "proxy_sign_all", `"true"`, "true", false, false},
		{1, "proxy_sign_all", `1`, "true", false, false},
		{1, "proxy_sign_all", `"0"`, "false", false, false},
		{1, "file_naming_strategy", `"random_suffix"`, "random_suffix", false, false},
		{1, "file_naming_strategy", `"other"`, "other", true, false},
		{1, "cors_allowed_origins", `"https://a.example, http://b.example:8080"`, "https://a.example, http://b.example:8080", false, false},
		{1, "cors_allowed_origins", `"null"`, "null", true, true},
		{1, "cors_allowed_origins", `"https://a.example/path"`, "https://a.example/path", true, true},
		{1, "share_expired_grace_days", `0`, "0", false, false},
		{2, "preview_text_types", `"TXT, md ,,"`, "TXT, md ,,", false, false},
		{2, "preview_text_types", `"tar.gz"`, "tar.gz", true, false},
		{2, "preview_text_types", `" , "`, " , ", true, false},
		{2, "preview_office_viewers", `"google"`, "google", false, false},
		{2, "preview_office_viewers", `"other"`, "other", true, false},
		{2, "preview_office_viewer_url", `"https://office.example/?src={url}"`, "https://office.example/?src={url}", false, false},
		{2, "preview_office_viewer_url", `"https://office.example/"`, "https://office.example/", true, true},
		{2, "preview_office_viewer_url", `"javascript:{url}"`, "javascript:{url}", true, true},
		{4, "site_title", `""`, "", false, false},
		{4, "site_title", `["x"]`, "", true, true},
		{4, "site_favicon_url", `"data:image/png;base64,AAAA"`, "data:image/png;base64,AAAA", false, false},
		{4, "site_favicon_url", `"https://x.example/i.png"`, "https://x.example/i.png", false, false},
		{4, "site_favicon_url", `"javascript:alert(1)"`, "javascript:alert(1)", true, true},
		{4, "site_favicon_url", `"data:text/html,x"`, "data:text/html,x", true, true},
		{4, "site_logo", `"data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="`, "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=", false, false},
		{4, "site_logo", `"data:text/html;base64,PGI+"`, "", true, true},
		{4, "site_logo", `"https://x.example/logo.png"`, "", true, true},
		{4, "site_accent", `"#ffd400"`, "#ffd400", false, false},
		{4, "site_accent", `"gold"`, "gold", true, true},
		{4, "site_custom_head", `"` + long + `"`, long, false, false},
		{4, "site_custom_head", `"` + long + `x"`, long + "x", true, false},
		{4, "max_upload_size", `1`, "", true, true},
		{1, "nothing", `1`, "", true, true},
		{99, "schema_version", `9`, "", true, true},
	} {
		for _, unchecked := range []bool{false, true} {
			w := newWorld(t)
			before := w.Values().Text(c.key)
			var value any
			if err := json.Unmarshal([]byte(c.json), &value); err != nil {
				t.Fatal(err)
			}
			done, err := w.Update(t.Context(), admin, settings.Change{Group: c.group, Values: map[string]any{c.key: value}, Unchecked: unchecked})
			if err != nil {
				t.Fatal(err)
			}
			want := !c.always && (unchecked || !c.checked)
			name := c.key + " = " + c.json[:min(len(c.json), 40)]
			if (done.Updated == 1) != want || len(done.Problems) != 1-done.Updated || done.Total != 1 {
				t.Errorf("%s (unchecked %t): %+v, want saved %t", name, unchecked, done, want)
			}
			stored := c.want
			if !want {
				stored = before
			}
			if got := w.Values().Text(c.key); got != stored {
				t.Errorf("%s (unchecked %t): stored %.60q", name, unchecked, got)
			}
		}
	}
}

func TestASettingThatIsNoTruthValueSavesNothing(t *testing.T) {
	w := newWorld(t)
	all, err := w.All(t.Context(), admin, false)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for group, rows := range all {
		for _, row := range rows {
			if row.Type != settings.BoolType {
				continue
			}
			found++
			for _, value := range []any{nil, "TRUE", "yes", "", " true", "on", 2.0, 0.5, []any{true}, map[string]any{}} {
				for _, unchecked := range []bool{false, true} {
					_, err := w.Update(t.Context(), admin, settings.Change{Group: group, Values: map[string]any{row.Key: value}, Unchecked: unchecked})
					if ports.CodeOf(err) != ports.Invalid || w.Values().Text(row.Key) != row.Value {
						t.Errorf("%s = %v: %v, stored %q", row.Key, value, err, w.Values().Text(row.Key))
					}
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d settings found", found)
	}
}

// What nobody can read must not open what it should keep shut.
func TestAStoredSettingThatCannotBeReadStaysClosed(t *testing.T) {
	for _, garbage := range []string{"", "TRUE", "yes", "null", "nonsense", "-7"} {
		w := newWorld(t)
		var rows []settings.Setting
		for _, key := range []string{"proxy_sign_all", "share_password_required", "basic_over_public_http", "preview_privacy_mode", "webdav_create_parents",
			"share_max_expiry_hours", "share_max_views", "proxy_sign_expires", "proxy_sign_epoch", "max_upload_size"} {
			rows = append(rows, settings.Setting{Key: key, Value: garbage})
		}
		if err := w.memory.Settings().Put(t.Context(), rows...); err != nil {
			t.Fatal(err)
		}
		if err := w.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		v := w.Values()
		limits := v.ShareLimits()
		if !v.ProxySignAll() || !limits.Password || limits.MaxAge != time.Hour || limits.MaxViews != 1 || v.ProxySignExpires() != time.Hour ||
			v.ProxySignEpoch() != 1<<53 || v.BasicOverPublicHTTP() || !v.PrivacyMode() || v.WebDAVCreateParents() || v.MaxUploadSize() != 100<<20 {
			t.Errorf("%q: sign %t, %+v, expires %s, epoch %d, basic %t", garbage, v.ProxySignAll(), limits, v.ProxySignExpires(), v.ProxySignEpoch(), v.BasicOverPublicHTTP())
		}
		row, err := w.Metadata(t.Context(), admin, "share_password_required")
		if err != nil || row.Value != "true" {
			t.Errorf("%q: the panel reads %q, %v", garbage, row.Value, err)
		}
	}
}

func TestAStoredFlagOfAnEarlierFormIsRead(t *testing.T) {
	w := newWorld(t)
	if err := w.memory.Settings().Put(t.Context(), settings.Setting{Key: "proxy_sign_all", Value: "0"}, settings.Setting{Key: "default_use_proxy", Value: "1"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := w.Values(); v.ProxySignAll() || !v.DefaultUseProxy() || v.Text("default_use_proxy") != "true" {
		t.Errorf("sign %t, proxy %t", v.ProxySignAll(), v.DefaultUseProxy())
	}
}

func TestContract10_4_EachKeyIsHandledByItself(t *testing.T) {
	w := newWorld(t)
	w.clock.Add(time.Hour)
	done := w.set(t, settings.GlobalGroup, map[string]any{"max_upload_size": "x", "default_use_proxy": true, "site_title": "y"})
	if done.Total != 3 || done.Updated != 1 || len(done.Problems) != 2 || done.Problems[0].Key != "max_upload_size" || done.Problems[1].Key != "site_title" {
		t.Errorf("%+v", done)
	}
	if !w.Values().DefaultUseProxy() || w.Values().MaxUploadSize() != 100<<20 {
		t.Error("the valid one was not saved, or the other was")
	}
	row, err := w.Metadata(t.Context(), admin, "default_use_proxy")
	if err != nil || !row.UpdatedAt.Equal(w.clock.Now()) || !row.CreatedAt.Equal(portstest.Start) {
		t.Errorf("%+v, %v", row, err)
	}
}

func TestValuesFollowEveryChangeHereAndOnOtherNodes(t *testing.T) {
	w := newWorld(t)
	other := w.server()
	if err := other.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.set(t, settings.GlobalGroup, map[string]any{"max_upload_size": 5.0, "file_naming_strategy": "random_suffix", "share_expired_grace_days": "2", "cors_allowed_origins": "https://A.example", "proxy_sign_expires": 60.0, "proxy_sign_epoch": 3.0})
	w.set(t, settings.PreviewGroup, map[string]any{"preview_text_types": "TXT,Md"})
	w.set(t, settings.WebDAVGroup, map[string]any{"basic_over_public_http": true, "webdav_upload_mode": "multipart"})
	w.set(t, settings.SiteGroup, map[string]any{"site_title": ""})
	if got := w.invalidation.Published(); len(got) < 4 || got[len(got)-1] != settings.Invalidated+"/" {
		t.Errorf("published %v", got)
	}
	if other.Values().MaxUploadSize() != 100<<20 {
		t.Error("the other node reads the database for each value")
	}
	if err := other.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, v := range []*settings.Values{w.Values(), other.Values()} {
		if v.MaxUploadSize() != 5<<20 || !v.RandomSuffix() || v.ExpiredGrace() != 48*time.Hour || !v.BasicOverPublicHTTP() ||
			v.WebDAVUploadMode() != "multipart" || !v.ProxySignAll() || v.ProxySignExpires() != time.Minute || v.ProxySignEpoch() != 3 || v.SiteTitle() != "Pasteport" ||
			!slices.Equal(v.CORSOrigins(), []string{"https://a.example"}) || !slices.Equal(v.PreviewTypes("text"), []string{"txt", "md"}) {
			t.Errorf("values are not those that were set: %d bytes, %v, %v", v.MaxUploadSize(), v.CORSOrigins(), v.PreviewTypes("text"))
		}
	}
	if len(w.Values().PreviewTypes("nothing")) != 0 || w.Values().Text("nothing") != "" {
		t.Error("something that does not exist has a value")
	}
}

func TestTheSharePolicyFollowsTheSettings(t *testing.T) {
	w := newWorld(t)
	v := w.Values()
	if v.ShareLimits() != (ports.ShareLimits{}) || v.ShareDefaultAge() != 0 || v.PrivacyMode() || v.EditorMode() != "markdown" {
		t.Errorf("at first: %+v, %v", v.ShareLimits(), v.ShareDefaultAge())
	}
	w.set(t, settings.GlobalGroup, map[string]any{"share_max_expiry_hours": 48.0, "share_max_views": "20", "share_password_required": true})
	w.set(t, settings.PreviewGroup, map[string]any{"preview_privacy_mode": true})
	if got, want := v.ShareLimits(), (ports.ShareLimits{MaxAge: 48 * time.Hour, MaxViews: 20, Password: true}); got != want || !v.PrivacyMode() {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for hours, want := range map[string]time.Duration{"0": 48 * time.Hour, "24": 24 * time.Hour, "720": 48 * time.Hour} {
		w.set(t, settings.GlobalGroup, map[string]any{"share_default_expiry_hours": hours})
		if got := v.ShareDefaultAge(); got != want {
			t.Errorf("a default of %s hours is %v, want %v", hours, got, want)
		}
	}
	done, err := w.Update(t.Context(), admin, settings.Change{Group: settings.GlobalGroup, Values: map[string]any{"share_max_expiry_hours": "87601", "share_max_views": -1.0}})
	if err != nil || len(done.Problems) != 2 {
		t.Errorf("refused %v, %v", done.Problems, err)
	}
}

func TestBrokenStoredNumberCountsAsItsDefault(t *testing.T) {
	for _, value := range []string{"", "NaN", "-5", "99999999999999999999"} {
		w := newWorld(t)
		if err := w.memory.Settings().Put(t.Context(), settings.Setting{Key: "max_upload_size", Value: value}); err != nil {
			t.Fatal(err)
		}
		if err := w.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.Values().MaxUploadSize(); got != 100<<20 {
			t.Errorf("%q: %d bytes", value, got)
		}
	}
}

func TestFailedSaveChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.memory.FailWith(ports.ErrUnavailable)
	_, err := w.Update(t.Context(), admin, settings.Change{Group: 4, Values: map[string]any{"site_title": "x"}})
	if !ports.Is(err, ports.Unavailable) {
		t.Errorf("got %v", err)
	}
	if got := w.Values().SiteTitle(); got != "Pasteport" {
		t.Errorf("title is %q", got)
	}
	if rows, err := w.Group(t.Context(), policy.Nobody, 4); err != nil || len(rows) != 8 {
		t.Errorf("reading without a database: %d rows, %v", len(rows), err)
	}
}

func TestDecision32_EachCallAsksItsAction(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	for _, c := range []struct {
		want policy.Action
		call func() error
	}{
		{policy.SiteRead, func() error { _, err := w.Group(ctx, policy.Nobody, 4); return err }},
		{policy.SettingsRead, func() error { _, err := w.Group(ctx, admin, 4); return err }},
		{policy.SettingsRead, func() error { _, err := w.Group(ctx, policy.Nobody, 99); return err }},
		{policy.SettingsRead, func() error { _, err := w.All(ctx, admin, true); return err }},
		{policy.SettingsRead, func() error { _, err := w.Groups(ctx, admin); return err }},
		{policy.SettingsRead, func() error { _, err := w.Metadata(ctx, admin, "x"); return err }},
		{policy.SettingsWrite, func() error { _, err := w.Update(ctx, admin, settings.Change{}); return err }},
	} {
		w.decider.asked = nil
		_ = c.call() // the answer does not matter, only what was asked
		if !slices.Equal(w.decider.asked, []policy.Action{c.want}) {
			t.Errorf("asked %v, want %s", w.decider.asked, c.want)
		}
	}
}

func TestEverySettingIsDescribedInBothLanguages(t *testing.T) {
	w := newWorld(t)
	all, err := w.All(t.Context(), admin, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range all {
		for _, r := range rows {
			if r.Description.ZH == "" || r.Description.EN == "" || (r.Type == settings.SelectType) != (len(r.Options) > 0) {
				t.Errorf("%s is described by %+v with options %v", r.Key, r.Description, r.Options)
			}
		}
	}
}

func TestW26_CustomCodeCanBeSwitchedOff(t *testing.T) {
	w := newWorld(t)
	w.set(t, settings.SiteGroup, map[string]any{"site_custom_head": "<script>1</script>"})
	off := settings.New(settings.Deps{Repository: w.memory.Settings(), Decider: w.decider, Invalidation: w.invalidation, Clock: w.clock, NoCustomCode: true})
	if err := off.Seed(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	for _, who := range []policy.Principal{policy.Nobody, admin} {
		rows, err := off.Group(t.Context(), who, settings.SiteGroup)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if strings.HasPrefix(r.Key, "site_custom_") && (r.Value != "" || r.Flag != settings.ReadOnly) {
				t.Errorf("%s sees %s = %q", who.Kind, r.Key, r.Value)
			}
		}
	}
	done, err := off.Update(t.Context(), admin, settings.Change{Group: settings.SiteGroup, Values: map[string]any{"site_custom_head": "", "site_title": "x"}})
	if err != nil || done.Updated != 1 || len(done.Problems) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if got := w.server(); got.Reload(t.Context()) != nil || got.Values().Text("site_custom_head") != "<script>1</script>" {
		t.Error("the code was lost while it was off")
	}
}

func TestOfficeFramesFollowTheViewersThatAreAllowed(t *testing.T) {
	for _, c := range []struct {
		viewers, own string
		want         []string
	}{
		{"microsoft,google", "", []string{"https://view.officeapps.live.com", "https://docs.google.com"}},
		{"google", "https://office.example:8443/?src={url}", []string{"https://docs.google.com", "https://office.example:8443"}},
		{"none", "", nil},
	} {
		w := newWorld(t)
		w.set(t, settings.PreviewGroup, map[string]any{"preview_office_viewers": c.viewers, "preview_office_viewer_url": c.own})
		if got := w.Values().OfficeFrames(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Every setting that holds an address, and every one to come.
func TestAddressesAreCheckedWhateverTheCallerWants(t *testing.T) {
	w := newWorld(t)
	groups, err := w.All(t.Context(), admin, true)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for group, rows := range groups {
		for _, row := range rows {
			if !strings.Contains(row.Key, "url") && !strings.Contains(row.Key, "origin") {
				continue
			}
			found++
			for _, bad := range []string{"javascript:alert(1)", "JavaScript:alert({url})", " javascript:{url}", "data:text/html,<script>1</script>{url}", "vbscript:{url}", "file:///etc/passwd?{url}"} {
				done, err := w.Update(t.Context(), admin, settings.Change{Group: group, Values: map[string]any{row.Key: bad}, Unchecked: true})
				if err != nil || done.Updated != 0 || len(done.Problems) != 1 {
					t.Errorf("%s = %q: %+v, %v", row.Key, bad, done, err)
				}
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d settings with addresses", found)
	}
}
