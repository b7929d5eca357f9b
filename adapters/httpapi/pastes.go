package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Shares are the use cases of pastes and files, and what their answers need
// besides.
type Shares struct {
	Pastes *shares.Pastes
	Files  *shares.Files
	// KeyNames names the creators of shares; nil leaves their names out.
	KeyNames KeyNames
	// SpoolDir is where a form's file waits for the fields behind it; empty
	// means the system's folder for temporary files.
	SpoolDir string
}

// pasteOps registers the calls of contract §6.
func (a *API) pasteOps(u Shares) {
	p := pasteCalls{pastes: u.Pastes, keyNames: u.KeyNames}
	gate := []string{"expired", "used_up"}
	locked := append([]string{"password_required", "password_wrong"}, gate...)
	slugs := []string{"slug_invalid", "slug_reserved", "slug_taken"}

	Stream(a, Op{Name: "paste.read", Method: "GET", Path: "/api/paste/{slug}", Public: true, Actions: []policy.Action{policy.ShareView},
		Answer: Bare, Rate: ShareRead, Errors: locked, Summary: "Open a paste, or learn that it needs a password."}, p.read)
	Describe(a, "paste.read", visitQuery{}, pasteAnswer{})
	Stream(a, Op{Name: "paste.raw", Method: "GET", Path: "/api/raw/{slug}", Public: true, Actions: []policy.Action{policy.ShareView},
		Answer: Bytes, Type: "text/plain", Fail: FailText, Rate: ShareRead, Errors: locked, Summary: "The text of a paste, alone."}, p.raw)
	Describe(a, "paste.raw", visitQuery{}, nil)
	Stream(a, Op{Name: "paste.verify", Method: "POST", Path: "/api/paste/{slug}", Public: true, Actions: []policy.Action{policy.ShareVerify},
		Body: JSON, Answer: Bare, Rate: ShareRead, Errors: locked, Summary: "Open a protected paste with its password."}, p.verify)
	Describe(a, "paste.verify", verifyRequest{}, pasteAnswer{})
	HandlePlanned(a, Op{Name: "paste.create", Method: "POST", Path: "/api/paste", Actions: []policy.Action{policy.PasteCreate}, Body: BigJSON,
		Answer: Bare, Rate: ShareWrite, Idem: InTransaction, Errors: append([]string{"content_too_large"}, slugs...),
		Summary: "Share a text."}, p.planCreate, p.create)
	Handle(a, Op{Name: "paste.list", Method: "GET", Path: "/api/pastes", Actions: []policy.Action{policy.PasteList},
		Summary: "List pastes: all for the admin, their own for keys."}, p.list)
	Handle(a, Op{Name: "paste.get", Method: "GET", Path: "/api/pastes/{id}", Actions: []policy.Action{policy.PasteReadOwn},
		Errors: []string{"not_owner"}, Summary: "A paste as its owner sees it; takes no view."}, p.get)
	HandlePlanned(a, Op{Name: "paste.update", Method: "PUT", Path: "/api/pastes/{id}", Actions: []policy.Action{policy.PasteUpdate}, Body: BigJSON,
		Idem: InTransaction, Errors: append([]string{"content_too_large", "expired", "used_up", "precondition_failed", "not_owner"}, slugs...),
		Summary: "Change a paste, by id or slug."}, p.planUpdate, p.update)
	Handle(a, Op{Name: "paste.delete", Method: "DELETE", Path: "/api/pastes/batch-delete", Aliases: []string{"POST /api/pastes/batch-delete"},
		Actions: []policy.Action{policy.PasteDelete}, Body: JSON, Idem: InTransaction, Summary: "Delete pastes by id."}, p.delete)
	Handle(a, Op{Name: "paste.clear_expired", Method: "POST", Path: "/api/pastes/clear-expired",
		Aliases: []string{"POST /api/admin/pastes/clear-expired"}, Actions: []policy.Action{policy.PasteClearExpired}, Body: JSON,
		Idem: InTransaction, Summary: "Delete pastes that have expired or are used up."}, p.clearExpired)
}

// pasteCalls answers the calls on pastes.
type pasteCalls struct {
	pastes   *shares.Pastes
	keyNames KeyNames
}

// KeyNames returns the names of API keys by id. Ids of deleted keys are absent.
type KeyNames func(ctx context.Context, ids []string) (map[string]string, error)

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
}

type pastePeek struct {
	Slug             string  `json:"slug"`
	Peek             bool    `json:"peek"`
	HasPassword      bool    `json:"hasPassword"`
	RequiresPassword bool    `json:"requiresPassword"`
	IsLastView       bool    `json:"isLastView"`
	Size             *int64  `json:"size,omitempty"`
	ExpiresAt        *string `json:"expiresAt"`
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
			MaxViews: orNull(reading.MaxViews), Views: reading.Views, CreatedAt: iso(reading.CreatedAt), CreatedBy: reading.CreatedBy})
	}
	return sendPaste(w, r, reading, "")
}

func (c pasteCalls) peek(w http.ResponseWriter, r *http.Request, who policy.Principal, slug string) error {
	p, err := c.pastes.Peek(r.Context(), who, slug)
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	answer := pastePeek{Slug: p.Slug, Peek: true, HasPassword: p.Protected, RequiresPassword: p.Protected, IsLastView: p.Last, ExpiresAt: isoTime(p.ExpiresAt)}
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

// newPasteRequest is the body of paste creation (contract §6.1).
type newPasteRequest struct {
	Content     string `json:"content"`
	Slug        string `json:"slug"`
	Unguessable Flag   `json:"unguessable"`
	Remark      string `json:"remark"`
	Syntax      string `json:"syntax"`
	ExpiresAt   When   `json:"expiresAt"`
	MaxViews    Int    `json:"maxViews"`
	Password    string `json:"password"`
}

type newPasteAnswer struct {
	ID           string  `json:"id"`
	Slug         string  `json:"slug"`
	Remark       *string `json:"remark"`
	ExpiresAt    *string `json:"expiresAt"`
	MaxViews     *int64  `json:"maxViews"`
	HasPassword  bool    `json:"hasPassword"`
	CreatedAt    string  `json:"createdAt"`
	AuthorizedBy string  `json:"authorizedBy"`
	Syntax       string  `json:"syntax,omitempty"`
}

func (c pasteCalls) planCreate(ctx context.Context, who policy.Principal, in newPasteRequest) (*shares.PastePlan, error) {
	return c.pastes.PlanCreate(ctx, who, shares.NewPaste{
		Content: []byte(in.Content), Slug: in.Slug, Unguessable: bool(in.Unguessable), Remark: in.Remark, Syntax: in.Syntax,
		Terms: shares.Terms{Password: in.Password, ExpiresAt: in.ExpiresAt.Time, MaxViews: int64(in.MaxViews)},
	})
}

func (c pasteCalls) create(ctx context.Context, plan *shares.PastePlan) (newPasteAnswer, error) {
	p, err := c.pastes.Store(ctx, plan)
	if err != nil {
		return newPasteAnswer{}, err
	}
	return newPasteAnswer{ID: p.ID, Slug: p.Slug, Remark: textOrNull(p.Remark), ExpiresAt: isoTime(p.ExpiresAt), MaxViews: orNull(p.MaxViews),
		HasPassword: p.Protected(), CreatedAt: iso(p.CreatedAt), AuthorizedBy: string(exchangeFrom(ctx).who.Kind), Syntax: p.Syntax}, nil
}

// listRequest is the query of the lists of shares (contract §1.6).
type listRequest struct {
	Page      Int      `query:"page,lenient"`
	Limit     Int      `query:"limit,lenient"`
	Offset    Opt[Int] `query:"offset,lenient"`
	Search    string   `query:"search"`
	CreatedBy string   `query:"created_by"`
}

// paging reads limit and offset; offset is stronger than page.
func (in listRequest) paging(normal int) ports.Paging {
	limit := clampInt(int64(in.Limit), 0, 1000)
	p := ports.Paging{Limit: limit, Offset: clampInt(int64(in.Offset.Value), 0, math.MaxInt32)}
	if !in.Offset.Set && in.Page > 1 {
		if limit == 0 {
			limit = normal
		}
		p.Offset = clampInt(int64(min(in.Page, math.MaxInt32)-1)*int64(limit), 0, math.MaxInt32)
	}
	return p
}

func clampInt(n, low, high int64) int { return int(min(max(n, low), high)) }

// pagination says where a page lies; page numbers are for the admin only.
type pagination struct {
	Total      int  `json:"total"`
	Limit      int  `json:"limit"`
	Offset     int  `json:"offset"`
	HasMore    bool `json:"hasMore"`
	Page       *int `json:"page,omitempty"`
	TotalPages *int `json:"totalPages,omitempty"`
}

func paginationOf(p ports.Paging, total int, numbered bool) pagination {
	out := pagination{Total: total, Limit: p.Limit, Offset: p.Offset, HasMore: p.Offset+p.Limit < total}
	if numbered {
		page, pages := p.Offset/p.Limit+1, (total+p.Limit-1)/p.Limit
		out.Page, out.TotalPages = &page, &pages
	}
	return out
}

// keyInfo is what a list tells a key about itself.
type keyInfo struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	BasicPath   string `json:"basicPath"`
	Permissions int64  `json:"permissions"`
	IsGuest     Bit    `json:"isGuest"`
}

// listTop are the top-level fields of a list of shares.
func listTop(who policy.Principal, fields map[string]any) map[string]any {
	if who.Kind == policy.APIKey {
		fields["key_info"] = keyInfo{ID: who.ID, Name: who.Name, BasicPath: who.BasicPath, Permissions: int64(who.Permissions), IsGuest: Bit(who.Guest)}
	}
	return fields
}

// pasteRow is a line of the list; the content is for keys, the preview for the
// admin.
type pasteRow struct {
	ID             string  `json:"id"`
	Slug           string  `json:"slug"`
	Content        *string `json:"content,omitempty"`
	ContentPreview *string `json:"content_preview,omitempty"`
	Remark         *string `json:"remark"`
	HasPassword    Bit     `json:"has_password"`
	ExpiresAt      *string `json:"expires_at"`
	MaxViews       *int64  `json:"max_views"`
	Views          int64   `json:"views"`
	ViewCount      int64   `json:"view_count"`
	CreatedBy      string  `json:"created_by"`
	CreatedAt      string  `json:"created_at"`
	UpdatedAt      string  `json:"updated_at"`
	KeyName        *string `json:"key_name,omitempty"`
	Syntax         string  `json:"syntax,omitempty"`
	Size           int64   `json:"size"`
}

func (c pasteCalls) list(ctx context.Context, who policy.Principal, in listRequest) (Answer[[]pasteRow], error) {
	f := shares.PasteFilter{Search: strings.TrimSpace(in.Search), CreatedBy: in.CreatedBy, Paging: in.paging(10)}
	found, paging, err := c.pastes.List(ctx, who, f)
	if err != nil {
		return Answer[[]pasteRow]{}, err
	}
	names, err := c.keyNames.of(ctx, len(found.Items), func(i int) string { return found.Items[i].CreatedBy })
	if err != nil {
		return Answer[[]pasteRow]{}, err
	}
	rows := make([]pasteRow, len(found.Items))
	for i := range found.Items {
		p := &found.Items[i]
		rows[i] = pasteRow{ID: p.ID, Slug: p.Slug, Remark: textOrNull(p.Remark), HasPassword: Bit(p.Protected()), ExpiresAt: isoTime(p.ExpiresAt),
			MaxViews: orNull(p.MaxViews), Views: p.Views, ViewCount: p.Views, CreatedBy: p.CreatedBy, CreatedAt: iso(p.CreatedAt),
			UpdatedAt: iso(p.UpdatedAt), KeyName: names[p.CreatedBy], Syntax: p.Syntax, Size: p.Size}
		if who.Kind == policy.APIKey {
			content := string(p.Content)
			rows[i].Content = &content
		} else {
			preview := preview200(string(p.Content))
			rows[i].ContentPreview = &preview
		}
	}
	top := map[string]any{"pagination": paginationOf(paging, found.Total, who.Kind != policy.APIKey)}
	return Answer[[]pasteRow]{Data: rows, Top: listTop(who, top)}, nil
}

// preview200 is the first 200 characters, with dots when there are more.
func preview200(s string) string {
	n := 0
	for i := range s {
		if n++; n > 200 {
			return s[:i] + "..."
		}
	}
	return s
}

// of returns the names of the keys that created some shares, by created_by.
func (names KeyNames) of(ctx context.Context, n int, createdBy func(i int) string) (map[string]*string, error) {
	var ids []string
	for i := range n {
		if id, ok := strings.CutPrefix(createdBy(i), "apikey:"); ok {
			ids = append(ids, id)
		}
	}
	out := map[string]*string{}
	if len(ids) == 0 || names == nil {
		return out, nil
	}
	found, err := names(ctx, ids)
	for id, name := range found {
		out["apikey:"+id] = &name
	}
	return out, err
}

type itemRequest struct {
	ID string `path:"id"`
}

// pasteDetail is a paste as its owner sees it (contract §6.7).
type pasteDetail struct {
	ID            string  `json:"id"`
	Slug          string  `json:"slug"`
	Content       string  `json:"content"`
	Remark        *string `json:"remark"`
	ExpiresAt     *string `json:"expires_at"`
	MaxViews      *int64  `json:"max_views"`
	Views         int64   `json:"views"`
	CreatedBy     string  `json:"created_by"`
	CreatedAt     string  `json:"created_at"`
	UpdatedAt     string  `json:"updated_at"`
	HasPassword   bool    `json:"has_password"`
	PlainPassword *string `json:"plain_password"` // always null: only a hash is kept
	KeyName       *string `json:"key_name,omitempty"`
	Syntax        string  `json:"syntax,omitempty"`
}

func (c pasteCalls) get(ctx context.Context, who policy.Principal, in itemRequest) (pasteDetail, error) {
	p, err := c.pastes.Get(ctx, who, in.ID)
	if err != nil {
		return pasteDetail{}, err
	}
	names, err := c.keyNames.of(ctx, 1, func(int) string { return p.CreatedBy })
	if err != nil {
		return pasteDetail{}, err
	}
	exchangeFrom(ctx).Header().Set("ETag", p.ETag())
	return pasteDetail{ID: p.ID, Slug: p.Slug, Content: string(p.Content), Remark: textOrNull(p.Remark), ExpiresAt: isoTime(p.ExpiresAt),
		MaxViews: orNull(p.MaxViews), Views: p.Views, CreatedBy: p.CreatedBy, CreatedAt: iso(p.CreatedAt), UpdatedAt: iso(p.UpdatedAt),
		HasPassword: p.Protected(), KeyName: names[p.CreatedBy], Syntax: p.Syntax}, nil
}

// pasteUpdate is the body of a change (contract §6.8). "id" and "slug" inside
// the body are not read.
type pasteUpdate struct {
	ID            string      `path:"id"`
	Content       string      `json:"content"`
	Remark        Opt[string] `json:"remark"`
	Syntax        Opt[string] `json:"syntax"`
	ExpiresAt     Opt[When]   `json:"expiresAt"`
	MaxViews      Opt[Int]    `json:"maxViews"`
	Password      string      `json:"password"`
	ClearPassword Flag        `json:"clearPassword"`
	NewSlug       Opt[string] `json:"newSlug"`
}

type pasteUpdated struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
}

func (c pasteCalls) planUpdate(ctx context.Context, who policy.Principal, in pasteUpdate) (*shares.PasteUpdatePlan, error) {
	return c.pastes.PlanUpdate(ctx, who, in.ID, shares.PasteChange{
		Content: []byte(in.Content), Remark: fieldOf(in.Remark), Syntax: fieldOf(in.Syntax),
		ExpiresAt: shares.Field[*time.Time]{Set: in.ExpiresAt.Set, Value: in.ExpiresAt.Value.Time},
		MaxViews:  shares.Field[int64]{Set: in.MaxViews.Set, Value: int64(in.MaxViews.Value)},
		Password:  in.Password, ClearPassword: bool(in.ClearPassword), Slug: fieldOf(in.NewSlug), IfMatch: ifMatch(exchangeFrom(ctx).r.Header),
	})
}

func (c pasteCalls) update(ctx context.Context, plan *shares.PasteUpdatePlan) (pasteUpdated, error) {
	p, err := c.pastes.Apply(ctx, plan)
	if err != nil {
		return pasteUpdated{}, err
	}
	exchangeFrom(ctx).Header().Set("ETag", p.ETag())
	return pasteUpdated{ID: p.ID, Slug: p.Slug}, nil
}

// ifMatch returns the entity tag of If-Match; empty without one and for "*".
func ifMatch(h http.Header) string {
	tag, _, _ := strings.Cut(h.Get("If-Match"), ",")
	tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
	if tag == "*" {
		return ""
	}
	return tag
}

type deleteRequest struct {
	IDs []string `json:"ids"`
}

type deletedCount struct {
	DeletedCount int `json:"deletedCount"`
}

func (c pasteCalls) delete(ctx context.Context, who policy.Principal, in deleteRequest) (Answer[deletedCount], error) {
	n, err := c.pastes.Delete(ctx, who, in.IDs)
	return Answer[deletedCount]{Data: deletedCount{n}, Text: "deleted_count", Params: map[string]any{"count": n}}, err
}

func (c pasteCalls) clearExpired(ctx context.Context, who policy.Principal, _ None) (Answer[deletedCount], error) {
	n, err := c.pastes.ClearExpired(ctx, who)
	return Answer[deletedCount]{Data: deletedCount{n}, Text: "deleted_count", Params: map[string]any{"count": n}}, err
}

// When is a time that arrives as an ISO 8601 text; null and the empty string
// mean none. Times without a zone are UTC.
type When struct{ Time *time.Time }

var whenForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05", time.DateOnly}

// UnmarshalJSON reads one of the accepted forms.
func (t *When) UnmarshalJSON(data []byte) error {
	var text *string
	t.Time = nil
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == nil || strings.TrimSpace(*text) == "" {
		return nil
	}
	for _, form := range whenForms {
		if at, err := time.Parse(form, strings.TrimSpace(*text)); err == nil && at.Year() > 0 && at.Year() < 10000 {
			at = at.UTC()
			t.Time = &at
			return nil
		}
	}
	return errNotTime
}

// iso writes a time as contract §1.5 wants it.
func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func isoTime(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := iso(*t)
	return &s
}

// orNull writes a limit; 0 is "none", which leaves as null.
func orNull(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// fieldOf hands an optional value to a use case; null counts as the zero value.
func fieldOf[T any](o Opt[T]) shares.Field[T] { return shares.Field[T]{Set: o.Set, Value: o.Value} }

var errNotTime = errors.New("not a time")
