// Package remote makes file shares of what other sites hold: a browser that
// reads the site, through this server where it must, or a task of this server
// brings the bytes to storage.
package remote

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"strings"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// kindURL names addresses of other sites in policy resources.
const kindURL = policy.KindURL

// The errors of URL uploads.
var (
	errURLMissing      = ports.InvalidInput("required", "url")
	errURLInvalid      = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "url_invalid"}
	errURLNotAnnounced = &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Text: "url_not_announced"}
	errFetchesFull     = &ports.Error{Code: ports.RateLimited, Key: "rate_limited", Text: "too_many_fetches", RetryAfter: fetchRetry}
)

// URLs make file shares of what other sites hold: the browser reads the site,
// through this server where it must, and sends the bytes to storage. It is safe
// for concurrent use.
type URLs struct {
	uploads   *shares.FileUploads
	d         shares.Deps
	fetcher   ports.Fetcher
	tasks     jobs.Tasks
	announced announced
	turns     fetchTurns
}

// New returns uploads from addresses, over those of clients that work with d.
// Without tasks, nil, this server brings nothing by itself.
func New(d shares.Deps, uploads *shares.FileUploads, fetcher ports.Fetcher, tasks jobs.Tasks) *URLs {
	return &URLs{uploads: uploads, d: d, fetcher: fetcher, tasks: tasks}
}

// Watch hears of the addresses that were announced on other nodes, until ctx
// ends.
func (u *URLs) Watch(ctx context.Context) {
	if u.d.Invalidation != nil {
		u.d.Invalidation.Subscribe(ctx, kindURL, func(id string) { u.announced.hear(id, u.d.Clock.Now()) })
	}
}

// Info is what is known of an address.
type Info struct {
	ports.Remote
	Filename string // made safe, never empty
}

// Info asks a site what an address holds, and announces it: for an hour anyone
// may read exactly this address through Proxy. It asks url.fetch.
//
// Returns Invalid for a bad address and a site that cannot be reached,
// RateLimited when the caller has too many fetches under way.
func (u *URLs) Info(ctx context.Context, who policy.Principal, address string) (Info, error) {
	if err := u.ask(ctx, who, Upload{URL: address}); err != nil {
		return Info{}, err
	}
	info, err := u.look(ctx, who, address)
	if err != nil {
		return Info{}, err
	}
	id := u.announced.add(address, u.d.Clock.Now())
	u.d.Publish(ctx, kindURL, id)
	return info, nil
}

// ask asks url.fetch for an upload, as far as the caller has described it.
func (u *URLs) ask(ctx context.Context, who policy.Principal, in Upload) error {
	name := cmp.Or(in.Filename, in.Known.Filename)
	_, err := policy.Check(ctx, u.d.Decider, who, policy.URLFetch, policy.Resource{
		Kind: kindURL, Owner: who.Owner(), Name: name, Extension: filetype.Extension(name), Size: max(in.Size, in.Known.Size, 0), URLHost: hostOf(in.URL),
		Share: in.Share(u.d.Clock.Now()),
	})
	return err
}

// hostOf is the host of an address for policies, in lower case; empty when the
// address has none.
func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(parsed.Hostname()), ".")
}

// look fetches what a site says, within the caller's turns.
func (u *URLs) look(ctx context.Context, who policy.Principal, address string) (Info, error) {
	if address == "" {
		return Info{}, errURLMissing
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return Info{}, errURLInvalid
	}
	done, err := u.turns.take(turnOf(ctx, who))
	if err != nil {
		return Info{}, err
	}
	defer done()
	remote, err := u.fetcher.Look(ctx, address)
	if err != nil {
		return Info{}, err
	}
	return Info{Remote: remote, Filename: nameOf(parsed, remote.Name)}, nil
}

// Body is the content of an address on its way to a browser.
type Body struct {
	io.ReadCloser
	Filename string
	Size     int64 // bytes; -1 means unknown
}

// Proxy reads an address that Info announced within the hour, by its exact
// text. It needs no credential, because the pages of old clients send none. The
// caller closes the body. It asks url.proxy.
//
// Returns Forbidden for an address that was not announced, Invalid for a bad
// one, a site that cannot be reached and more bytes than the size limit; while
// reading, the body fails past that limit.
func (u *URLs) Proxy(ctx context.Context, who policy.Principal, address string) (*Body, error) {
	_, err := policy.Check(ctx, u.d.Decider, who, policy.URLProxy, policy.Resource{Kind: kindURL, URLHost: hostOf(address)})
	if err != nil {
		return nil, err
	}
	parsed, err := url.Parse(address)
	switch {
	case address == "":
		return nil, errURLMissing
	case err != nil || parsed.Host == "":
		return nil, errURLInvalid
	case !u.announced.has(address, u.d.Clock.Now()):
		return nil, errURLNotAnnounced
	}
	done, err := u.turns.take(turnOf(ctx, who))
	if err != nil {
		return nil, err
	}
	body, err := u.fetcher.Open(ctx, address)
	if err != nil {
		done()
		return nil, err
	}
	limits := upload.LimitsOf(u.d.Settings.MaxUploadSize(), policy.Obligations{})
	if err := limits.Check(body.Size); err != nil {
		defer done()
		return nil, errors.Join(err, body.Close())
	}
	counted := upload.NewMeter(ctx, body, body.Size, limits, nil)
	return &Body{ReadCloser: &turnBody{counted, body, done}, Filename: nameOf(parsed, body.Name), Size: body.Size}, nil
}

// turnBody gives the turn back when it is closed.
type turnBody struct {
	io.Reader
	body io.Closer
	done func()
}

func (b *turnBody) Close() error {
	defer b.done()
	return b.body.Close()
}

// Upload is what a file share is made of when its content comes from an
// address.
type Upload struct {
	shares.NewUpload // Filename may be empty: then it follows from the address
	URL              string
	// Known is what the caller knows already. The site is asked only when name
	// or type is missing.
	Known Known
}

// Known is what a caller says about an address.
type Known struct {
	Filename string
	Type     string // media type
	Size     int64  // bytes; 0 means unknown
}

// Source is what an upload learned about its address.
type Source struct {
	Asked bool // the site was asked now
	CORS  bool // its answer may be read by any page
}

// Presign reserves a file share for the content of an address and signs the
// request that uploads it. It asks url.fetch and file.upload, and returns the
// errors of Info and of FileUploads.Presign.
func (u *URLs) Presign(ctx context.Context, who policy.Principal, in Upload) (*shares.Presigned, Source, error) {
	upload, source, err := u.upload(ctx, who, in)
	if err != nil {
		return nil, source, err
	}
	p, err := u.uploads.Presign(ctx, who, upload)
	return p, source, err
}

// upload completes the description of an upload with what the site says.
func (u *URLs) upload(ctx context.Context, who policy.Principal, in Upload) (shares.NewUpload, Source, error) {
	if err := u.ask(ctx, who, in); err != nil {
		return shares.NewUpload{}, Source{}, err
	}
	upload, source := in.NewUpload, Source{}
	switch parsed, err := url.Parse(in.URL); {
	case in.URL == "":
		return upload, source, errURLMissing
	case err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https":
		return upload, source, errURLInvalid
	case in.StorageConfigID == "":
		return upload, source, shares.ErrNoStorage
	}
	known := in.Known
	if known.Filename == "" || known.Type == "" {
		info, err := u.look(ctx, who, in.URL)
		if err != nil {
			return upload, source, err
		}
		known = Known{Filename: info.Filename, Type: info.ContentType, Size: cmp.Or(known.Size, max(info.Size, 0))}
		source = Source{Asked: true, CORS: info.CORS}
	}
	upload.Filename = cmp.Or(upload.Filename, known.Filename)
	upload.Size = cmp.Or(upload.Size, known.Size)
	upload.Type, upload.TrustType = known.Type, true
	return upload, source, nil
}

// nameOf is the file name of an address: its last segment when that has a
// dot inside, else what the site proposes, else "download". What no file may be
// called is replaced.
func nameOf(address *url.URL, proposed string) string {
	segment := address.Path[strings.LastIndexByte(address.Path, '/')+1:]
	if i := strings.LastIndexByte(address.EscapedPath(), '/'); i >= 0 {
		if decoded, err := url.PathUnescape(address.EscapedPath()[i+1:]); err == nil {
			segment = decoded
		}
	}
	for _, name := range []string{segment, proposed} {
		if name == segment && !strings.Contains(strings.Trim(name, "."), ".") {
			continue
		}
		if name = naming.Safe(name); naming.CheckFile(name) == nil {
			return name
		}
	}
	return "download"
}
