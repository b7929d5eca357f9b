package requests

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"

	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// NewFile announces a file.
type NewFile struct {
	Name   string
	Size   int64 // bytes
	Sender string
	Note   string
}

// Announced is a file that its sender goes on with.
type Announced struct {
	File
	Links   []upload.Link   // of the parts that are missing
	Arrived []objstore.Part // in ascending order
}

// visitor is a sender at a request that takes files.
type visitor struct {
	request *Request
	owner   policy.Principal
	who     policy.Principal
	visit   string
}

// admit finds out who sends to which request, and asks nothing yet.
func (s *Senders) admit(ctx context.Context, who policy.Principal, slug, visit string) (*visitor, error) {
	r, err := s.find(ctx, slug)
	if err != nil {
		return nil, err
	}
	id, ok := s.admits(r, visit)
	if !ok {
		return nil, errVisit
	}
	if r.EndedAt != nil {
		return nil, errClosed
	}
	owner, err := s.d.owner(ctx, r)
	return &visitor{r, owner, who, id}, err
}

// ask asks request.upload for a file: contentType is that of its content, or as
// long as nobody has looked, that of its name.
func (s *Senders) ask(ctx context.Context, v *visitor, in NewFile, contentType string) error {
	on := v.request.resource(s.d.Clock.Now())
	on.Name, on.Extension, on.ContentType, on.Size = in.Name, filetype.Extension(in.Name), contentType, in.Size
	if folder := v.request.folderOf(in.Sender, v.visit); folder != "" {
		on.Paths = []string{folder + "/" + in.Name}
	}
	decision, err := policy.Check(ctx, s.d.Decider, v.who, policy.RequestUpload, on)
	if err != nil {
		return askedSender(err)
	}
	return upload.LimitsOf(v.request.MaxFileBytes, decision.Obligations).Check(in.Size)
}

// check asks whether a file may come, and checks what is said of it.
func (s *Senders) check(ctx context.Context, v *visitor, in NewFile) error {
	if err := checkName(in.Name); err != nil {
		return err
	}
	if err := s.ask(ctx, v, in, filetype.ContentType(in.Name)); err != nil {
		return err
	}
	if in.Size < 0 {
		return ports.InvalidInput("size_invalid", "size")
	}
	if err := v.request.checkSender(in.Sender, in.Note); err != nil {
		return err
	}
	return v.request.open(s.d.Clock.Now())
}

// claim counts a file and notes it. Of many that come at once exactly as many
// pass as the request takes.
func (s *Senders) claim(ctx context.Context, v *visitor, f *File) error {
	return s.d.Work.Do(ctx, func(ctx context.Context) error {
		_, err := s.d.Requests.Update(ctx, f.RequestID, func(r *Request) error { return r.count(f.Size, f.CreatedAt) })
		if err != nil {
			return err
		}
		// Others of the request wait from here on.
		for _, bound := range []struct {
			visit string
			most  int
		}{{"", underWayPerRequest}, {v.visit, underWayPerVisit}} {
			page, err := s.d.Files.List(ctx, FileFilter{Paging: ports.Paging{Limit: 1}, RequestID: f.RequestID, Visit: bound.visit, Unfinished: true})
			if err != nil {
				return err
			}
			if page.Total >= bound.most {
				return errBusy
			}
		}
		return s.d.Files.Insert(ctx, f)
	})
}

func (s *Senders) fileOf(v *visitor, in NewFile) *File {
	f := &File{ID: s.d.Random.ID(), RequestID: v.request.ID, Visit: v.visit, Name: in.Name, Size: in.Size, State: Sending, CreatedAt: s.d.Clock.Now()}
	if v.request.Name != No {
		f.Sender = in.Sender
	}
	if v.request.Note != No {
		f.Note = in.Note
	}
	return f
}

func (v *visitor) incoming(f *File) upload.Incoming {
	remark := f.Sender
	if f.Note != "" {
		remark += ": " + f.Note
	}
	return upload.Incoming{Folder: v.request.folderOf(f.Sender, v.visit), Name: f.Name, Size: f.Size, Remark: remark}
}

// looked checks a content by its first bytes and asks request.upload again, now
// that its type is known.
func (s *Senders) looked(ctx context.Context, v *visitor, in NewFile, head []byte) (media string, err error) {
	media, _, err = mime.ParseMediaType(s.d.TypeOf(head))
	if err != nil {
		media = filetype.OctetStream
	}
	if !v.request.allowsType(media) {
		return media, errType.WithParams(map[string]any{"type": media})
	}
	return media, s.ask(ctx, v, in, media)
}

// Begin announces a file. One that is small, or whose storage knows no parts, is
// then sent to Store in one piece; of all others Begin signs the request of each
// part. It asks request.upload, and what the owner's own upload is asked.
//
// Returns NotFound for an unknown link, Unauthenticated without a visit, Gone for
// a request that takes nothing any more, Invalid for a name that no file may have
// and what a sender must say, TooLarge, Forbidden when the request, its storage or
// its owner's quota is full or a policy refuses, RateLimited when too many files
// are on their way.
func (s *Senders) Begin(ctx context.Context, who policy.Principal, slug, visit string, in NewFile) (*Announced, error) {
	v, err := s.admit(ctx, who, slug, visit)
	if err != nil {
		return nil, err
	}
	out, err := s.begin(ctx, v, in)
	if err != nil {
		s.tellRefused(ctx, v, in, err)
	}
	return out, forSender(err)
}

func (s *Senders) begin(ctx context.Context, v *visitor, in NewFile) (*Announced, error) {
	if err := s.check(ctx, v, in); err != nil {
		return nil, err
	}
	f := s.fileOf(v, in)
	if err := s.claim(ctx, v, f); err != nil {
		return nil, err
	}
	if in.Size <= upload.PartSize {
		return &Announced{File: *f}, nil
	}
	out, err := s.beginParts(ctx, v, f)
	if ports.Is(err, ports.NotImplemented) {
		return &Announced{File: *f}, nil
	}
	if err != nil {
		s.d.report("give up a file that did not come", s.d.drop(context.WithoutCancel(ctx), f, unstored))
		return nil, err
	}
	return out, nil
}

// beginParts begins an upload in parts and notes it; f knows of it, also when that
// fails.
func (s *Senders) beginParts(ctx context.Context, v *visitor, f *File) (*Announced, error) {
	inbox := s.d.inbox(v.request)
	up, err := inbox.Begin(ctx, v.owner, v.incoming(f))
	if err != nil {
		return nil, err
	}
	f.Place, f.SessionID, f.PartSize, f.PartCount = up.Place, up.ID, up.PartSize, up.PartCount
	_, err = s.d.Files.Update(context.WithoutCancel(ctx), f.ID, func(noted *File) error {
		noted.Place, noted.SessionID, noted.PartSize, noted.PartCount = up.Place, up.ID, up.PartSize, up.PartCount
		return nil
	})
	if err != nil {
		return nil, err
	}
	links, err := inbox.Links(ctx, v.owner, up, up.Numbers())
	return &Announced{File: *f, Links: links}, err
}

// Content is the whole body of an announced file, and its length in bytes.
type Content struct {
	Body io.Reader
	Size int64
}

// Store takes the whole body of an announced file.
// What it is, its first bytes tell. A body that is cut leaves nothing behind but
// the announcement, and may be sent again; of a file that has come, Store reads
// nothing. It asks request.upload, and what the owner's own upload is asked.
//
// Returns the errors of Begin; NotFound for a file that is unknown, was given up,
// is another sender's or is in parts; Invalid for another size than was announced;
// Conflict while another body of the file is read; and Unsupported, with the
// announcement gone, for a type that is not wanted.
func (s *Senders) Store(ctx context.Context, who policy.Principal, slug, visit, id string, in Content) (*File, error) {
	v, f, err := s.mine(ctx, who, slug, visit, id)
	if err != nil || f.State == Stored {
		return f, err
	}
	if f.SessionID != "" {
		return nil, ErrFileUnknown
	}
	if in.Size != f.Size {
		return nil, ports.InvalidInput("size_invalid", "size")
	}
	now, t, err := s.d.take(ctx, f.ID, true)
	if err != nil || now.State == Stored {
		return now, err
	}
	done, err := s.store(ctx, v, f, t, in.Body)
	if err != nil {
		s.failed(ctx, f, t, err)
		s.tellRefused(ctx, v, f.announced(), err)
	}
	return done, forSender(err)
}

func (s *Senders) store(ctx context.Context, v *visitor, f *File, t turn, body io.Reader) (done *File, err error) {
	ctx, stop := t.hold(ctx)
	defer stop()
	head := make([]byte, min(f.Size, upload.HeadSize))
	n, err := io.ReadFull(body, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return nil, err
	}
	head = head[:n] // of a body that ends too early the inbox says so
	media, err := s.looked(ctx, v, f.announced(), head)
	if err != nil {
		return nil, err
	}
	in := v.incoming(f)
	in.Came = func(ctx context.Context, stored upload.Received) (err error) {
		done, err = s.done(ctx, f.ID, v.request.CreatedBy, stored, came{media, t.mine})
		return err
	}
	_, err = s.d.inbox(v.request).Store(ctx, v.owner, in, io.MultiReader(bytes.NewReader(head), body))
	if err != nil && errors.Is(context.Cause(ctx), errLost) {
		err = errJoining.With(errLost)
	}
	return done, err
}

// failed drops a file that cannot come, and lets any other wait for another try. Where
// somebody else is at it by now, that one's work decides.
func (s *Senders) failed(ctx context.Context, f *File, t turn, err error) {
	ctx = context.WithoutCancel(ctx)
	final := errors.Is(err, errType) || errors.Is(err, errRefused) || errors.Is(err, objstore.ErrNoUpload) ||
		ports.Is(err, ports.TooLarge) || f.SessionID != "" && errors.Is(err, objstore.ErrExists)
	if final {
		if err := s.d.drop(ctx, f, t.mine); !errors.Is(err, errLost) {
			s.d.report("give up a file that may not come", err)
		}
	} else {
		s.d.report("let a file wait for another try", t.leave(ctx))
	}
}

// came is what is known of a content that has come: its media type, and whether who
// took it may say so; nil asks nobody.
type came struct {
	media string
	may   func(*File) error
}

// done notes that a file has come, and tells its owner.
func (s *Senders) done(ctx context.Context, id, owner string, stored upload.Received, c came) (*File, error) {
	now := s.d.Clock.Now()
	var f *File
	err := s.d.Work.Do(context.WithoutCancel(ctx), func(ctx context.Context) (err error) {
		fresh := false
		f, err = s.d.Files.Update(ctx, id, func(f *File) error {
			if c.may != nil {
				if err := c.may(f); err != nil {
					return err
				}
			}
			if fresh = f.State != Stored; fresh {
				f.State, f.TakenUntil, f.StoredAt, f.Place, f.Name, f.Type = Stored, nil, &now, stored.Place, stored.Name, c.media
			}
			return nil
		})
		if err != nil || !fresh {
			return err
		}
		return event.Tell(ctx, s.d.Outbox, event.Event{Kind: event.RequestFulfilled, Subject: "request:" + f.RequestID, Owner: owner,
			Data: fulfilled{f.RequestID, f.ID, f.Name, f.Size, f.Type, f.Place, f.Sender, f.Note}})
	})
	if ports.Is(err, ports.NotFound) {
		return nil, ErrFileUnknown.With(err)
	}
	return f, err
}

// fulfilled is what an event says of a file that has come.
type fulfilled struct {
	Request string `json:"request_id"`
	ID      string `json:"file_id"`
	Name    string `json:"name"`
	Size    int64  `json:"size"`
	Type    string `json:"type"`
	Place   string `json:"place"`
	Sender  string `json:"sender"`
	Note    string `json:"note"`
}

// mine finds a file of the visit and asks for it again.
func (s *Senders) mine(ctx context.Context, who policy.Principal, slug, visit, id string) (*visitor, *File, error) {
	v, err := s.admit(ctx, who, slug, visit)
	if err != nil {
		return nil, nil, err
	}
	f, err := s.d.Files.Get(ctx, id)
	if ports.Is(err, ports.NotFound) || err == nil && (f.RequestID != v.request.ID || f.Visit != v.visit) {
		return nil, nil, ErrFileUnknown
	}
	if err != nil {
		return nil, nil, err
	}
	err = s.ask(ctx, v, f.announced(), filetype.ContentType(f.Name))
	return v, f, err
}

func (f *File) announced() NewFile { return NewFile{f.Name, f.Size, f.Sender, f.Note} }

// Resume tells how far a file of this visit has come, and signs the requests of
// the parts that are missing. What was begun before the deadline may be finished
// after it. It asks request.upload. Returns NotFound for a file that is unknown,
// was given up, or is another sender's.
func (s *Senders) Resume(ctx context.Context, who policy.Principal, slug, visit, id string) (*Announced, error) {
	v, f, err := s.mine(ctx, who, slug, visit, id)
	if err != nil {
		return nil, err
	}
	f.State = f.standing(s.d.Clock.Now())
	out := &Announced{File: *f}
	if f.State != Sending || f.SessionID == "" {
		return out, nil
	}
	inbox := s.d.inbox(v.request)
	if out.Arrived, err = inbox.Parts(ctx, v.owner, f.underway()); errors.Is(err, objstore.ErrNoUpload) {
		s.d.report("give up a file that storage has forgotten", s.d.drop(context.WithoutCancel(ctx), f, unstored))
	}
	if err != nil {
		return nil, forSender(err)
	}
	there := map[int]bool{}
	for _, p := range out.Arrived {
		there[p.Number] = p.Size == f.underway().Length(p.Number)
	}
	var missing []int
	for _, n := range f.underway().Numbers() {
		if !there[n] {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		out.Links, err = inbox.Links(ctx, v.owner, f.underway(), missing)
	}
	return out, forSender(err)
}

// Complete joins the parts of a file of this visit. What it is, its first bytes
// tell; one of a type that is not wanted is removed. It may be repeated. It asks
// request.upload. Returns the errors of Resume and Begin, Invalid while parts are
// missing, Unsupported for a type that is not wanted, and Conflict when something
// else has taken the name meanwhile: then the file has to be sent again.
func (s *Senders) Complete(ctx context.Context, who policy.Principal, slug, visit, id string) (*File, error) {
	v, f, err := s.mine(ctx, who, slug, visit, id)
	if err != nil || f.State == Stored {
		return f, err
	}
	if f.SessionID == "" {
		return nil, ErrFileUnknown
	}
	f, t, err := s.d.take(ctx, f.ID, false)
	if err != nil || f.State == Stored {
		return f, err
	}
	media := ""
	stored, err := s.join(ctx, v, f, t, func(head []byte, size int64) (err error) {
		media, err = s.looked(ctx, v, NewFile{f.Name, size, f.Sender, f.Note}, head)
		return err
	})
	if err != nil {
		s.failed(ctx, f, t, err)
		s.tellRefused(ctx, v, f.announced(), err)
		return nil, forSender(err)
	}
	return s.done(ctx, f.ID, v.request.CreatedBy, stored, came{media: media})
}

// join has the parts of a file joined. Several may be at it at a time.
func (s *Senders) join(ctx context.Context, v *visitor, f *File, t turn, accept upload.Accept) (upload.Received, error) {
	ctx, stop := t.hold(ctx)
	defer stop()
	return s.d.inbox(v.request).Complete(ctx, v.owner, f.underway(), accept)
}

// Cancel gives a file of this visit up that has not come whole; its place is free
// again. It asks request.upload. Returns NotFound as Resume does, Conflict while
// its content is being taken and when it has come.
func (s *Senders) Cancel(ctx context.Context, who policy.Principal, slug, visit, id string) error {
	_, f, err := s.mine(ctx, who, slug, visit, id)
	if err != nil {
		return err
	}
	return s.d.drop(ctx, f, s.d.untaken)
}
