package storage

import (
	"context"
	"io"

	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
	"pasteport/ports/upload"
)

// Blobs answers the signed requests that come to this server for storages that
// cannot be reached from outside. The token is the whole authority: who holds
// it may do what it says until it expires, as with S3.
type Blobs struct {
	opener  *Opener
	maxSize func() int64
	awaits  func(ctx context.Context, id string) (bool, error)
	ledger  *Ledger
	shares  Shares
}

// Shares tells of the file shares whose objects links lead to; domain/shares
// does it by way of cmd.
type Shares interface {
	// Current reports whether the share with this id is there, in this version,
	// and its object still lies under this key.
	Current(ctx context.Context, id string, version int64, configID, key string) (bool, error)
	// Holds reports whether the object under a key belongs to a share.
	Holds(ctx context.Context, configID, key string) (bool, error)
}

// WithShares makes links to the objects of shares end with those, and keeps
// links for other uploads off their objects. Without it the former are refused.
func (b *Blobs) WithShares(s Shares) *Blobs {
	b.shares = s
	return b
}

// NewBlobs answers the requests that opener's buckets sign. maxSize bounds
// uploads whose link binds no length, in bytes (ports.Settings.MaxUploadSize).
// awaits reports whether the upload with this id is still awaited
// (objstore.SignRequest.Awaited). ledger counts what comes; nil bounds nothing.
func NewBlobs(opener *Opener, maxSize func() int64, awaits func(ctx context.Context, id string) (bool, error), ledger *Ledger) *Blobs {
	return &Blobs{opener: opener, maxSize: maxSize, awaits: awaits, ledger: ledger}
}

// Resolve checks token for a request: VerbGet, VerbHead or VerbPut by its
// method. A link for GET also answers HEAD; a link for a part is a PUT.
//
// Returns Forbidden when the token is not ours, has expired, is for another
// verb, for an upload that is over, for a share that has changed since, is gone
// or has its object elsewhere now, or for an object that has become that of a share.
func (b *Blobs) Resolve(ctx context.Context, token string, verb objstore.Verb) (*Blob, error) {
	c, err := b.opener.links.decode(token)
	if err != nil {
		return nil, err
	}
	if !allows(c.Verb, verb) {
		return nil, errLinkInvalid
	}
	bucket, err := b.opener.Bucket(ctx, c.ConfigID)
	if ports.Is(err, ports.NotFound) {
		return nil, errLinkInvalid // the config was deleted since
	}
	if err != nil {
		return nil, err
	}
	blob := &Blob{claims: c, bucket: bucket, maxSize: b.maxSize(), awaits: b.awaits, ledger: b.ledger, shares: b.shares}
	return blob, blob.valid(ctx)
}

func allows(signed, asked objstore.Verb) bool {
	switch asked {
	case objstore.VerbPut:
		return signed == objstore.VerbPut || signed == objstore.VerbPart
	case objstore.VerbHead:
		return signed == objstore.VerbGet || signed == objstore.VerbHead
	}
	return asked == signed && asked == objstore.VerbGet
}

// Blob is an object that a signed request reaches.
type Blob struct {
	claims  claims
	bucket  objstore.Bucket
	maxSize int64
	awaits  func(ctx context.Context, id string) (bool, error)
	ledger  *Ledger
	shares  Shares
}

// valid returns Forbidden when what the link is for has ended: the upload was
// committed, deleted or given up, the share changed, was moved or deleted, or the
// object of an upload to a mount belongs to a share by now.
func (b *Blob) valid(ctx context.Context) (err error) {
	is := true
	switch c := b.claims; {
	case c.Awaited != "":
		is, err = b.awaits(ctx, c.Awaited)
	case c.Share != "":
		is = false
		if b.shares != nil {
			is, err = b.shares.Current(ctx, c.Share, c.ShareOf, c.ConfigID, c.Key)
		}
	case c.Verb == objstore.VerbPut && b.shares != nil:
		is, err = b.shares.Holds(ctx, c.ConfigID, c.Key)
		is = !is
	}
	if err == nil && !is {
		return errLinkInvalid
	}
	return err
}

// ContentType is what the answer of a GET carries; empty means the object's own.
func (b *Blob) ContentType() string { return b.claims.ContentType }

// Disposition is the Content-Disposition of the answer of a GET; empty means
// none was signed.
func (b *Blob) Disposition() string { return b.claims.Disposition }

// Stat describes the object. Returns NotFound when it is not there.
func (b *Blob) Stat(ctx context.Context) (objstore.Object, error) {
	return b.bucket.Stat(ctx, b.claims.Key)
}

// Read opens the object or a part of it. The caller closes the body. Errors
// are those of objstore.Bucket.Read.
func (b *Blob) Read(ctx context.Context, r objstore.Range) (*objstore.Body, error) {
	return b.bucket.Read(ctx, b.claims.Key, r)
}

// Upload is the body of a PUT.
type Upload struct {
	Body        io.Reader
	Size        int64  // bytes; -1 means unknown
	PartNumber  int    // query partNumber; 0 means none
	ContentType string // as the sender calls it
	IfNoneMatch bool   // header If-None-Match: *
}

// Write stores the body and returns its ETag, without quotes. A body that is
// cut stores nothing.
//
// Returns Forbidden when the length or the part is not the signed one or the
// upload ended while the body came, TooLarge when it is over the upload limit,
// Quota when the storage has no room, Invalid for a bad part number or a body of another
// length than announced, NotFound when the multipart upload is gone, and the
// other errors of objstore.Bucket.Write.
func (b *Blob) Write(ctx context.Context, in Upload) (etag string, err error) {
	size, limits, err := b.bound(in)
	if err != nil {
		return "", err
	}
	if b.claims.Verb == objstore.VerbPart {
		if err := checkPart(b.claims.UploadID, in.PartNumber); err != nil {
			return "", err
		}
		if in.PartNumber != b.claims.Part { // also 0, of a link from before parts were signed
			return "", errLinkInvalid
		}
	}
	claim, room, err := b.claim(ctx, size)
	if err != nil {
		return "", err
	}
	counted := upload.NewMeter(ctx, in.Body, size, limits, room)
	if b.claims.Verb == objstore.VerbPart {
		etag, err := b.writePart(ctx, in.PartNumber, counted, size)
		return etag, counted.Why(err)
	}
	contentType := in.ContentType
	if b.claims.ContentType != "" {
		contentType = b.claims.ContentType
	}
	body := &lastLook{r: counted, look: func() error { return b.valid(ctx) }}
	o, err := b.bucket.Write(ctx, b.claims.Key, body, objstore.WriteOptions{Size: size, ContentType: contentType, IfNoneMatch: in.IfNoneMatch})
	if err = counted.Why(err); err == nil && b.claims.Settles && b.ledger != nil {
		err = b.ledger.Settle(context.WithoutCancel(ctx), claim, o.Size)
	}
	return o.ETag, err
}

// claim claims the length of a body where that is known, and else gives what
// claims it as it comes, for links whose bytes are not reserved yet.
func (b *Blob) claim(ctx context.Context, size int64) (c capacity.Claim, room *capacity.Taker, err error) {
	if b.claims.Claim == "" || b.ledger == nil {
		return c, nil, nil
	}
	c = capacity.Claim{ID: b.claims.Claim, ConfigID: b.claims.ConfigID, Capacity: capacityOfBucket(b.bucket), Noted: b.claims.Settles}
	if c.Capacity <= 0 {
		return c, nil, nil
	}
	if b.claims.Settles {
		old, err := b.bucket.Stat(ctx, b.claims.Key)
		if err != nil && !ports.Is(err, ports.NotFound) {
			return c, nil, err
		}
		c.Old = old.Size
	}
	if size < 0 {
		return c, capacity.NewTaker(b.ledger, c), nil
	}
	sized := c
	sized.Size = size
	if b.claims.Verb == objstore.VerbPart { // the parts of one upload add up
		return c, nil, b.ledger.Add(ctx, sized)
	}
	return c, nil, b.ledger.Reserve(ctx, sized)
}

func (b *Blob) writePart(ctx context.Context, number int, body io.Reader, size int64) (string, error) {
	m := b.bucket.Multipart()
	if m == nil {
		return "", objstore.ErrUnsupported
	}
	part, err := m.WritePart(ctx, b.claims.Key, b.claims.UploadID, number, body, size)
	return part.ETag, err
}

// bound checks the length of an upload against the link and the limit, and tells
// what bounds a body of unknown length.
func (b *Blob) bound(in Upload) (size int64, limits upload.Limits, err error) {
	limits.Door = b.maxSize
	if signed := b.claims.MaxSize; signed > 0 && (limits.Door <= 0 || signed < limits.Door) {
		limits.Door = signed
	}
	switch signed := b.claims.Size; {
	case signed > 0 && in.Size >= 0 && in.Size != signed:
		return 0, limits, errLinkInvalid
	case signed > 0:
		return signed, upload.Limits{}, nil // the bucket refuses another length
	}
	return in.Size, limits, limits.Check(in.Size)
}

// lastLook fails at the end of a body when look does, so that nothing is stored.
type lastLook struct {
	r    io.Reader
	look func() error
}

func (l *lastLook) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if err == io.EOF {
		if refused := l.look(); refused != nil {
			return 0, refused
		}
	}
	return n, err
}
