package shares_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

var strict = ports.ShareLimits{MaxAge: 24 * time.Hour, MaxViews: 10, Password: true}

func TestAShareThatNamesNoTermsGetsTheLargestTheSiteAllows(t *testing.T) {
	w := newWorld(t)
	w.settings.limits = strict
	protected := shares.Terms{Password: "pw"}
	end := w.clock.Now().Add(24 * time.Hour)

	paste := w.paste(shares.NewPaste{Terms: protected})
	file := w.upload(shares.NewUpload{Password: "pw"}, "hello")
	mounted, err := w.mounted.Share(context.Background(), keyA, policy.Obligations{}, shares.MountedFile{StorageConfigID: "public", Filename: "m.txt", StoragePath: "m.txt", Password: "pw"})
	if err != nil {
		t.Fatal(err)
	}
	for name, gate := range map[string]shares.Gate{"paste": paste.Gate, "file": file.Gate, "mounted": mounted.Gate} {
		if gate.ExpiresAt == nil || !gate.ExpiresAt.Equal(end) || gate.MaxViews != 10 {
			t.Errorf("%s: ends %v, views %d, want %v, 10", name, gate.ExpiresAt, gate.MaxViews, end)
		}
	}
}

func TestANewShareObeysTheLimitsOfTheSite(t *testing.T) {
	w := newWorld(t)
	w.settings.limits = strict
	in := func(d time.Duration) *time.Time { return new(w.clock.Now().Add(d)) }
	for name, c := range map[string]struct {
		terms shares.Terms
		want  string // the text of the refusal; empty for none
	}{
		"all within":            {shares.Terms{Password: "pw", ExpiresAt: in(time.Hour), MaxViews: 10}, ""},
		"to the minute":         {shares.Terms{Password: "pw", ExpiresAt: in(24 * time.Hour)}, ""},
		"a clock that is ahead": {shares.Terms{Password: "pw", ExpiresAt: in(24*time.Hour + time.Minute)}, ""},
		"too long":              {shares.Terms{Password: "pw", ExpiresAt: in(25 * time.Hour)}, "policy_share_max_age"},
		"too many views":        {shares.Terms{Password: "pw", MaxViews: 11}, "policy_share_max_views"},
		"without a password":    {shares.Terms{}, "policy_share_password"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.pastes.Create(context.Background(), keyA, shares.NewPaste{Content: []byte("x"), Terms: c.terms})
			wantRefusal(t, err, c.want)
			hours := int64(0)
			if c.terms.ExpiresAt != nil {
				hours = int64(c.terms.ExpiresAt.Sub(w.clock.Now()) / time.Hour)
			}
			_, err = w.uploads.Presign(context.Background(), keyA, shares.NewUpload{StorageConfigID: "public", Filename: "a.txt", Password: c.terms.Password, ExpiresIn: hours, MaxViews: c.terms.MaxViews})
			wantRefusal(t, err, c.want)
		})
	}
}

func TestAChangeObeysTheLimitsInWhatItSets(t *testing.T) {
	w := newWorld(t)
	long := w.clock.Now().Add(1000 * time.Hour)
	old := shares.Terms{Password: "pw", ExpiresAt: &long, MaxViews: 500}
	paste := w.paste(shares.NewPaste{Terms: old})
	open := w.paste(shares.NewPaste{})
	file := w.upload(shares.NewUpload{Password: "pw", ExpiresIn: 1000, MaxViews: 500}, "hello")
	w.settings.limits = strict
	end := w.clock.Now().Add(24 * time.Hour)

	type change struct {
		ExpiresAt shares.Field[*time.Time]
		MaxViews  shares.Field[int64]
		Remove    bool
	}
	both := func(c change) (shares.Gate, shares.Gate, error, error) {
		t.Helper()
		got := shares.PasteChange{Content: []byte("new"), ExpiresAt: c.ExpiresAt, MaxViews: c.MaxViews, ClearPassword: c.Remove}
		p, errPaste := w.pastes.Update(context.Background(), keyA, paste.ID, got)
		in := shares.FileChange{Remark: shares.To("new"), ExpiresAt: c.ExpiresAt, MaxViews: c.MaxViews}
		if c.Remove {
			in.Password = shares.To("")
		}
		f, errFile := w.files.Update(context.Background(), keyA, file.ID, in)
		if errPaste != nil || errFile != nil {
			return shares.Gate{}, shares.Gate{}, errPaste, errFile
		}
		return p.Gate, f.Gate, nil, nil
	}

	// What is kept, or said as it was, stays.
	for _, c := range []change{{}, {ExpiresAt: shares.To(&long), MaxViews: shares.To(int64(500))}} {
		p, f, errPaste, errFile := both(c)
		if errPaste != nil || errFile != nil || !p.ExpiresAt.Equal(long) || !f.ExpiresAt.Equal(long) || p.MaxViews != 500 || f.MaxViews != 500 {
			t.Errorf("%+v: %+v %v, %+v %v", c, p, errPaste, f, errFile)
		}
	}
	for text, c := range map[string]change{
		"policy_share_max_age":   {ExpiresAt: shares.To(new(long.Add(time.Hour)))},
		"policy_share_max_views": {MaxViews: shares.To(int64(11))},
		"policy_share_password":  {Remove: true},
	} {
		_, _, errPaste, errFile := both(c)
		wantRefusal(t, errPaste, text)
		wantRefusal(t, errFile, text)
	}
	p, f, errPaste, errFile := both(change{ExpiresAt: shares.To[*time.Time](nil), MaxViews: shares.To(int64(0))})
	if errPaste != nil || errFile != nil || !p.ExpiresAt.Equal(end) || !f.ExpiresAt.Equal(end) || p.MaxViews != 10 || f.MaxViews != 10 {
		t.Errorf("without end and limit: %+v %v, %+v %v", p, errPaste, f, errFile)
	}
	// A share that had no password before the rule may stay so.
	if _, err := w.pastes.Update(context.Background(), keyA, open.ID, shares.PasteChange{Content: []byte("new"), ClearPassword: true}); err != nil {
		t.Error(err)
	}
}

// wantRefusal wants a refusal with a text; an empty one wants none.
func wantRefusal(t *testing.T, err error, text string) {
	t.Helper()
	if text == "" {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	wantCode(t, err, ports.Forbidden, "policy_denied")
	if got := textOf(err); got != text {
		t.Errorf("the text is %s, want %s", got, text)
	}
}

func textOf(err error) string {
	var e *ports.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Text
}
