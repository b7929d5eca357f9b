package requests

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"pasteport/domain/internal/keymutex"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Bounds on failed guesses at the password of a request, as for shares.
const (
	guessesPerAddress = 10 // in 15 minutes
	guessesPerRequest = 100
)

// Bounds on files that are on their way: a stranger who announces many and sends
// none keeps nobody else away for long.
const (
	underWayPerVisit   = 20
	underWayPerRequest = 200
)

// Form is what a sender sees of a request.
type Form struct {
	Protected bool // without a visit nothing else is told
	Title     string
	Message   string
	Rules
	ExpiresAt *time.Time
	Visit     string // the secret that goes with every call of this sender
	Files     []File // of this visit, newest first
}

// Senders are the requests as those see them who send. It is safe for concurrent
// use.
type Senders struct {
	d        Deps
	guessing keymutex.Mutex[string] // by request and address
}

// NewSenders returns the senders' side of requests.
func NewSenders(q *Requests) *Senders { return &Senders{d: q.d} }

// find returns a request that is open. Whose key is gone is closed.
func (s *Senders) find(ctx context.Context, slug string) (*Request, error) {
	if len(slug) != slugLength {
		return nil, ErrUnknown
	}
	r, err := s.d.Requests.BySlug(ctx, slug)
	if ports.Is(err, ports.NotFound) {
		return nil, ErrUnknown.With(err)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// View shows the form of a request; of one with a password only that it has one,
// unless the visit proves it. It asks request.view.
//
// Returns NotFound for an unknown link, Gone for a request that has ended, has
// passed its deadline, or whose owner is gone.
func (s *Senders) View(ctx context.Context, who policy.Principal, slug, visit string) (*Form, error) {
	r, err := s.view(ctx, who, slug)
	if err != nil {
		return nil, err
	}
	id, admitted := s.admits(r, visit)
	if !admitted {
		if r.Protected() {
			return &Form{Protected: true}, nil
		}
		return r.form(""), nil
	}
	form := r.form(visit)
	page, err := s.d.Files.List(ctx, FileFilter{RequestID: r.ID, Visit: id})
	form.Files = page.Items
	for i := range form.Files {
		form.Files[i].State = form.Files[i].standing(s.d.Clock.Now())
	}
	return form, err
}

func (s *Senders) view(ctx context.Context, who policy.Principal, slug string) (*Request, error) {
	r, err := s.find(ctx, slug)
	if err != nil && !errors.Is(err, ErrUnknown) {
		return nil, err
	}
	now, on := s.d.Clock.Now(), policy.Resource{Kind: policy.KindRequest}
	if err == nil {
		on = r.resource(now)
	}
	if _, refused := policy.Check(ctx, s.d.Decider, who, policy.RequestView, on); refused != nil {
		return nil, askedSender(refused)
	}
	if err != nil {
		return nil, err
	}
	if err := r.open(now); err != nil {
		return nil, err
	}
	_, err = s.d.owner(ctx, r)
	return r, err
}

func (r *Request) form(visit string) *Form {
	return &Form{Protected: r.Protected(), Title: r.Title, Message: r.Message, Rules: r.Rules, ExpiresAt: r.ExpiresAt, Visit: visit}
}

// askedSender is the refusal of a policy for somebody whom signing in would not
// help.
func askedSender(err error) error {
	var e *ports.Error
	if errors.As(err, &e) && (e.Code == ports.Unauthenticated || e.Code == ports.Forbidden) {
		refused := *errRefused
		refused.Reason, refused.Cause = e.Reason, err
		return &refused
	}
	return err
}

// Enter begins a visit: its secret is what tells one sender from another. It asks
// request.view.
//
// Returns the errors of View; Unauthenticated when a password is needed or wrong,
// RateLimited after too many wrong ones.
func (s *Senders) Enter(ctx context.Context, who policy.Principal, slug, password string) (*Form, error) {
	r, err := s.view(ctx, who, slug)
	if err != nil {
		return nil, err
	}
	if r.Protected() {
		if err := s.unlock(ctx, r, password); err != nil {
			return nil, err
		}
	}
	id := s.d.Random.Text(slugLength)
	return r.form(id + "." + s.sum(r, id)), nil
}

// unlock checks a password and counts failures per request and address, and per
// request.
func (s *Senders) unlock(ctx context.Context, r *Request, password string) error {
	if password == "" {
		return errVisit
	}
	here := ports.GuessLimit{Subject: "request|" + r.ID + "|" + policy.ClientOf(ctx), Max: guessesPerAddress, Window: 15 * time.Minute}
	anywhere := ports.GuessLimit{Subject: "request|" + r.ID, Max: guessesPerRequest, Window: time.Hour, Slow: 30 * time.Second}
	// One at a time, so that a burst cannot pass the limit before its first
	// failure is counted.
	done, err := s.guessing.Lock(ctx, here.Subject)
	if err != nil {
		return err
	}
	defer done()
	wait, err := s.d.Guesses.Check(ctx, here, anywhere)
	if err != nil {
		return err
	}
	if wait > 0 {
		return &ports.Error{Code: ports.RateLimited, Key: "rate_limited", Text: "too_many_guesses", RetryAfter: wait}
	}
	ok := false
	if len(password) <= MaxPassword {
		if ok, err = s.d.Hasher.Verify(ctx, password, r.PasswordHash); err != nil {
			return err
		}
	}
	if !ok {
		if err := s.d.Guesses.Fail(ctx, here, anywhere); err != nil {
			return err
		}
		return errWrong
	}
	return s.d.Guesses.Forget(ctx, here)
}

// sum proves that a visit was begun here. Another password ends it.
func (s *Senders) sum(r *Request, id string) string {
	sum := s.d.MAC.Sum("request-visit", []byte(strings.Join([]string{r.ID, id, r.PasswordHash}, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// admits returns the name of a visit of the request, and whether it is one.
func (s *Senders) admits(r *Request, visit string) (id string, ok bool) {
	id, sum, found := strings.Cut(visit, ".")
	return id, found && hmac.Equal([]byte(sum), []byte(s.sum(r, id)))
}
