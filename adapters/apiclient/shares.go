package apiclient

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options are the limits of a new share. Zero fields mean none.
type Options struct {
	Slug        string
	Unguessable bool
	Remark      string
	Password    string
	Hours       int64 // until it expires
	Views       int64
	Syntax      string // of a text
}

// Made is a share that was just made.
type Made struct {
	ID        string `json:"id"`
	Slug      string `json:"slug"`
	URL       string `json:"url"`
	ExpiresAt string `json:"expires_at,omitempty"`
	MaxViews  int64  `json:"max_views,omitempty"`
}

// ShareText shares a text.
func (c *Client) ShareText(ctx context.Context, text string, o Options, now time.Time) (Made, error) {
	body := map[string]any{"content": text, "slug": o.Slug, "unguessable": o.Unguessable, "remark": o.Remark, "password": o.Password, "maxViews": o.Views, "syntax": o.Syntax}
	if o.Hours > 0 {
		body["expiresAt"] = now.Add(time.Duration(o.Hours) * time.Hour).UTC().Format(time.RFC3339)
	}
	var out struct {
		ID, Slug, URL string
		ExpiresAt     *string
		MaxViews      *int64
	}
	_, err := c.call(ctx, exchange{method: http.MethodPost, path: "/api/paste", in: body, out: &out, bare: true})
	made := Made{ID: out.ID, Slug: out.Slug, URL: out.URL}
	if out.ExpiresAt != nil {
		made.ExpiresAt = *out.ExpiresAt
	}
	if out.MaxViews != nil {
		made.MaxViews = *out.MaxViews
	}
	return made, err
}

// query is the options as a one-step upload reads them; the password travels
// apart.
func (o Options) query() url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" && value != "0" {
			q.Set(name, value)
		}
	}
	set("slug", o.Slug)
	set("remark", o.Remark)
	set("expires", strconv.FormatInt(o.Hours, 10))
	set("max_views", strconv.FormatInt(o.Views, 10))
	if o.Unguessable {
		q.Set("unguessable", "true")
	}
	return q
}

// ShareStream shares what body brings as a file, in one request. size is its
// length in bytes, or -1.
func (c *Client) ShareStream(ctx context.Context, name string, body io.Reader, size int64, o Options) (Made, error) {
	h := http.Header{}
	if o.Password != "" {
		h.Set("X-Password", o.Password)
	}
	answer, err := c.send(ctx, request{method: http.MethodPut, path: "/" + url.PathEscape(name), query: o.query(), header: h, body: body, size: size})
	if err != nil {
		return Made{}, err
	}
	var made Made
	return made, read(answer, &made, false)
}

// Kind is what a link leads to.
type Kind string

// The kinds of shares.
const (
	Text Kind = "text"
	File Kind = "file"
)

// Ref is a share by its link.
type Ref struct {
	Kind Kind // empty: not known
	Slug string
}

// Parse reads the link of a share, or a slug alone. server is where a link
// leads; empty of a slug.
func Parse(link string) (ref Ref, server string) {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return Ref{Slug: strings.Trim(link, "/")}, ""
	}
	for front, kind := range map[string]Kind{"/paste/": Text, "/file/": File, "/api/raw/": Text, "/api/file-view/": File, "/api/file-download/": File} {
		if before, after, found := strings.Cut(u.Path, front); found {
			slug, _, _ := strings.Cut(after, "/")
			return Ref{kind, slug}, u.Scheme + "://" + u.Host + before
		}
	}
	return Ref{Slug: u.Path[strings.LastIndexByte(u.Path, '/')+1:]}, u.Scheme + "://" + u.Host
}

// Peek is what is told of a share before it is opened; looking takes no view.
type Peek struct {
	Kind   Kind
	Locked bool // a password is needed
	Last   bool // opening it takes the last view
	Name   string
	Size   int64 // bytes; 0 where it is not told
}

// Look finds out what a link leads to. It takes no view.
func (c *Client) Look(ctx context.Context, ref Ref) (Peek, error) {
	peek := url.Values{"peek": {"1"}}
	if ref.Kind != File {
		var out struct {
			RequiresPassword, IsLastView bool
			Size                         int64
		}
		_, err := c.call(ctx, exchange{method: http.MethodGet, path: "/api/paste/" + url.PathEscape(ref.Slug), query: peek, out: &out, bare: true, looks: true})
		if err == nil || ref.Kind == Text || StatusOf(err) != http.StatusNotFound {
			return Peek{Kind: Text, Locked: out.RequiresPassword, Last: out.IsLastView, Size: out.Size}, err
		}
	}
	var out struct {
		Locked   bool `json:"requires_password"`
		Last     bool `json:"isLastView"`
		Filename string
		Size     int64
	}
	_, err := c.call(ctx, exchange{method: http.MethodGet, path: "/api/public/files/" + url.PathEscape(ref.Slug), query: peek, out: &out, looks: true})
	return Peek{Kind: File, Locked: out.Locked, Last: out.Last, Name: out.Filename, Size: out.Size}, err
}

// Share is a row of the caller's own shares.
type Share struct {
	Kind      Kind   `json:"kind"`
	ID        string `json:"id"`
	Slug      string `json:"slug"`
	Name      string `json:"name"` // of a file, or the remark of a text, else its first line
	Size      int64  `json:"size"` // bytes
	URL       string `json:"url"`
	Views     int64  `json:"views"`
	MaxViews  *int64 `json:"max_views"`
	ExpiresAt string `json:"expires_at,omitempty"`
	Protected bool   `json:"protected"`
	CreatedAt string `json:"created_at"`
}

// listed is a share as both lists name it.
type listed struct {
	ID, Slug, Filename, URL string
	Remark                  *string
	Size, Views             int64
	MaxViews                *int64  `json:"max_views"`
	ExpiresAt               *string `json:"expires_at"`
	CreatedAt               string  `json:"created_at"`
	HasPassword             any     `json:"has_password"` // 1 in one list, true in the other
	Content                 string
	ContentPreview          string `json:"content_preview"`
}

// longestLine is how much of a first line stands for a name, in characters.
const longestLine = 80

// firstLine is the first line of a text that says anything.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(strings.TrimSpace(line)); len(r) > longestLine {
		return string(r[:longestLine]) + "…"
	}
	return strings.TrimSpace(line)
}

func (l listed) share(kind Kind) Share {
	s := Share{Kind: kind, ID: l.ID, Slug: l.Slug, Name: l.Filename, Size: l.Size, URL: l.URL, Views: l.Views, MaxViews: l.MaxViews, CreatedAt: l.CreatedAt,
		Protected: l.HasPassword == true || l.HasPassword == 1.0}
	if s.Name == "" && l.Remark != nil {
		s.Name = *l.Remark
	}
	if s.Name == "" {
		s.Name = cmp.Or(firstLine(cmp.Or(l.Content, l.ContentPreview)), l.Slug)
	}
	if l.ExpiresAt != nil {
		s.ExpiresAt = *l.ExpiresAt
	}
	return s
}

// List are the newest limit texts and files of the caller whose names hold
// search. A credential that may see only one kind gets that one.
func (c *Client) List(ctx context.Context, search string, limit int) ([]Share, error) {
	q := url.Values{"limit": {strconv.Itoa(limit)}, "search": {search}}
	var texts []listed
	_, refused := c.call(ctx, exchange{method: http.MethodGet, path: "/api/pastes", query: q, out: &texts, looks: true})
	if refused != nil && StatusOf(refused) != http.StatusForbidden {
		return nil, refused
	}
	var files struct{ Files []listed }
	_, err := c.call(ctx, exchange{method: http.MethodGet, path: "/api/files", query: q, out: &files, looks: true})
	if err != nil && (StatusOf(err) != http.StatusForbidden || refused != nil) {
		return nil, err
	}
	var out []Share
	for _, t := range texts {
		out = append(out, t.share(Text))
	}
	for _, f := range files.Files {
		out = append(out, f.share(File))
	}
	return out, nil
}

// Find is the caller's own share with this link.
//
// Returns an Error with the status 404 when there is none.
func (c *Client) Find(ctx context.Context, ref Ref) (Share, error) {
	found, err := c.List(ctx, ref.Slug, 100)
	if err != nil {
		return Share{}, err
	}
	for _, s := range found {
		if s.Slug == ref.Slug && (ref.Kind == "" || ref.Kind == s.Kind) {
			return s, nil
		}
	}
	return Share{}, &Error{Status: http.StatusNotFound, Code: "not_found", Message: "you have no share with the link " + ref.Slug}
}

// Remove deletes a share of the caller, a file with its object.
func (c *Client) Remove(ctx context.Context, s Share) error {
	path := "/api/pastes/batch-delete"
	if s.Kind == File {
		path = "/api/files/batch-delete"
	}
	var out struct{ Failed []struct{ Error string } }
	if _, err := c.call(ctx, exchange{method: http.MethodDelete, path: path, in: map[string]any{"ids": []string{s.ID}}, out: &out}); err != nil {
		return err
	}
	if len(out.Failed) > 0 {
		return &Error{Status: http.StatusConflict, Message: out.Failed[0].Error}
	}
	return nil
}

// ReadText is the content of a text of the caller, and its version.
func (c *Client) ReadText(ctx context.Context, id string) (text, etag string, err error) {
	var out struct{ Content string }
	h, err := c.call(ctx, exchange{method: http.MethodGet, path: "/api/pastes/" + url.PathEscape(id), out: &out})
	return out.Content, h.Get("ETag"), err
}

// WriteText changes the content of a text, provided that its version is etag.
//
// Returns an Error with the status 412 when somebody else has changed it.
func (c *Client) WriteText(ctx context.Context, id, text, etag string) error {
	h := http.Header{}
	if etag != "" {
		h.Set("If-Match", etag)
	}
	_, err := c.call(ctx, exchange{method: http.MethodPut, path: "/api/pastes/" + url.PathEscape(id), header: h, in: map[string]any{"content": text}})
	return err
}
