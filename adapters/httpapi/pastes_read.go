package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

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
	sharePage
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
	sharePage
}

type pastePeek struct {
	Slug             string  `json:"slug"`
	Peek             bool    `json:"peek"`
	HasPassword      bool    `json:"hasPassword"`
	RequiresPassword bool    `json:"requiresPassword"`
	IsLastView       bool    `json:"isLastView"`
	Size             *int64  `json:"size,omitempty"`
	ExpiresAt        *string `json:"expiresAt"`
	sharePage
}

func (c pasteCalls) read(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	v, peek := visitOf(r)
	if peek {
		return c.peek(w, r, who, v.Slug)
	}
	v.Password = "" // comes by POST here
	reading, err := c.pastes.Read(r.Context(), who, v)
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	if reading.Locked {
		return Send(w, r, lockedPaste{Slug: reading.Slug, HasPassword: true, RequiresPassword: true, ExpiresAt: isoTime(reading.ExpiresAt),
			MaxViews: orNull(reading.MaxViews), Views: reading.Views, CreatedAt: iso(reading.CreatedAt), CreatedBy: reading.CreatedBy,
			sharePage: pastePage(r.Context(), reading.Slug)})
	}
	return sendPaste(w, r, reading, "")
}

func (c pasteCalls) peek(w http.ResponseWriter, r *http.Request, who policy.Principal, slug string) error {
	p, err := c.pastes.Peek(r.Context(), who, slug)
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	answer := pastePeek{Slug: p.Slug, Peek: true, HasPassword: p.Protected, RequiresPassword: p.Protected, IsLastView: p.Last, ExpiresAt: isoTime(p.ExpiresAt),
		sharePage: pastePage(r.Context(), p.Slug)}
	if !p.Protected {
		answer.Size = &p.Size
	}
	return Send(w, r, answer)
}

func (c pasteCalls) verify(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	in, err := Decode[verifyRequest](r)
	if err != nil {
		return err
	}
	reading, err := c.pastes.Verify(r.Context(), who, shares.Visit{Slug: in.Slug, Password: in.Password})
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	return sendPaste(w, r, reading, in.Password)
}

// sendPaste writes a paste at once: the rendering its snapshot keeps, then the
// numbers of this visit.
func sendPaste(w http.ResponseWriter, r *http.Request, reading shares.Reading, password string) error {
	head := reading.Memo(renderPaste).([]byte)
	buf := answers.Get().(*bytes.Buffer)
	defer putAnswer(buf)
	buf.Reset()
	buf.Write(head)
	b := buf.AvailableBuffer()
	b = append(b, `,"views":`...)
	b = strconv.AppendInt(b, reading.Views, 10)
	b = append(b, `,"isLastView":`...)
	b = strconv.AppendBool(b, reading.Last)
	if password != "" {
		echo, err := json.Marshal(password)
		if err != nil {
			return err
		}
		b = append(append(b, `,"plain_password":`...), echo...)
	}
	if reading.Ticket != "" {
		b = append(append(append(b, `,"ticket":"`...), reading.Ticket...), '"')
	}
	place := pastePage(r.Context(), reading.Slug) // by the request, not by the paste
	b = appendText(append(b, `,"url":`...), place.URL)
	b = appendText(append(b, `,"rawUrl":`...), place.RawURL)
	buf.Write(append(b, '}'))
	WriteBytes(w, r, http.StatusOK, JSONType, buf.Bytes())
	return nil
}

// answers are buffers for joined answers; large ones are not kept.
var answers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func putAnswer(buf *bytes.Buffer) {
	if buf.Cap() <= 256<<10 {
		answers.Put(buf)
	}
}

// renderPaste makes the part of an answer that no visit changes, without the
// closing brace.
func renderPaste(p *shares.Paste) any {
	var buf bytes.Buffer
	buf.Grow(len(p.Content) + len(p.Content)/8 + 512)
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	// Strings and numbers always encode.
	_ = enc.Encode(pasteHead{Slug: p.Slug, Content: string(p.Content), Remark: textOrNull(p.Remark), ExpiresAt: isoTime(p.ExpiresAt),
		MaxViews: orNull(p.MaxViews), CreatedAt: iso(p.CreatedAt), UpdatedAt: iso(p.UpdatedAt), CreatedBy: p.CreatedBy,
		HasPassword: p.Protected(), Syntax: p.Syntax})
	return bytes.TrimSuffix(buf.Bytes(), []byte("}\n"))
}

func (c pasteCalls) raw(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	v, _ := visitOf(r)
	if known := r.Header.Get("If-None-Match"); known != "" {
		v.Known = func(etag string) bool { return tagIn(known, etag, false) }
	}
	reading, err := c.pastes.Raw(r.Context(), who, v)
	if err != nil {
		return err
	}
	h := w.Header()
	shareHeaders(h)
	contentSafety(h, false)
	h["Etag"] = []string{reading.ETag()}
	h["Content-Disposition"] = []string{`inline; filename="` + reading.Slug + `.txt"`}
	if reading.Fresh {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h["Content-Type"] = plainText
	WriteBytes(w, r, http.StatusOK, plainText[0], reading.Content)
	return nil
}

var noIndex = []string{"noindex"}

// shareHeaders keep the address of a share, which is a secret, from search
// engines and foreign pages.
func shareHeaders(h http.Header) {
	h["Referrer-Policy"] = noReferrer
	h["X-Robots-Tag"] = noIndex
}
