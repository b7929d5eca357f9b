package shareapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"unicode/utf8"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	"pasteport/ports/policy"
)

type verifyRequest struct {
	Slug     string `path:"slug"`
	Password string `json:"password"`
}

// pasteAnswer is an opened paste (contract §6.2, §6.3). Its bytes are joined
// from a rendering that the paste's snapshot keeps and what each visit changes.
type pasteAnswer struct {
	pasteHead
	Views         int64   `json:"views"`
	IsLastView    bool    `json:"isLastView"`
	PlainPassword *string `json:"plain_password,omitempty"` // echo of the password just given
	Ticket        string  `json:"ticket,omitempty"`
	wire.SharePage
}

type pasteHead struct {
	Slug        string  `json:"slug"`
	Content     string  `json:"content"`
	Remark      *string `json:"remark"`
	ExpiresAt   *string `json:"expiresAt"`
	MaxViews    *int64  `json:"maxViews"`
	CreatedAt   string  `json:"createdAt"`
	UpdatedAt   string  `json:"updatedAt"`
	CreatedBy   string  `json:"created_by"`
	HasPassword bool    `json:"hasPassword"`
	Syntax      string  `json:"syntax,omitempty"`
}

// lockedPaste is a paste whose password was not given. It does not show the
// remark, nor anything of the content.
type lockedPaste struct {
	Slug             string  `json:"slug"`
	HasPassword      bool    `json:"hasPassword"`
	RequiresPassword bool    `json:"requiresPassword"`
	Remark           *string `json:"remark"`
	ExpiresAt        *string `json:"expiresAt"`
	MaxViews         *int64  `json:"maxViews"`
	Views            int64   `json:"views"`
	CreatedAt        string  `json:"createdAt"`
	CreatedBy        string  `json:"created_by"`
	wire.SharePage
}

type pastePeek struct {
	Slug             string  `json:"slug"`
	Peek             bool    `json:"peek"`
	HasPassword      bool    `json:"hasPassword"`
	RequiresPassword bool    `json:"requiresPassword"`
	IsLastView       bool    `json:"isLastView"`
	Size             *int64  `json:"size,omitempty"`
	ExpiresAt        *string `json:"expiresAt"`
	wire.SharePage
}

func (c pasteCalls) read(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	v, peek := visitOf(r)
	if peek {
		return c.peek(w, r, who, v.Slug)
	}
	v.Password = "" // comes by POST here
	v.Admit = admitted
	reading, err := c.pastes.Read(r.Context(), who, v)
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	if reading.Locked {
		return httpapi.Send(w, r, lockedPaste{Slug: reading.Slug, HasPassword: true, RequiresPassword: true, ExpiresAt: wire.ISOTime(reading.ExpiresAt),
			MaxViews: wire.OrNull(reading.MaxViews), Views: reading.Views, CreatedAt: wire.ISO(reading.CreatedAt), CreatedBy: reading.CreatedBy,
			SharePage: wire.PastePage(httpapi.ScopeOf(r.Context()).Origin(), reading.Slug)})
	}
	return sendPaste(w, r, reading, "")
}

func (c pasteCalls) peek(w http.ResponseWriter, r *http.Request, who policy.Principal, slug string) error {
	p, err := c.pastes.Peek(r.Context(), who, slug)
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	answer := pastePeek{Slug: p.Slug, Peek: true, HasPassword: p.Protected, RequiresPassword: p.Protected, IsLastView: p.Last, ExpiresAt: wire.ISOTime(p.ExpiresAt),
		SharePage: wire.PastePage(httpapi.ScopeOf(r.Context()).Origin(), p.Slug)}
	if !p.Protected {
		answer.Size = &p.Size
	}
	return httpapi.Send(w, r, answer)
}

func (c pasteCalls) verify(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	in, err := httpapi.Decode[verifyRequest](r)
	if err != nil {
		return err
	}
	reading, err := c.pastes.Verify(r.Context(), who, shares.Visit{Slug: in.Slug, Password: in.Password, Admit: admitted})
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	return sendPaste(w, r, reading, in.Password)
}

// sendPaste writes a paste: the rendering its snapshot keeps, then the numbers
// of this visit. Of a large one nothing is rendered beforehand.
func sendPaste(w http.ResponseWriter, r *http.Request, reading shares.Reading, password string) error {
	if reading.Large() {
		return sendLargePaste(w, r, reading, password)
	}
	kept := reading.Memo(renderPaste).(*rendered)
	buf := answers.Get().(*bytes.Buffer)
	defer putAnswer(buf)
	buf.Reset()
	buf.Write(kept.head)
	b, err := visitFields(buf.AvailableBuffer(), reading, password, httpapi.ScopeOf(r.Context()).Origin())
	if err != nil {
		return err
	}
	buf.Write(b)
	httpapi.WriteBytes(w, r, http.StatusOK, content.JSONType, buf.Bytes())
	return nil
}

// visitFields appends what each visit changes, the addresses of the page below
// the origin that the request names, and the end of the answer.
func visitFields(b []byte, reading shares.Reading, password, origin string) ([]byte, error) {
	b = append(b, `,"views":`...)
	b = strconv.AppendInt(b, reading.Views, 10)
	b = append(b, `,"isLastView":`...)
	b = strconv.AppendBool(b, reading.Last)
	if password != "" {
		echo, err := json.Marshal(password)
		if err != nil {
			return nil, err
		}
		b = append(append(b, `,"plain_password":`...), echo...)
	}
	if reading.Ticket != "" {
		b = append(append(append(b, `,"ticket":"`...), reading.Ticket...), '"')
	}
	b = wire.AppendText(append(b, `,"url":`...), origin, wire.PagePath, reading.Slug)
	b = wire.AppendText(append(b, `,"rawUrl":`...), origin, wire.RawPath, reading.Slug)
	return append(b, '}'), nil
}

// sendLargePaste writes a large paste in pieces: the content stays the one copy
// that all its readers share.
func sendLargePaste(w http.ResponseWriter, r *http.Request, reading shares.Reading, password string) error {
	empty := reading.Paste
	empty.Content = nil
	head := renderPaste(&empty).(*rendered).head
	at := bytes.Index(head, emptyContent) + len(emptyContent) - 1 // between the quotes; a slug holds none
	tail, err := visitFields(bytes.Clone(head[at:]), reading, password, httpapi.ScopeOf(r.Context()).Origin())
	if err != nil {
		return err
	}
	length := at + reading.ContentMemo(escapedLength).(int) + len(tail)
	h := w.Header()
	h["Content-Type"], h["Content-Length"] = content.JSONHeader, []string{strconv.Itoa(length)}
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := w.Write(head[:at]); err != nil {
		return err
	}
	if err := writeEscaped(w, reading.Content); err != nil {
		return err
	}
	_, err = w.Write(tail)
	runtime.KeepAlive(reading.Snapshot) // keeps the content shared up to here
	return err
}

var emptyContent = []byte(`"content":""`)

// escapedLength is how long a content is as the inside of a JSON string.
func escapedLength(content []byte) any {
	var n counted
	_ = writeEscaped(&n, content) // counting does not fail
	return int(n)
}

type counted int

func (c *counted) Write(p []byte) (int, error) {
	*c += counted(len(p))
	return len(p), nil
}

// escapedPiece is how much content is escaped at once, in bytes.
const escapedPiece = 16 << 10

// pieces are buffers of escaped pieces. Slow readers hold one for long, so they
// are not those of whole answers, which grow.
var pieces = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// writeEscaped writes a content as the inside of a JSON string, piece by piece.
func writeEscaped(w io.Writer, content []byte) error {
	buf := pieces.Get().(*bytes.Buffer)
	defer pieces.Put(buf)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	for len(content) > 0 {
		n := min(escapedPiece, len(content))
		for n < len(content) && n > escapedPiece-utf8.UTFMax && !utf8.RuneStart(content[n]) {
			n--
		}
		buf.Reset()
		_ = enc.Encode(string(content[:n]))                              // strings always encode
		if _, err := w.Write(buf.Bytes()[1 : buf.Len()-2]); err != nil { // without quotes and line break
			return err
		}
		content = content[n:]
	}
	return nil
}

// admitted takes a place among the streams for a paste whose answer is long,
// before its view is taken.
func admitted(ctx context.Context, size int64) error {
	if size <= httpapi.Streamed {
		return nil
	}
	return httpapi.ScopeOf(ctx).EnterStream()
}

// answers are buffers for joined answers; large ones are not kept.
var answers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func putAnswer(buf *bytes.Buffer) {
	if buf.Cap() <= 256<<10 {
		answers.Put(buf)
	}
}

// rendered is what a snapshot keeps of the answers that show it.
type rendered struct {
	head []byte // what no visit changes, without the closing brace
	textHeaders
}

// textHeaders are those of a text alone that its paste decides.
type textHeaders struct{ etag, disposition []string }

func rawHeaders(p *shares.Paste) textHeaders {
	return textHeaders{[]string{p.ETag()}, []string{`inline; filename="` + p.Slug + `.txt"`}}
}

// renderPaste makes what no visit changes, a *rendered.
func renderPaste(p *shares.Paste) any {
	var buf bytes.Buffer
	buf.Grow(len(p.Content) + len(p.Content)/8 + 512)
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	// Strings and numbers always encode.
	_ = enc.Encode(pasteHead{Slug: p.Slug, Content: string(p.Content), Remark: wire.TextOrNull(p.Remark), ExpiresAt: wire.ISOTime(p.ExpiresAt),
		MaxViews: wire.OrNull(p.MaxViews), CreatedAt: wire.ISO(p.CreatedAt), UpdatedAt: wire.ISO(p.UpdatedAt), CreatedBy: p.CreatedBy,
		HasPassword: p.Protected(), Syntax: p.Syntax})
	return &rendered{bytes.TrimSuffix(buf.Bytes(), []byte("}\n")), rawHeaders(p)}
}

func (c pasteCalls) raw(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	v, _ := visitOf(r)
	v.Admit = admitted
	if known := content.TagsOf(r.Header, "If-None-Match"); known != "" {
		v.Known = func(etag string) bool { return content.TagIn(known, etag, false) }
	}
	reading, err := c.pastes.Raw(r.Context(), who, v)
	if err != nil {
		return err
	}
	var own textHeaders
	if reading.Content == nil || reading.Large() { // nothing is rendered of it
		own = rawHeaders(&reading.Paste)
	} else {
		own = reading.Memo(renderPaste).(*rendered).textHeaders
	}
	h := w.Header()
	shareHeaders(h)
	content.Safety(h, false)
	h["Etag"], h["Content-Disposition"] = own.etag, own.disposition
	if reading.Fresh {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h["Content-Type"] = content.PlainText
	httpapi.WriteBytes(w, r, http.StatusOK, content.PlainText[0], reading.Content)
	runtime.KeepAlive(reading.Snapshot) // keeps the content shared up to here
	return nil
}

// shareHeaders keep the address of a share, which is a secret, from search
// engines and foreign pages.
func shareHeaders(h http.Header) {
	h["Referrer-Policy"] = content.NoReferrer
	h["X-Robots-Tag"] = content.NoIndex
}
