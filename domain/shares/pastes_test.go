package shares_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

func TestCreateRefusesBadInput(t *testing.T) {
	ok := []byte("text")
	for name, c := range map[string]struct {
		in   shares.NewPaste
		code ports.Code
		key  string
	}{
		"empty content":           {shares.NewPaste{}, ports.Invalid, "invalid_argument"},
		"content over the limit":  {shares.NewPaste{Content: make([]byte, shares.MaxContent+1)}, ports.Invalid, "content_too_large"},
		"broken UTF-8":            {shares.NewPaste{Content: []byte{0xff}}, ports.Invalid, "invalid_argument"},
		"slug with a slash":       {shares.NewPaste{Content: ok, Slug: "a/b"}, ports.Invalid, "slug_invalid"},
		"slug in Chinese":         {shares.NewPaste{Content: ok, Slug: "链接"}, ports.Invalid, "slug_invalid"},
		"slug of 51 characters":   {shares.NewPaste{Content: ok, Slug: strings.Repeat("a", 51)}, ports.Invalid, "slug_invalid"},
		"reserved slug":           {shares.NewPaste{Content: ok, Slug: "Admin"}, ports.Invalid, "slug_reserved"},
		"negative views":          {shares.NewPaste{Content: ok, Terms: shares.Terms{MaxViews: -1}}, ports.Invalid, "invalid_argument"},
		"expiry at exactly now":   {shares.NewPaste{Content: ok, Terms: shares.Terms{ExpiresAt: at(0)}}, ports.Invalid, "invalid_argument"},
		"expiry in 101 years":     {shares.NewPaste{Content: ok, Terms: shares.Terms{ExpiresAt: at(101 * 366 * 24 * time.Hour)}}, ports.Invalid, "invalid_argument"},
		"syntax with a quote":     {shares.NewPaste{Content: ok, Syntax: `go"`}, ports.Invalid, "invalid_argument"},
		"password over its limit": {shares.NewPaste{Content: ok, Terms: shares.Terms{Password: strings.Repeat("p", 1025)}}, ports.Invalid, "invalid_argument"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			_, err := w.pastes.Create(t.Context(), keyA, c.in)
			wantCode(t, err, c.code, c.key)
			if list, _ := w.deps.Pastes.List(t.Context(), shares.PasteFilter{}); list.Total != 0 {
				t.Errorf("got %d pastes, want none", list.Total)
			}
		})
	}
}

func TestCreateKeepsWhatWasGiven(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "My_slug-1", Remark: "r", Syntax: "c++", Terms: shares.Terms{Password: "pw", ExpiresAt: at(time.Hour), MaxViews: 3}})
	got, err := w.pastes.Get(t.Context(), keyA, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := *p
	if diff := cmp.Diff(*got, want); diff != "" {
		t.Error(diff)
	}
	if got.PasswordHash == "pw" || got.CreatedBy != "apikey:a" || got.Size != 5 {
		t.Errorf("got %+v", got)
	}
}

func TestSlugs(t *testing.T) {
	w := newWorld(t)
	if n := len(w.paste(shares.NewPaste{}).Slug); n != 10 {
		t.Errorf("got a generated slug of %d characters, want 10", n)
	}
	if n := len(w.paste(shares.NewPaste{Unguessable: true}).Slug); n != 26 {
		t.Errorf("got an unguessable slug of %d characters, want 26", n)
	}
	w.paste(shares.NewPaste{Slug: "taken"})
	_, err := w.pastes.Create(t.Context(), keyB, shares.NewPaste{Content: []byte("x"), Slug: "taken"})
	wantCode(t, err, ports.Conflict, "slug_taken")
	w.paste(shares.NewPaste{Slug: "Taken"}) // slugs are case-sensitive

	w.random.Queue("taken", "admin", "taken", "freeSlug01")
	if got := w.paste(shares.NewPaste{}).Slug; got != "freeSlug01" {
		t.Errorf("got slug %q after draws that are taken or reserved", got)
	}
	w.random.Queue(strings.Split(strings.Repeat("taken ", 10), " ")[:10]...)
	_, err = w.pastes.Create(t.Context(), keyA, shares.NewPaste{Content: []byte("x")})
	wantCode(t, err, ports.Internal, "internal")
}

func TestReadCountsUnlimitedViewsInMemoryAndFlushesThem(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "s"})
	for want := int64(1); want <= 3; want++ {
		r, err := w.read("s")
		if err != nil || r.Views != want || r.Last || r.Ticket != "" || string(r.Content) != "hello" {
			t.Fatalf("read %d: got views %d, last %t, ticket %q, error %v", want, r.Views, r.Last, r.Ticket, err)
		}
	}
	if stored, _ := w.deps.Pastes.Get(t.Context(), p.ID); stored.Views != 0 {
		t.Errorf("got %d stored views before the flush, want 0", stored.Views)
	}
	if mine, _ := w.pastes.Get(t.Context(), keyA, p.ID); mine.Views != 3 {
		t.Errorf("the owner sees %d views, want 3", mine.Views)
	}
	w.db.FailWith(ports.ErrUnavailable)
	if err := w.pastes.Flush(t.Context()); err == nil {
		t.Error("a flush without a database reports no error")
	}
	w.db.FailWith(nil)
	if err := w.pastes.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stored, _ := w.deps.Pastes.Get(t.Context(), p.ID); stored.Views != 3 {
		t.Errorf("got %d stored views, want 3", stored.Views)
	}
}

func TestLimitedViewsAreExactUnder100ParallelReaders(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "s", Terms: shares.Terms{MaxViews: 5}})
	var content, last, refused atomic.Int64
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range 100 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-start
			r, err := w.pastes.Raw(from(fmt.Sprint("192.0.2.", i)), policy.Nobody, shares.Visit{Slug: "s"})
			switch {
			case err == nil:
				content.Add(1)
				if r.Last {
					last.Add(1)
				}
			case ports.Is(err, ports.Gone):
				refused.Add(1)
			default:
				t.Error(err)
			}
		}()
	}
	close(start)
	wg.Wait()
	if content.Load() != 5 || last.Load() != 1 || refused.Load() != 95 {
		t.Errorf("got %d answers with content, %d of them last, %d refused; want 5, 1, 95", content.Load(), last.Load(), refused.Load())
	}
	_, err := w.read("s")
	wantCode(t, err, ports.Gone, "used_up")
}

func TestWhatTakesNoView(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "s", Terms: shares.Terms{MaxViews: 1}})
	if _, err := w.pastes.Peek(t.Context(), policy.Nobody, "s"); err != nil {
		t.Fatal(err)
	}
	if r, err := w.pastes.Read(t.Context(), policy.Nobody, shares.Visit{Slug: "s", Uncounted: true}); err != nil || r.Views != 0 {
		t.Fatalf("HEAD: got views %d, error %v", r.Views, err)
	}
	known := func(etag string) bool { return etag == p.ETag() }
	if r, err := w.pastes.Raw(t.Context(), policy.Nobody, shares.Visit{Slug: "s", Known: known}); err != nil || !r.Fresh || r.Views != 0 {
		t.Fatalf("known content: got fresh %t, views %d, error %v", r.Fresh, r.Views, err)
	}
	first, err := w.read("s")
	if err != nil || !first.Last || first.Ticket == "" {
		t.Fatalf("the only view: got last %t, ticket %q, error %v", first.Last, first.Ticket, err)
	}
	again, err := w.pastes.Raw(t.Context(), policy.Nobody, shares.Visit{Slug: "s", Ticket: first.Ticket})
	if err != nil || string(again.Content) != "hello" {
		t.Fatalf("with the visit's ticket: %v", err)
	}
	if r, err := w.pastes.Raw(t.Context(), policy.Nobody, shares.Visit{Slug: "s", Ticket: first.Ticket + "?password=x"}); err != nil || r.Views != 1 {
		t.Errorf("with a ticket that an old page appended to: %v", err)
	}
	w.clock.Add(shares.VisitLength)
	_, err = w.pastes.Raw(t.Context(), policy.Nobody, shares.Visit{Slug: "s", Ticket: first.Ticket})
	wantCode(t, err, ports.Gone, "used_up")
}

func TestTicketsAreBoundToShareVersionAndEnd(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "one", Terms: shares.Terms{Password: "pw"}})
	two := w.paste(shares.NewPaste{Slug: "two", Terms: shares.Terms{Password: "pw"}})
	r, err := w.pastes.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "two", Password: "pw"})
	if err != nil {
		t.Fatal(err)
	}
	open := func(slug, ticket string) error {
		_, err := w.pastes.Raw(t.Context(), policy.Nobody, shares.Visit{Slug: slug, Ticket: ticket})
		return err
	}
	if err := open("two", r.Ticket); err != nil {
		t.Errorf("the ticket of the visit: %v", err)
	}
	for name, ticket := range map[string]string{
		"":                       "",
		"without a signature":    strings.Split(r.Ticket, ".")[0],
		"with a later end":       "zzzzzz" + r.Ticket[6:],
		"with a changed ending":  r.Ticket[:len(r.Ticket)-2] + "AA",
		"of something else":      "x.y",
		"with only a dot inside": ".",
	} {
		if err := open("two", ticket); !ports.Is(err, ports.Unauthenticated) {
			t.Errorf("a ticket %s: got %v", name, err)
		}
	}
	wantCode(t, open("one", r.Ticket), ports.Unauthenticated, "password_required")
	if _, err := w.pastes.Update(t.Context(), keyA, two.ID, shares.PasteChange{Content: []byte("new")}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, open("two", r.Ticket), ports.Unauthenticated, "password_required")
}

func TestExpiryHoldsAtExactlyItsTime(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "limited", Terms: shares.Terms{ExpiresAt: at(time.Hour), MaxViews: 9}})
	w.paste(shares.NewPaste{Slug: "plain", Terms: shares.Terms{ExpiresAt: at(time.Hour)}})
	w.paste(shares.NewPaste{Slug: "locked", Terms: shares.Terms{ExpiresAt: at(time.Hour), Password: "pw"}})
	w.clock.Add(time.Hour - time.Millisecond)
	for _, slug := range []string{"limited", "plain", "locked"} {
		if _, err := w.read(slug); err != nil {
			t.Errorf("%s, a moment before: %v", slug, err)
		}
	}
	r, _ := w.read("limited")
	w.clock.Add(time.Millisecond)
	for _, slug := range []string{"limited", "plain", "locked"} {
		_, err := w.read(slug)
		wantCode(t, err, ports.Gone, "expired")
		_, err = w.pastes.Raw(t.Context(), policy.Nobody, shares.Visit{Slug: slug, Ticket: r.Ticket})
		wantCode(t, err, ports.Gone, "expired")
		_, err = w.pastes.Peek(t.Context(), policy.Nobody, slug)
		wantCode(t, err, ports.Gone, "expired")
	}
}

func TestProtectedPastes(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "s", Remark: "secret remark", Terms: shares.Terms{Password: "pw", MaxViews: 2}})
	w.paste(shares.NewPaste{Slug: "open"})
	r, err := w.read("s")
	if err != nil || !r.Locked || r.Views != 0 {
		t.Fatalf("got locked %t, views %d, error %v", r.Locked, r.Views, err)
	}
	peek, err := w.pastes.Peek(t.Context(), policy.Nobody, "s")
	if err != nil || !peek.Protected || peek.Size != 0 || peek.ExpiresAt != nil || peek.Remark+peek.Start != "" {
		t.Errorf("a peek tells %+v, %v", peek, err)
	}
	w.paste(shares.NewPaste{Slug: "counted", Content: []byte("text"), Remark: "counted", Terms: shares.Terms{MaxViews: 2}})
	if peek, err := w.pastes.Peek(t.Context(), policy.Nobody, "counted"); err != nil || peek.Remark+peek.Start != "" {
		t.Errorf("a peek of a counted paste tells %+v, %v", peek, err)
	}
	w.paste(shares.NewPaste{Slug: "long", Content: []byte(strings.Repeat("港", shares.StartLength)), Remark: "harbour"})
	if peek, err := w.pastes.Peek(t.Context(), policy.Nobody, "long"); err != nil || peek.Remark != "harbour" || peek.Start != strings.Repeat("港", shares.StartLength/3) {
		t.Errorf("a peek of an open paste tells %+v, %v", peek, err)
	}
	for name, c := range map[string]struct {
		slug, password string
		code           ports.Code
		key            string
	}{
		"no password":            {"s", "", ports.Invalid, "password_required"},
		"a wrong password":       {"s", "no", ports.Unauthenticated, "password_wrong"},
		"a very long password":   {"s", strings.Repeat("x", 5000), ports.Unauthenticated, "password_wrong"},
		"a paste without one":    {"open", "pw", ports.Invalid, "invalid_argument"},
		"an unknown paste":       {"none", "pw", ports.NotFound, "not_found"},
		"a slug that cannot be":  {"no such", "pw", ports.NotFound, "not_found"},
		"a slug that climbs out": {"../s", "pw", ports.NotFound, "not_found"},
	} {
		_, err := w.pastes.Verify(from("192.0.2.9"), policy.Nobody, shares.Visit{Slug: c.slug, Password: c.password})
		if ports.CodeOf(err) != c.code {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for want := int64(1); want <= 2; want++ {
		r, err := w.pastes.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s", Password: "pw"})
		if err != nil || r.Views != want || r.Last != (want == 2) || string(r.Content) != "hello" || r.Ticket == "" {
			t.Errorf("view %d: got views %d, last %t, error %v", want, r.Views, r.Last, err)
		}
	}
	_, err = w.pastes.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s", Password: "pw"})
	wantCode(t, err, ports.Gone, "used_up")
}

func TestSecurity4_5_GuessesAreLimited(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "s", Terms: shares.Terms{Password: "pw"}})
	guess := func(address, password string) error {
		_, err := w.pastes.Verify(from(address), policy.Nobody, shares.Visit{Slug: "s", Password: password})
		return err
	}
	if err := guess("192.0.2.2", "pw"); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		wantCode(t, guess("192.0.2.1", "no"), ports.Unauthenticated, "password_wrong")
	}
	err := guess("192.0.2.1", "pw")
	wantCode(t, err, ports.RateLimited, "rate_limited")
	var e *ports.Error
	if errors.As(err, &e); e.RetryAfter <= 0 {
		t.Error("the refusal names no time to wait")
	}
	if err := guess("192.0.2.2", "pw"); err != nil {
		t.Errorf("who knows the password, from another address: %v", err)
	}
	for i := range 90 {
		wantCode(t, guess(fmt.Sprintf("2001:db8:%x::1", i), "no"), ports.Unauthenticated, "password_wrong")
	}
	w.clock.Add(time.Second)
	wantCode(t, guess("198.51.100.1", "pw"), ports.RateLimited, "rate_limited")
	w.clock.Add(30 * time.Second)
	if err := guess("198.51.100.1", "pw"); err != nil {
		t.Errorf("after the slow wait: %v", err)
	}
}

func TestSecurityL1_IPv6CountsByItsNetwork(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "s", Terms: shares.Terms{Password: "pw"}})
	for i := range 10 {
		_, err := w.pastes.Verify(from(fmt.Sprintf("2001:db8::%x", i+1)), policy.Nobody, shares.Visit{Slug: "s", Password: "no"})
		wantCode(t, err, ports.Unauthenticated, "password_wrong")
	}
	_, err := w.pastes.Verify(from("2001:db8::ffff"), policy.Nobody, shares.Visit{Slug: "s", Password: "pw"})
	wantCode(t, err, ports.RateLimited, "rate_limited")
	if _, err := w.pastes.Verify(from("2001:db8:0:1::1"), policy.Nobody, shares.Visit{Slug: "s", Password: "pw"}); err != nil {
		t.Errorf("from the next network: %v", err)
	}
}

func TestAProvedPasswordIsNotHashedAgainFromThatAddress(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "s", Terms: shares.Terms{Password: "pw"}})
	open := func() {
		t.Helper()
		if _, err := w.pastes.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s", Password: "pw"}); err != nil {
			t.Fatal(err)
		}
	}
	open()
	open()
	if _, checks := w.hasher.Calls(); checks != 1 {
		t.Errorf("got %d checks, want 1", checks)
	}
	if _, err := w.pastes.Update(t.Context(), keyA, p.ID, shares.PasteChange{Content: []byte("x"), Password: "new"}); err != nil {
		t.Fatal(err)
	}
	_, err := w.pastes.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s", Password: "pw"})
	wantCode(t, err, ports.Unauthenticated, "password_wrong")
}

func TestGateThatCannotReadItsHashStaysShut(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "s", Terms: shares.Terms{Password: "pw"}})
	w.hasher.Failure = ports.ErrUnavailable
	_, err := w.pastes.Raw(t.Context(), policy.Nobody, shares.Visit{Slug: "s", Password: "pw"})
	wantCode(t, err, ports.Unavailable, "storage_unavailable")
}

func TestSecurity4_5_UnknownSlugsAreLimitedByAddress(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "s"})
	for i := range 60 {
		_, err := w.pastes.Read(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: fmt.Sprint("x", i)})
		wantCode(t, err, ports.NotFound, "not_found")
	}
	_, err := w.pastes.Read(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s"})
	wantCode(t, err, ports.RateLimited, "rate_limited")
	if _, err := w.pastes.Read(from("192.0.2.2"), policy.Nobody, shares.Visit{Slug: "s"}); err != nil {
		t.Errorf("from another address: %v", err)
	}
	w.clock.Add(time.Minute)
	if _, err := w.pastes.Read(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s"}); err != nil {
		t.Errorf("a minute later: %v", err)
	}
}

func TestUpdateKeepsWhatIsNotSet(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "s", Remark: "r", Syntax: "go", Terms: shares.Terms{Password: "pw", ExpiresAt: at(time.Hour), MaxViews: 5}})
	if _, err := w.pastes.Verify(t.Context(), policy.Nobody, shares.Visit{Slug: "s", Password: "pw"}); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(time.Minute)
	got, err := w.pastes.Update(t.Context(), keyA, "s", shares.PasteChange{Content: []byte("other")})
	if err != nil {
		t.Fatal(err)
	}
	want := *p
	want.Content, want.Version, want.Views, want.UpdatedAt = []byte("other"), 2, 1, w.clock.Now()
	if diff := cmp.Diff(*got, want); diff != "" {
		t.Error(diff)
	}
	if got.ETag() == p.ETag() {
		t.Error("the ETag did not change")
	}
}

func TestUpdateChangesWhatIsSet(t *testing.T) {
	keep := []byte("hello")
	for name, c := range map[string]struct {
		in    shares.PasteChange
		check func(*shares.Paste) bool
	}{
		"remark":               {shares.PasteChange{Content: keep, Remark: shares.To("")}, func(p *shares.Paste) bool { return p.Remark == "" }},
		"expiry to never":      {shares.PasteChange{Content: keep, ExpiresAt: shares.To[*time.Time](nil)}, func(p *shares.Paste) bool { return p.ExpiresAt == nil }},
		"views to unlimited":   {shares.PasteChange{Content: keep, MaxViews: shares.To[int64](0)}, func(p *shares.Paste) bool { return p.MaxViews == 0 && p.Views == 0 }},
		"a new limit":          {shares.PasteChange{Content: keep, MaxViews: shares.To[int64](7)}, func(p *shares.Paste) bool { return p.MaxViews == 7 && p.Views == 0 }},
		"password":             {shares.PasteChange{Content: keep, Password: "new", ClearPassword: true}, func(p *shares.Paste) bool { return p.Protected() && !strings.Contains(p.PasswordHash, "old") }},
		"no password":          {shares.PasteChange{Content: keep, ClearPassword: true}, func(p *shares.Paste) bool { return !p.Protected() }},
		"slug":                 {shares.PasteChange{Content: keep, Slug: shares.To("other")}, func(p *shares.Paste) bool { return p.Slug == "other" }},
		"slug to a random one": {shares.PasteChange{Content: keep, Slug: shares.To("")}, func(p *shares.Paste) bool { return len(p.Slug) == 10 }},
		"slug to itself":       {shares.PasteChange{Content: keep, Slug: shares.To("s")}, func(p *shares.Paste) bool { return p.Slug == "s" }},
		"matching ETag":        {shares.PasteChange{Content: keep, IfMatch: "same"}, func(p *shares.Paste) bool { return p.Version == 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := w.paste(shares.NewPaste{Slug: "s", Remark: "r", Terms: shares.Terms{Password: "old", ExpiresAt: at(time.Hour), MaxViews: 5}})
			if _, err := w.pastes.Verify(t.Context(), policy.Nobody, shares.Visit{Slug: "s", Password: "old"}); err != nil {
				t.Fatal(err)
			}
			if c.in.IfMatch != "" {
				c.in.IfMatch = p.ETag()
			}
			got, err := w.pastes.Update(t.Context(), keyA, p.ID, c.in)
			if err != nil {
				t.Fatal(err)
			}
			if !c.check(got) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestUpdateRefuses(t *testing.T) {
	ok := []byte("x")
	for name, c := range map[string]struct {
		who  policy.Principal
		id   string
		in   shares.PasteChange
		code ports.Code
		key  string
	}{
		"empty content":         {keyA, "s", shares.PasteChange{}, ports.Invalid, "invalid_argument"},
		"negative views":        {keyA, "s", shares.PasteChange{Content: ok, MaxViews: shares.To[int64](-1)}, ports.Invalid, "invalid_argument"},
		"bad slug":              {keyA, "s", shares.PasteChange{Content: ok, Slug: shares.To("a b")}, ports.Invalid, "slug_invalid"},
		"taken slug":            {keyA, "s", shares.PasteChange{Content: ok, Slug: shares.To("taken")}, ports.Conflict, "slug_taken"},
		"past expiry":           {keyA, "s", shares.PasteChange{Content: ok, ExpiresAt: shares.To(at(-time.Hour))}, ports.Invalid, "invalid_argument"},
		"another version":       {keyA, "s", shares.PasteChange{Content: ok, IfMatch: `"old"`}, ports.Precondition, "precondition_failed"},
		"unknown":               {keyA, "none", shares.PasteChange{Content: ok}, ports.NotFound, "not_found"},
		"somebody else's":       {keyB, "s", shares.PasteChange{Content: ok}, ports.NotFound, "not_found"},
		"without permission":    {noBits, "s", shares.PasteChange{Content: ok}, ports.Forbidden, "permission_denied"},
		"nobody":                {policy.Nobody, "s", shares.PasteChange{Content: ok}, ports.Unauthenticated, "unauthenticated"},
		"nobody, unknown paste": {policy.Nobody, "none", shares.PasteChange{Content: ok}, ports.Unauthenticated, "unauthenticated"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			before := w.paste(shares.NewPaste{Slug: "s", Terms: shares.Terms{MaxViews: 3}})
			w.paste(shares.NewPaste{Slug: "taken"})
			_, err := w.pastes.Update(t.Context(), c.who, c.id, c.in)
			wantCode(t, err, c.code, c.key)
			after, _ := w.pastes.Get(t.Context(), admin, before.ID)
			if diff := cmp.Diff(after, before); diff != "" {
				t.Errorf("a refused update changed the paste: %s", diff)
			}
		})
	}
}

func TestUpdateProlongsAnExpiredPaste(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "s", Terms: shares.Terms{ExpiresAt: at(time.Hour)}})
	w.clock.Add(2 * time.Hour)
	_, err := w.pastes.Update(t.Context(), keyA, "s", shares.PasteChange{Content: []byte("x")})
	wantCode(t, err, ports.Gone, "expired")
	if _, err := w.pastes.Update(t.Context(), keyA, "s", shares.PasteChange{Content: []byte("x"), ExpiresAt: shares.To(at(5 * time.Hour))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.read("s"); err != nil {
		t.Error(err)
	}
}

func TestUpdateOfAUsedUpPasteIsGone(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "s", Terms: shares.Terms{MaxViews: 1}})
	if _, err := w.read("s"); err != nil {
		t.Fatal(err)
	}
	_, err := w.pastes.Update(t.Context(), keyA, "s", shares.PasteChange{Content: []byte("x"), MaxViews: shares.To[int64](5)})
	wantCode(t, err, ports.Gone, "used_up")
}

func TestReadersSeeChangesAtOnce(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "s"})
	first, _ := w.read("s")
	second, _ := w.read("s")
	if first.Snapshot != second.Snapshot {
		t.Error("an unlimited paste is not kept in memory")
	}
	if _, err := w.pastes.Update(t.Context(), keyA, p.ID, shares.PasteChange{Content: []byte("new"), Slug: shares.To("t")}); err != nil {
		t.Fatal(err)
	}
	_, err := w.read("s")
	wantCode(t, err, ports.NotFound, "not_found")
	if r, err := w.read("t"); err != nil || string(r.Content) != "new" || r.Views != 3 {
		t.Errorf("got %q with %d views, %v", r.Content, r.Views, err)
	}
	w.clock.Add(time.Minute)
	w.read("t")
	if n, err := w.pastes.Delete(t.Context(), keyA, []string{p.ID}); n != 1 || err != nil {
		t.Fatalf("deleted %d, %v", n, err)
	}
	_, err = w.read("t")
	wantCode(t, err, ports.NotFound, "not_found")
	if got := w.events.Published(); len(got) != 2 || got[0] != "paste/"+p.ID {
		t.Errorf("told other nodes %v", got)
	}
}

func TestAnotherNodesChangeDropsTheCachedPaste(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "s"})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { w.pastes.Run(ctx); close(done) }()
	w.read("s")
	other := shares.NewPastes(w.deps)
	if _, err := other.Update(t.Context(), keyA, p.ID, shares.PasteChange{Content: []byte("new")}); err != nil {
		t.Fatal(err)
	}
	for { // Run subscribes in its own time
		w.events.Arrive("paste", p.ID)
		if r, err := w.read("s"); err != nil {
			t.Fatal(err)
		} else if string(r.Content) == "new" {
			break
		}
	}
	cancel()
	<-done
	if stored, _ := w.deps.Pastes.Get(t.Context(), p.ID); stored.Views == 0 {
		t.Error("Run ended without storing the counted views")
	}
}

func TestCacheIsBounded(t *testing.T) {
	w := newWorld(t)
	w.deps.CacheBytes = 64 << 10
	w.pastes = shares.NewPastes(w.deps)
	big, small := bytes.Repeat([]byte("x"), 16<<10), bytes.Repeat([]byte("x"), 1<<10)
	w.paste(shares.NewPaste{Slug: "big", Content: big})
	a, _ := w.read("big")
	b, _ := w.read("big")
	if a.Snapshot == b.Snapshot {
		t.Error("a paste over an eighth of the cache is kept")
	}
	w.paste(shares.NewPaste{Slug: "first", Content: small})
	first, _ := w.read("first")
	for i := range 40 {
		slug := fmt.Sprint("n", i)
		w.paste(shares.NewPaste{Slug: slug, Content: small})
		w.read(slug)
	}
	if again, _ := w.read("first"); again.Snapshot == first.Snapshot {
		t.Error("the least used paste is still kept")
	}
}

func TestListsFollowTheScope(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("文", 201)
	w.paste(shares.NewPaste{Slug: "a1", Content: []byte(long)})
	w.clock.Add(time.Second)
	if _, err := w.pastes.Create(t.Context(), keyB, shares.NewPaste{Content: []byte("b"), Slug: "b1", Remark: "100%"}); err != nil {
		t.Fatal(err)
	}
	slugs := func(who policy.Principal, f shares.PasteFilter) (out []string) {
		t.Helper()
		page, _, err := w.pastes.List(t.Context(), who, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Items {
			out = append(out, p.Slug)
		}
		return out
	}
	for _, c := range []struct {
		name string
		who  policy.Principal
		f    shares.PasteFilter
		want []string
	}{
		{"the admin sees all, newest first", admin, shares.PasteFilter{}, []string{"b1", "a1"}},
		{"a key sees its own", keyA, shares.PasteFilter{}, []string{"a1"}},
		{"a key cannot ask for another's", keyA, shares.PasteFilter{CreatedBy: "apikey:b"}, []string{"a1"}},
		{"the admin can", admin, shares.PasteFilter{CreatedBy: "apikey:b"}, []string{"b1"}},
		{"a percent sign is itself", admin, shares.PasteFilter{Search: "%"}, []string{"b1"}},
		{"an underscore is itself", admin, shares.PasteFilter{Search: "_"}, nil},
		{"past the end", admin, shares.PasteFilter{Paging: ports.Paging{Offset: 5}}, nil},
	} {
		if diff := cmp.Diff(slugs(c.who, c.f), c.want); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	_, paging, _ := w.pastes.List(t.Context(), admin, shares.PasteFilter{Paging: ports.Paging{Limit: 5000, Offset: -3}})
	if paging != (ports.Paging{Limit: 1000}) {
		t.Errorf("got %+v", paging)
	}
	if _, paging, _ = w.pastes.List(t.Context(), admin, shares.PasteFilter{}); paging.Limit != 10 {
		t.Errorf("the admin's page has %d rows, want 10", paging.Limit)
	}
	if _, paging, _ = w.pastes.List(t.Context(), keyA, shares.PasteFilter{}); paging.Limit != 30 {
		t.Errorf("a key's page has %d rows, want 30", paging.Limit)
	}
}

func TestDeleteTakesOwnPastesOnly(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "s"})
	if n, err := w.pastes.Delete(t.Context(), keyB, []string{p.ID, "nosuch"}); n != 0 || err != nil {
		t.Errorf("another key deleted %d, %v", n, err)
	}
	_, err := w.pastes.Delete(t.Context(), keyA, nil)
	wantCode(t, err, ports.Invalid, "invalid_argument")
	_, err = w.pastes.Delete(t.Context(), keyA, make([]string, 1001))
	wantCode(t, err, ports.Invalid, "invalid_argument")
	_, err = w.pastes.Delete(t.Context(), noBits, []string{p.ID})
	wantCode(t, err, ports.Forbidden, "permission_denied")
	if n, err := w.pastes.Delete(t.Context(), admin, []string{p.ID, "nosuch"}); n != 1 || err != nil {
		t.Errorf("the admin deleted %d, %v", n, err)
	}
}

func TestClearExpiredIsForTheAdmin(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "stays"})
	w.paste(shares.NewPaste{Slug: "old", Terms: shares.Terms{ExpiresAt: at(time.Minute)}})
	w.paste(shares.NewPaste{Slug: "used", Terms: shares.Terms{MaxViews: 1}})
	w.read("used")
	w.clock.Add(time.Minute)
	_, err := w.pastes.ClearExpired(t.Context(), keyA)
	wantCode(t, err, ports.Forbidden, "permission_denied")
	if n, err := w.pastes.ClearExpired(t.Context(), admin); n != 2 || err != nil {
		t.Errorf("cleared %d, %v; want 2", n, err)
	}
	if numbers, _ := w.pastes.Numbers(t.Context(), 3); numbers.Total != 1 || cmp.Diff(numbers.PerDay, []int{0, 0, 1}) != "" {
		t.Errorf("got %+v", numbers)
	}
}

func TestPolicyIsAskedOnceBeforeAnythingIsTouched(t *testing.T) {
	p, v := shares.PasteChange{Content: []byte("x")}, shares.Visit{Slug: "none", Password: "x"}
	for do, call := range map[policy.Action]func(*world) error{
		policy.PasteCreate: func(w *world) error {
			_, err := w.pastes.Create(w.t.Context(), admin, shares.NewPaste{Content: []byte("x")})
			return err
		},
		policy.PasteList: func(w *world) error {
			_, _, err := w.pastes.List(w.t.Context(), admin, shares.PasteFilter{})
			return err
		},
		policy.PasteReadOwn:      func(w *world) error { _, err := w.pastes.Get(w.t.Context(), admin, "none"); return err },
		policy.PasteUpdate:       func(w *world) error { _, err := w.pastes.Update(w.t.Context(), admin, "none", p); return err },
		policy.PasteDelete:       func(w *world) error { _, err := w.pastes.Delete(w.t.Context(), admin, []string{"x"}); return err },
		policy.PasteClearExpired: func(w *world) error { _, err := w.pastes.ClearExpired(w.t.Context(), admin); return err },
		policy.ShareVerify:       func(w *world) error { _, err := w.pastes.Verify(w.t.Context(), admin, v); return err },
		policy.ShareView:         func(w *world) error { _, err := w.pastes.Raw(w.t.Context(), admin, v); return err },
		policy.FileList: func(w *world) error {
			_, _, err := w.files.List(w.t.Context(), admin, shares.FileFilter{})
			return err
		},
		policy.FileReadOwn: func(w *world) error { _, _, err := w.files.Get(w.t.Context(), admin, "none"); return err },
		policy.FileUpdate: func(w *world) error {
			_, err := w.files.Update(w.t.Context(), admin, "none", shares.FileChange{})
			return err
		},
		policy.FileDelete: func(w *world) error {
			_, err := w.files.Delete(w.t.Context(), admin, []string{"x"}, shares.DeleteBoth)
			return err
		},
		policy.FileUpload: func(w *world) error {
			_, err := w.uploads.Upload(w.t.Context(), admin, shares.NewUpload{Filename: "a"}, strings.NewReader(""), 0)
			return err
		},
		policy.ShareDownload: func(w *world) error {
			_, err := w.visits.Open(w.t.Context(), admin, policy.ShareDownload, v)
			return err
		},
		policy.SharePreview: func(w *world) error { _, err := w.visits.Office(w.t.Context(), admin, v); return err },
	} {
		t.Run(string(do), func(t *testing.T) {
			w := newWorld(t)
			_ = call(w)
			if diff := cmp.Diff(w.decider.actions(), []policy.Action{do}); diff != "" {
				t.Errorf("asked: %s", diff)
			}
			w = newWorld(t)
			w.decider.failure = errors.New("no policy")
			w.bucket.Fail = func(method, _ string) error { t.Errorf("storage was asked to %s", method); return nil }
			wantCode(t, call(w), ports.Unavailable, "policy_unavailable")
		})
	}
}

func TestObligationsNarrowNewShares(t *testing.T) {
	for name, c := range map[string]struct {
		limits policy.Obligations
		terms  shares.Terms
		reason string
	}{
		"no end where one is due":   {policy.Obligations{ShareMaxAge: 3600}, shares.Terms{}, "share_max_age"},
		"too late an end":           {policy.Obligations{ShareMaxAge: 3600}, shares.Terms{ExpiresAt: at(2 * time.Hour)}, "share_max_age"},
		"no limit where one is due": {policy.Obligations{ShareMaxViews: 3}, shares.Terms{}, "share_max_views"},
		"too many views":            {policy.Obligations{ShareMaxViews: 3}, shares.Terms{MaxViews: 4}, "share_max_views"},
		"too much content":          {policy.Obligations{MaxSize: 4}, shares.Terms{}, "max_size"},
		"all within":                {policy.Obligations{ShareMaxAge: 3600, ShareMaxViews: 3, MaxSize: 5}, shares.Terms{MaxViews: 3, ExpiresAt: at(time.Hour)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.decider.limits = c.limits
			_, err := w.pastes.Create(t.Context(), keyA, shares.NewPaste{Content: []byte("hello"), Terms: c.terms})
			if c.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if c.reason == "max_size" {
				wantCode(t, err, ports.TooLarge, "too_large")
			} else {
				wantCode(t, err, ports.Forbidden, "policy_denied")
			}
			var e *ports.Error
			if errors.As(err, &e); e.Reason != c.reason {
				t.Errorf("got reason %q, want %q", e.Reason, c.reason)
			}
		})
	}
}

// signalled tells when a flush has begun to store views.
type signalled struct {
	shares.PasteRepository
	began chan struct{}
}

func (r signalled) AddViews(ctx context.Context, views map[string]int64) error {
	close(r.began)
	return r.PasteRepository.AddViews(ctx, views)
}

func TestAnUpdateInsideATransactionDoesNotWaitForAFlush(t *testing.T) {
	w := newWorld(t)
	began := make(chan struct{})
	w.deps.Pastes = signalled{w.deps.Pastes, began}
	w.pastes = shares.NewPastes(w.deps)
	p := w.paste(shares.NewPaste{Slug: "s"})
	w.read("s")
	flushed := make(chan error)
	err := w.db.Do(t.Context(), func(ctx context.Context) error {
		go func() { flushed <- w.pastes.Flush(context.Background()) }()
		<-began // the flush waits for this transaction, which must not wait for it
		_, err := w.pastes.Update(ctx, keyA, p.ID, shares.PasteChange{Content: []byte("new")})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	if got, _ := w.pastes.Get(t.Context(), keyA, p.ID); got.Views != 1 {
		t.Errorf("got %d views, want 1", got.Views)
	}
}
