package requests

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// Owners tells who the owners of requests are by now.
type Owners interface {
	// Now returns a principal with the rights it has at the moment. Returns
	// NotFound when it is no more, is disabled or has expired.
	Now(ctx context.Context, owner policy.Principal) (policy.Principal, error)
}

// Deps are what Requests need.
type Deps struct {
	Requests Repository
	Files    FileRepository
	Work     ports.UnitOfWork
	Owners   Owners
	Tree     upload.Inbox // of requests with a folder
	Shares   upload.Inbox // of all others
	// TypeOf tells the media type of a content by its first bytes, without
	// parameters.
	TypeOf  func(head []byte) string
	Decider policy.Decider
	Hasher  ports.Hasher
	Guesses ports.Guesses
	MAC     ports.MAC
	Random  ports.Random
	Clock   ports.Clock
	Outbox  event.Outbox // nil: nobody is told
	// Refusals mark of which refusals owners were told; nil: of none.
	Refusals Refusals
	// Beat is how often who takes a content says that it goes on; zero means 22 s.
	Beat time.Duration
	// Report takes errors of work that nobody waits for. Nil means silence.
	Report func(doing string, err error)
}

func (d *Deps) report(doing string, err error) {
	if err != nil && d.Report != nil {
		d.Report(doing, err)
	}
}

// Requests are the links through which others send files, for their owners. It is
// safe for concurrent use.
type Requests struct{ d Deps }

// New returns the requests over the ports of d.
func New(d Deps) *Requests { return &Requests{d} }

// inbox is where the files of a request go.
func (d *Deps) inbox(r *Request) upload.Inbox {
	if r.Folder == "" {
		return d.Shares
	}
	return d.Tree
}

// Draft is what a request is made of.
type Draft struct {
	Title   string
	Message string
	// Folder is a path of the tree; empty means file shares.
	Folder string
	Rules
	Password  string     // empty means none
	ExpiresAt *time.Time // nil means never
}

// Create makes a request. It asks request.create, and what the owner's own upload
// there is asked: mount.upload or file.upload.
//
// Returns Invalid for fields that no request may have, NotFound when there is no
// such folder.
func (q *Requests) Create(ctx context.Context, who policy.Principal, in Draft) (*Request, error) {
	folder, err := clean(in.Folder)
	if err != nil {
		return nil, err
	}
	now := q.d.Clock.Now()
	r := &Request{ID: q.d.Random.ID(), Title: in.Title, Message: in.Message, CreatedBy: who.Owner(), Folder: folder, Rules: in.Rules,
		ExpiresAt: utc(in.ExpiresAt), CreatedAt: now, UpdatedAt: now, Version: 1}
	on := r.resource(now)
	on.Share.HasPassword = in.Password != ""
	decision, err := policy.Check(ctx, q.d.Decider, who, policy.RequestCreate, on)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(r.check(), checkDeadline(r.ExpiresAt, now)); err != nil {
		return nil, err
	}
	if err := keep(decision.Obligations, on.Share.ExpiresIn); err != nil {
		return nil, err
	}
	if err := q.d.inbox(r).Check(ctx, who, r.Folder); err != nil {
		return nil, err
	}
	if r.PasswordHash, err = q.d.hash(ctx, in.Password); err != nil {
		return nil, err
	}
	r.Slug = q.d.Random.Text(slugLength)
	return r, q.d.Requests.Insert(ctx, r)
}

// keep holds a deadline to what the rules of the site demand of links.
func keep(o policy.Obligations, expiresIn int64) error {
	if o.ShareMaxAge > 0 && (expiresIn == 0 || expiresIn > o.ShareMaxAge) {
		return policy.Over("share_max_age", o.ShareMaxAge)
	}
	return nil
}

func (d *Deps) hash(ctx context.Context, password string) (string, error) {
	if password == "" {
		return "", nil
	}
	if len(password) > MaxPassword {
		return "", ports.InvalidInput("too_long", "password")
	}
	return d.Hasher.Hash(ctx, password)
}

// utc returns t in UTC, to the millisecond the API shows.
func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC().Truncate(time.Millisecond)
	return &u
}

// List gives one page of requests, newest first: their own to keys, all or one
// creator's to the admin. It asks request.list and obeys its scope.
func (q *Requests) List(ctx context.Context, who policy.Principal, f Filter) (ports.Page[Request], ports.Paging, error) {
	decision, err := policy.Check(ctx, q.d.Decider, who, policy.RequestList, policy.Resource{Kind: policy.KindRequest, Owner: who.Owner()})
	if err != nil {
		return ports.Page[Request]{}, ports.Paging{}, err
	}
	if decision.Scope != policy.All {
		f.CreatedBy = who.Owner()
	}
	if limit := int(decision.Obligations.ListLimit); limit > 0 && (f.Limit == 0 || f.Limit > limit) {
		f.Limit = limit
	}
	f.Now = q.d.Clock.Now()
	page, err := q.d.Requests.List(ctx, f)
	return page, f.Paging, err
}

// own finds a request and asks whether who may do this to it. One of somebody
// else is as unknown as what never was.
func (q *Requests) own(ctx context.Context, who policy.Principal, do policy.Action, id string) (*Request, policy.Decision, error) {
	r, missing := q.d.Requests.Get(ctx, id)
	if missing != nil && !ports.Is(missing, ports.NotFound) {
		return nil, policy.Decision{}, missing
	}
	on := policy.Resource{Kind: policy.KindRequest, Owner: who.Owner()}
	if missing == nil {
		on = r.resource(q.d.Clock.Now())
	}
	decision, err := policy.Check(ctx, q.d.Decider, who, do, on)
	var refused *ports.Error
	switch {
	case errors.As(err, &refused) && refused.Reason == "not_owner":
		return nil, decision, ErrUnknown.With(err)
	case err != nil:
		return nil, decision, err
	case missing != nil:
		return nil, decision, ErrUnknown.With(missing)
	}
	return r, decision, nil
}

// Get returns a request to its owner. It asks request.read_own. Returns NotFound
// for an unknown one and one of somebody else.
func (q *Requests) Get(ctx context.Context, who policy.Principal, id string) (*Request, error) {
	r, _, err := q.own(ctx, who, policy.RequestReadOwn, id)
	return r, err
}

// Received lists what has come through a request, newest first. It asks
// request.read_own. Returns the errors of Get.
func (q *Requests) Received(ctx context.Context, who policy.Principal, id string, p ports.Paging) (ports.Page[File], error) {
	r, _, err := q.own(ctx, who, policy.RequestReadOwn, id)
	if err != nil {
		return ports.Page[File]{}, err
	}
	return q.d.Files.List(ctx, FileFilter{Paging: p, RequestID: r.ID, Stored: true})
}

// Change is what an owner may change of a request; nil leaves a field.
type Change struct {
	Title        *string
	Message      *string
	MaxFiles     *int64
	MaxBytes     *int64
	MaxFileBytes *int64
	Types        *[]string
	PerSender    *bool
	Name, Note   *Ask
	Password     *string // empty takes it away
	// ExpiresAt is the new deadline where SetExpiry is true; nil means none.
	SetExpiry bool
	ExpiresAt *time.Time
	// IfMatch is the Tag that the request must still have; empty means any.
	IfMatch string
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// Update changes a request; what has come stays. It asks request.update. Returns
// the errors of Get and Create, Precondition when somebody else has changed it.
func (q *Requests) Update(ctx context.Context, who policy.Principal, id string, in Change) (ports.Change[Request], error) {
	r, decision, err := q.own(ctx, who, policy.RequestUpdate, id)
	if err != nil {
		return ports.Change[Request]{}, err
	}
	hash := r.PasswordHash
	if in.Password != nil {
		if hash, err = q.d.hash(ctx, *in.Password); err != nil {
			return ports.Change[Request]{}, err
		}
	}
	now, before := q.d.Clock.Now(), Request{}
	after, err := q.d.Requests.Update(ctx, r.ID, func(r *Request) error {
		before = *r
		if err := ports.Unchanged(in.IfMatch, r.Tag()); err != nil {
			return err
		}
		set(&r.Title, in.Title)
		set(&r.Message, in.Message)
		set(&r.MaxFiles, in.MaxFiles)
		set(&r.MaxBytes, in.MaxBytes)
		set(&r.MaxFileBytes, in.MaxFileBytes)
		set(&r.Types, in.Types)
		set(&r.PerSender, in.PerSender)
		set(&r.Name, in.Name)
		set(&r.Note, in.Note)
		if in.Password != nil {
			r.PasswordHash = hash
		}
		if in.SetExpiry {
			if err := checkDeadline(in.ExpiresAt, now); err != nil {
				return err
			}
			r.ExpiresAt = utc(in.ExpiresAt)
			if err := keep(decision.Obligations, r.resource(now).Share.ExpiresIn); err != nil {
				return err
			}
		}
		if !reflect.DeepEqual(before, *r) { // who sends back what there is conflicts with nobody
			r.Version++
			r.UpdatedAt = now
		}
		return r.check()
	})
	if err != nil {
		return ports.Change[Request]{}, err
	}
	return ports.Change[Request]{Before: before, After: *after}, nil
}

// End ends a request at once: nothing more begins, and what is on its way in parts
// is dropped; a body in one piece that is on its way may still arrive. What has
// come stays, and so does the record. Repeating it is harmless. It asks request.delete. Returns the errors of Get.
func (q *Requests) End(ctx context.Context, who policy.Principal, id string) (*Request, error) {
	r, _, err := q.own(ctx, who, policy.RequestDelete, id)
	if err != nil {
		return nil, err
	}
	return q.end(ctx, r)
}

func (q *Requests) end(ctx context.Context, r *Request) (*Request, error) {
	now := q.d.Clock.Now()
	ended, err := q.d.Requests.Update(ctx, r.ID, func(r *Request) error {
		if r.EndedAt == nil {
			r.EndedAt, r.UpdatedAt = &now, now
			r.Version++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, err = q.dropUnfinished(context.WithoutCancel(ctx), FileFilter{RequestID: r.ID, Unfinished: true}, func(f *File) bool { return f.SessionID != "" || !f.taken(now) })
	return ended, err
}

// Delete ends a request and forgets it, with the list of what has come; the files
// stay where they are. It asks request.delete. Returns the errors of Get.
func (q *Requests) Delete(ctx context.Context, who policy.Principal, id string) (*Request, error) {
	r, _, err := q.own(ctx, who, policy.RequestDelete, id)
	if err != nil {
		return nil, err
	}
	if _, err := q.end(ctx, r); err != nil {
		return nil, err
	}
	return r, q.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := q.d.Files.DeleteOf(ctx, r.ID); err != nil {
			return err
		}
		_, err := q.d.Requests.Delete(ctx, r.ID)
		return err
	})
}

// ownerOf is who made a request, as far as its record tells.
func ownerOf(createdBy string) policy.Principal {
	if id, isKey := strings.CutPrefix(createdBy, "apikey:"); isKey {
		return policy.Principal{Kind: policy.APIKey, ID: id}
	}
	return policy.Principal{Kind: policy.Admin, ID: createdBy, Permissions: policy.AllPermissions, BasicPath: "/"}
}

// owner is who made a request, with the rights of the moment: a key that was
// disabled or deleted receives nothing.
func (d *Deps) owner(ctx context.Context, r *Request) (policy.Principal, error) {
	owner, err := d.Owners.Now(ctx, ownerOf(r.CreatedBy))
	if ports.Is(err, ports.NotFound) {
		return owner, errClosed.With(err)
	}
	return owner, err
}

// Times of files that nobody finishes.
const (
	keptAnnounced = time.Hour      // one in one piece that was announced and not sent
	keptIdle      = 24 * time.Hour // one in parts of which none has come
	keptParts     = upload.Kept    // one in parts, which may be resumed
)

// lapsed reports whether nobody will finish a file any more.
func (f *File) lapsed(now time.Time) bool {
	kept := keptAnnounced
	switch {
	case f.SessionID != "":
		kept = keptParts
	case f.taken(now):
		return false
	}
	return !now.Before(f.CreatedAt.Add(kept))
}

// Sweep gives up the files that nobody finished and returns how many they were.
func (q *Requests) Sweep(ctx context.Context) (int, error) {
	now := q.d.Clock.Now()
	if q.d.Refusals != nil {
		if err := q.d.Refusals.Sweep(ctx, now.Add(-toldAgain)); err != nil {
			return 0, err
		}
	}
	return q.dropUnfinished(ctx, FileFilter{Unfinished: true, Before: now}, func(f *File) bool {
		age := now.Sub(f.CreatedAt)
		// Storage is asked in one hour only, and not for a week.
		return f.lapsed(now) || f.SessionID != "" && age >= keptIdle && age < keptIdle+time.Hour && q.idle(ctx, f)
	})
}

// idle reports whether no part of a file has come, or none can come any more.
// Where storage does not answer, it waits.
func (q *Requests) idle(ctx context.Context, f *File) bool {
	r, err := q.d.Requests.Get(ctx, f.RequestID)
	if err != nil {
		return ports.Is(err, ports.NotFound)
	}
	owner, err := q.d.owner(ctx, r)
	if err != nil {
		return errors.Is(err, errClosed)
	}
	parts, err := q.d.inbox(r).Parts(ctx, owner, f.underway())
	return err == nil && len(parts) == 0 || errors.Is(err, objstore.ErrNoUpload)
}

// dropUnfinished gives up those files of a filter that fit.
func (q *Requests) dropUnfinished(ctx context.Context, filter FileFilter, fits func(f *File) bool) (dropped int, err error) {
	for {
		page, err := q.d.Files.List(ctx, filter)
		if err != nil || len(page.Items) == 0 {
			return dropped, err
		}
		for i := range page.Items {
			f := &page.Items[i]
			if !fits(f) {
				filter.Offset++
				continue
			}
			may := unstored
			if f.SessionID == "" {
				may = q.d.untaken
			}
			err := q.d.drop(ctx, f, may)
			if errors.Is(err, errJoining) { // it has come meanwhile
				continue
			}
			if err != nil {
				return dropped, err
			}
			dropped++
		}
	}
}

// drop gives a file up that has not come: its record, its place in the count of
// the request, and its parts. Returns the error of may, which is asked of the file as
// it is now, and drops nothing then. Parts that cannot be dropped now the sweep of
// uploads drops later.
func (d *Deps) drop(ctx context.Context, f *File, may func(*File) error) error {
	if err := d.uncount(ctx, f, may); err != nil || f.SessionID == "" {
		return err
	}
	inbox := d.Tree
	if !strings.HasPrefix(f.Place, "/") {
		inbox = d.Shares
	}
	d.report("drop the parts of a file that was given up", inbox.Abort(ctx, f.underway()))
	return nil
}

// unstored refuses to drop what has come.
func unstored(f *File) error {
	if f.State == Stored {
		return errJoining
	}
	return nil
}

// untaken also refuses to drop what is being taken.
func (d *Deps) untaken(f *File) error {
	if f.standing(d.Clock.Now()) != Sending {
		return errJoining
	}
	return nil
}

// uncount forgets a file that did not come and gives its place back.
func (d *Deps) uncount(ctx context.Context, f *File, may func(*File) error) error {
	err := d.Work.Do(context.WithoutCancel(ctx), func(ctx context.Context) error {
		if _, err := d.Files.Update(ctx, f.ID, may); err != nil {
			return err
		}
		if _, err := d.Files.Delete(ctx, f.ID); err != nil {
			return err
		}
		_, err := d.Requests.Update(ctx, f.RequestID, func(r *Request) error {
			r.Files--
			r.Bytes -= f.Size
			return nil
		})
		return err
	})
	if ports.Is(err, ports.NotFound) { // somebody else was faster
		return nil
	}
	return err
}
