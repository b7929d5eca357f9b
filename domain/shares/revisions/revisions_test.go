package revisions_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/revisions"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
	"pasteport/ports/upload"
)

var (
	keyA  = policy.Principal{Kind: policy.APIKey, ID: "a", Permissions: policy.PermText}
	keyB  = policy.Principal{Kind: policy.APIKey, ID: "b", Permissions: policy.PermText}
	admin = policy.Principal{Kind: policy.Admin, ID: "admin"}
)

// rules let keys do to their own texts what they like, and administrators
// everything.
type rules struct{}

func (rules) Decide(_ context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	if who.Kind == policy.Admin {
		return policy.Decision{Allow: true, Scope: policy.All}, nil
	}
	if who.Owns(on.Owner) {
		return policy.Decision{Allow: true, Scope: policy.Own}, nil
	}
	return policy.Decision{Reasons: []policy.Reason{{Code: "not_owner"}}, Scope: policy.Own}, nil
}

type settings struct {
	ports.Settings
	revisions ports.Revisions
}

func (s *settings) Revisions() ports.Revisions     { return s.revisions }
func (s *settings) ShareLimits() ports.ShareLimits { return ports.ShareLimits{} }
func (s *settings) ExpiredGrace() time.Duration    { return 24 * time.Hour }

// noUploads are none that a janitor could find.
type noUploads struct{ upload.Sessions }

func (noUploads) Sweep(context.Context) (int, error) { return 0, nil }

type world struct {
	*testing.T
	clock     *portstest.Clock
	db        *domaintest.Memory
	deps      shares.Deps
	settings  *settings
	pastes    *shares.Pastes
	revisions *revisions.Revisions
	paste     *shares.Paste // of keyA
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, clock: portstest.NewClock(), settings: &settings{revisions: ports.Revisions{Kept: 9}}}
	w.db = domaintest.NewMemory(w.clock)
	w.deps = shares.Deps{Pastes: w.db.Pastes(), Files: w.db.Files(), FileObjects: w.db.FileObjects(), Uploads: noUploads{}, Decider: rules{}, Hasher: &portstest.Hasher{}, Guesses: w.db.Guesses(), MAC: portstest.MAC{}, Random: &portstest.Random{},
		Clock: w.clock, Settings: w.settings, Editions: w.db.Revisions(), Work: w.db}
	w.pastes = shares.NewPastes(w.deps)
	w.revisions = revisions.New(w.pastes, w.db.Revisions())
	var err error
	if w.paste, err = w.pastes.Create(t.Context(), keyA, shares.NewPaste{Content: []byte("one")}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) edit(who policy.Principal, content string) {
	w.Helper()
	w.clock.Add(time.Hour)
	if _, err := w.pastes.Update(w.Context(), who, w.paste.ID, shares.PasteChange{Content: []byte(content)}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) restore(who policy.Principal, version int64, ifMatch string) (*shares.Paste, error) {
	plan, err := w.revisions.PlanRestore(w.Context(), who, w.paste.Slug, version, ifMatch)
	if err != nil {
		return nil, err
	}
	return w.pastes.Apply(w.Context(), plan)
}

// authors are who wrote the contents that are kept, newest first.
func (w *world) authors() (all []string) {
	w.Helper()
	h, err := w.revisions.History(w.Context(), keyA, w.paste.Slug)
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range append([]revisions.Revision{h.Current}, h.Earlier...) {
		all = append(all, r.EditedBy)
	}
	return all
}

func TestAnEarlierContentComesBackAsAnEdit(t *testing.T) {
	w := newWorld(t)
	w.edit(admin, "two")
	old, err := w.revisions.Get(t.Context(), keyA, w.paste.Slug, 1)
	if err != nil || string(old.Content) != "one" {
		t.Fatalf("got %v, %v", old, err)
	}
	if _, err := w.restore(keyA, 1, w.paste.ETag()); !ports.Is(err, ports.Precondition) {
		t.Errorf("against the version before: %v", err)
	}
	back, err := w.restore(keyA, 1, "")
	if err != nil || string(back.Content) != "one" || back.Version != 3 {
		t.Fatalf("got %v, %v", back, err)
	}
	if got := w.authors(); !slices.Equal(got, []string{"apikey:a", "admin", "apikey:a"}) {
		t.Errorf("written by %v", got)
	}
	if _, err := w.restore(keyA, 7, ""); !ports.Is(err, ports.NotFound) || !strings.Contains(err.Error(), "not_found") {
		t.Errorf("one that was never there: %v", err)
	}
}

func TestTheContentsOfOthersAreUnknown(t *testing.T) {
	w := newWorld(t)
	w.edit(keyA, "two")
	_, listed := w.revisions.History(t.Context(), keyB, w.paste.Slug)
	_, got := w.revisions.Get(t.Context(), keyB, w.paste.Slug, 1)
	_, restored := w.restore(keyB, 1, "")
	for name, err := range map[string]error{"list": listed, "get": got, "restore": restored, "keep none": w.revisions.Switch(t.Context(), keyB, w.paste.Slug, shares.To(false))} {
		if !ports.Is(err, ports.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(w.authors()); n != 2 {
		t.Errorf("%d contents are there", n)
	}
}

func TestAPasteMayKeepNone(t *testing.T) {
	w := newWorld(t)
	w.edit(keyA, "two")
	if err := w.revisions.Switch(t.Context(), keyA, w.paste.ID, shares.To(false)); err != nil {
		t.Fatal(err)
	}
	w.edit(keyA, "three")
	if n := len(w.authors()); n != 1 {
		t.Errorf("%d contents are there", n)
	}
}

func TestTheSettingsSayHowManyAndHowLong(t *testing.T) {
	w := newWorld(t)
	w.settings.revisions = ports.Revisions{Kept: 2, Age: 150 * time.Minute}
	for _, content := range []string{"two", "three", "four"} {
		w.edit(keyA, content)
	}
	if n := len(w.authors()); n != 3 {
		t.Fatalf("%d contents are there", n)
	}
	// What was replaced last is too old in three hours.
	janitor := cleanup.New(w.deps, cleanup.Records{Pastes: w.db.PasteRemains(), Files: w.db.FileRemains(), Collections: w.db.CollectionRemains(), Sweeps: w.db.Sweeps(), Revisions: []cleanup.Revisions{w.db.Revisions()}})
	w.db.Sweeps().Clock = w.clock.Now
	for range 3 {
		w.clock.Add(time.Hour)
		if _, err := janitor.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.authors()); n != 1 {
		t.Errorf("%d contents are there", n)
	}
}

func TestAnEditThatFailsKeepsNothing(t *testing.T) {
	w := newWorld(t)
	_, err := w.pastes.Update(t.Context(), keyA, w.paste.ID, shares.PasteChange{Content: []byte("two"), IfMatch: `"other"`})
	if !ports.Is(err, ports.Precondition) {
		t.Fatal(err)
	}
	if n := len(w.authors()); n != 1 {
		t.Errorf("%d contents are there", n)
	}
}
