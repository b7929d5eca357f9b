package shares_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// last is the last question that was asked.
func (d *decider) last() question { return d.asked[len(d.asked)-1] }

func TestRulesSeeWhichShareIsOpened(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "pp", Terms: shares.Terms{Password: "pw", MaxViews: 9, ExpiresAt: at(time.Hour)}})
	f := w.upload(shares.NewUpload{Slug: "ff", Filename: "a.DOCX", MaxViews: 9}, "hello")
	m, err := w.mounted.Share(t.Context(), keyB, policy.Obligations{}, shares.MountedFile{StorageConfigID: "public", StorageType: "S3", StoragePath: f.StoragePath,
		FilePath: "/team/a.docx", Filename: "a.docx", Size: 5, Slug: "mm"})
	if err != nil {
		t.Fatal(err)
	}
	docx := "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	want := map[string]policy.Resource{
		"pp": {Kind: "paste", ID: p.ID, Slug: "pp", Owner: "apikey:a", Size: 5, Share: policy.ShareTerms{HasPassword: true, ExpiresIn: 3600, MaxViews: 9}},
		"ff": {Kind: "file", ID: f.ID, Slug: "ff", Owner: "apikey:a", Name: "a.DOCX", Extension: "docx", ContentType: docx, Size: 5, Storage: "public", Share: policy.ShareTerms{MaxViews: 9}},
		"mm": {Kind: "file", ID: m.ID, Slug: "mm", Owner: "apikey:b", Name: "a.docx", Extension: "docx", ContentType: docx, Size: 5, Storage: "public", Paths: []string{"/team/a.docx"}},
	}
	here, nobody := from("192.0.2.1"), policy.Nobody
	calls := map[string]struct {
		paste bool
		do    policy.Action
		call  func(slug string)
	}{
		"read":              {true, policy.ShareView, func(slug string) { w.pastes.Read(here, nobody, shares.Visit{Slug: slug}) }},
		"raw":               {true, policy.ShareView, func(slug string) { w.pastes.Raw(here, nobody, shares.Visit{Slug: slug}) }},
		"verify":            {true, policy.ShareVerify, func(slug string) { w.pastes.Verify(here, nobody, shares.Visit{Slug: slug, Password: "pw"}) }},
		"verify, no word":   {true, policy.ShareVerify, func(slug string) { w.pastes.Verify(here, nobody, shares.Visit{Slug: slug}) }},
		"peek":              {true, policy.ShareView, func(slug string) { w.pastes.Peek(here, nobody, slug) }},
		"info":              {false, policy.ShareView, func(slug string) { w.visits.Info(here, nobody, shares.Visit{Slug: slug}) }},
		"verify of a file":  {false, policy.ShareVerify, func(slug string) { w.visits.Verify(here, nobody, shares.Visit{Slug: slug, Password: "pw"}) }},
		"peek of a file":    {false, policy.ShareView, func(slug string) { w.visits.Peek(here, nobody, slug) }},
		"view":              {false, policy.ShareView, func(slug string) { w.visits.Open(here, nobody, policy.ShareView, shares.Visit{Slug: slug}) }},
		"download":          {false, policy.ShareDownload, func(slug string) { w.visits.Open(here, nobody, policy.ShareDownload, shares.Visit{Slug: slug}) }},
		"preview in office": {false, policy.SharePreview, func(slug string) { w.visits.Office(here, nobody, shares.Visit{Slug: slug}) }},
	}
	for name, c := range calls {
		slugs := []string{"ff", "mm", "unknown"}
		if c.paste {
			slugs = []string{"pp", "unknown"}
		}
		for _, slug := range slugs {
			before := len(w.decider.asked)
			c.call(slug)
			on, known := want[slug]
			if !known {
				on = policy.Resource{Kind: map[bool]string{true: "paste", false: "file"}[c.paste], Slug: slug}
			}
			if n := len(w.decider.asked) - before; n != 1 || w.decider.last().do != c.do {
				t.Errorf("%s of %s: %d questions, the last for %s", name, slug, n, w.decider.last().do)
			}
			if diff := cmp.Diff(w.decider.last().on, on); diff != "" {
				t.Errorf("%s of %s:\n%s", name, slug, diff)
			}
		}
	}
}

func TestWhoMayOpenNothingLearnsNothing(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "there"})
	w.upload(shares.NewUpload{Slug: "there"}, "x")
	w.decider.failure = ports.ErrUnavailable
	for _, slug := range []string{"there", "nowhere"} {
		_, err := w.pastes.Read(t.Context(), policy.Nobody, shares.Visit{Slug: slug})
		wantCode(t, err, ports.Unavailable, "policy_unavailable")
		_, err = w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: slug})
		wantCode(t, err, ports.Unavailable, "policy_unavailable")
	}
}

func TestABatchOfDeletionsAsksForEachCreator(t *testing.T) {
	w := newWorld(t)
	var pastes, files []string
	for range 2 {
		pastes = append(pastes, w.paste(shares.NewPaste{}).ID)
		files = append(files, w.upload(shares.NewUpload{}, "x").ID)
	}
	foreign, err := w.pastes.Create(t.Context(), keyB, shares.NewPaste{Content: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	owners := func(do policy.Action) (out []string) {
		for _, q := range w.decider.asked {
			if q.do == do {
				out = append(out, q.on.ID+" of "+q.on.Owner)
			}
		}
		return out
	}
	if n, err := w.pastes.Delete(t.Context(), admin, append(slices.Clone(pastes), foreign.ID)); err != nil || n != 3 {
		t.Errorf("pastes: %d, %v", n, err)
	}
	if diff := cmp.Diff(owners(policy.PasteDelete), []string{pastes[0] + " of apikey:a", pastes[1] + " of apikey:a", foreign.ID + " of apikey:b"}); diff != "" {
		t.Error(diff)
	}
	if done, err := w.files.Delete(t.Context(), admin, files, shares.DeleteBoth); err != nil || done.Done != 2 {
		t.Errorf("files: %+v, %v", done, err)
	}
	if diff := cmp.Diff(owners(policy.FileDelete), []string{files[0] + " of apikey:a", files[1] + " of apikey:a"}); diff != "" {
		t.Error(diff)
	}
}
