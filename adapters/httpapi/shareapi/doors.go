package shareapi

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/forms"
	"pasteport/domain/shares"
	"pasteport/domain/shares/inventory"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// doorCalls answer those who type one line: curl -T file https://host/.
type doorCalls struct {
	pasteCalls
	fileCalls
	deletions *inventory.Deletions
}

// doorOps are the operations beside the pages. They answer the link alone.
func doorOps(a *httpapi.API, u UseCases) {
	d := doorCalls{pasteCalls{pastes: u.Pastes, keyNames: u.KeyNames}, fileCalls{u}, u.Deletions}
	op := httpapi.Op{Door: true, Grows: httpapi.GrowsFiles, Actions: []policy.Action{policy.FileUpload, policy.PasteCreate}, Body: httpapi.RawBody, Rate: httpapi.ShareWrite,
		Class: httpapi.Streaming, Type: "application/json", Errors: append(uploadRefusals(), "content_too_large"), Statuses: uploadStatuses()}
	op.Name, op.Method, op.Path, op.Aliases = "door.put", http.MethodPut, "/{filename}", []string{"PUT /"}
	op.Summary = "Share a file with one line, as curl -T does; answers its link. Options in the query, or in headers such as Max-Days and Max-Downloads."
	httpapi.Stream(a, op, d.put)
	httpapi.Describe(a, op.Name, nil, uploadedFile{})
	op.Name, op.Method, op.Path, op.Aliases = "door.post", http.MethodPost, "/", nil
	op.Actions = []policy.Action{policy.PasteCreate, policy.FileUpload} // of a text first
	op.Summary = "Share a text or a file with one line: a body, or a form that brings a file or the field content; answers its link."
	httpapi.Stream(a, op, d.post)
	httpapi.Describe(a, op.Name, nil, uploadedFile{}, newPasteAnswer{})
}

// doorHeaders are the headers that carry options, those of transfer.sh among
// them, and the names of the options.
var doorHeaders = map[string]string{"X-Filename": "filename", "X-Slug": "slug", "X-Password": "password", "X-Expires": "expires", "X-Max-Views": "max_views",
	"X-Remark": "remark", "X-Syntax": "syntax", "Max-Days": "days", "Max-Downloads": "max_views"}

// optionsOf reads the options of a request: from its headers, and over them from
// its query.
func optionsOf(r *http.Request) map[string]string {
	fields := map[string]string{}
	for header, name := range doorHeaders {
		if value := r.Header.Get(header); value != "" {
			fields[name] = value
		}
	}
	for name, values := range r.URL.Query() {
		fields[name] = values[0]
	}
	return fields
}

// settle gives the options that other services name otherwise the names of the
// upload's form: views, days, and expires as hours, "7d" or a time in
// milliseconds. secret, whatever its value, asks for a link nobody can guess.
func settle(fields map[string]string, now time.Time) error {
	for from, to := range map[string]string{"views": "max_views", "name": "filename", "text": "content"} {
		if value, ok := fields[from]; ok && fields[to] == "" {
			fields[to] = value
		}
	}
	if _, ok := fields["secret"]; ok {
		fields["unguessable"] = "true"
	}
	if days := fields["days"]; days != "" {
		fields["expires"] = days + "d"
	}
	expires := strings.TrimSpace(fields["expires"])
	if expires == "" {
		return nil
	}
	number, unit := strings.TrimRight(expires, "hdw"), int64(1)
	switch expires[len(number):] {
	case "d":
		unit = 24
	case "w":
		unit = 7 * 24
	case "", "h":
	default:
		return ports.InvalidInput("expires_form", "expires")
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if unit == 1 && n > maxHours { // 0x0's time in milliseconds; one that has passed is refused
		n = int64(time.UnixMilli(n).Sub(now)+time.Hour-1) / int64(time.Hour)
		if n <= 0 {
			n = -1
		}
	}
	if err != nil || n < 0 || n > maxHours {
		return ports.InvalidInput("expires_form", "expires")
	}
	fields["expires_in"] = strconv.FormatInt(n*unit, 10)
	return nil
}

// maxHours is the longest life in hours that is taken for one: a hundred years.
const maxHours = 100 * 366 * 24

// put shares the body as a file.
func (d doorCalls) put(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	fields := optionsOf(r)
	if name := httpapi.ScopeOf(r.Context()).Var("filename"); name != "" {
		fields["filename"] = name
	}
	if err := settle(fields, httpapi.ScopeOf(r.Context()).Now()); err != nil {
		return err
	}
	return d.shareFile(w, r, who, fields, r.Body, r.ContentLength)
}

// post shares a form, or a body: as a text when it is one and has no name.
func (d doorCalls) post(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	fields := optionsOf(r)
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media == "multipart/form-data" {
		return d.form(w, r, who, fields)
	}
	if err := settle(fields, httpapi.ScopeOf(r.Context()).Now()); err != nil {
		return err
	}
	if fields["filename"] != "" {
		return d.shareFile(w, r, who, fields, r.Body, r.ContentLength)
	}
	front, err := d.readText(r)
	if err != nil {
		return err
	}
	if len(front) <= shares.MaxContent && isText(front, true) {
		return d.shareText(w, r, who, fields, front)
	}
	return d.shareFile(w, r, who, fields, io.MultiReader(bytes.NewReader(front), r.Body), r.ContentLength)
}

// readText reads a body to its end as long as it may be a text, at most one byte
// more than a text may have. Who sends more than a little holds a place for it.
func (d doorCalls) readText(r *http.Request) ([]byte, error) {
	front, err := io.ReadAll(io.LimitReader(r.Body, httpapi.SmallBody))
	if err != nil || len(front) < httpapi.SmallBody || !isText(front, false) {
		return front, err
	}
	if err := httpapi.ScopeOf(r.Context()).HoldBlock(); err != nil {
		return nil, err
	}
	rest, err := io.ReadAll(io.LimitReader(r.Body, int64(shares.MaxContent+1-len(front))))
	return append(front, rest...), err
}

// isText reports whether data is UTF-8 without control characters that no text
// has; of a front that is not whole, the last character may be cut.
func isText(data []byte, whole bool) bool {
	if bytes.IndexByte(data, 0) >= 0 {
		return false
	}
	for i := 1; !whole && i < utf8.UTFMax && i <= len(data); i++ {
		if last := data[len(data)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				data = data[:len(data)-i]
			}
			break
		}
	}
	return utf8.Valid(data)
}

// form shares what a form brings: a file in a field of any name, or a text in
// the field content.
func (d doorCalls) form(w http.ResponseWriter, r *http.Request, who policy.Principal, fields map[string]string) error {
	whole := forms.KeepFront(r)
	parts, err := r.MultipartReader()
	if err != nil {
		return forms.ErrForm.With(err)
	}
	form := forms.Reader{Parts: parts, Fields: fields}
	file, err := form.UntilFile()
	now := httpapi.ScopeOf(r.Context()).Now()
	if file == nil {
		if !errors.Is(err, forms.ErrFile) || fields["content"] == "" && fields["text"] == "" {
			return err
		}
		if err := settle(fields, now); err != nil {
			return err
		}
		return d.shareText(w, r, who, fields, []byte(fields["content"]))
	}
	done, err := d.uploadFrom(r, who, whole, &form, file, func() error { return settle(fields, now) })
	if err != nil {
		return err
	}
	return d.sendFile(w, r, done, fields["password"])
}

func (d doorCalls) shareFile(w http.ResponseWriter, r *http.Request, who policy.Principal, fields map[string]string, body io.Reader, size int64) error {
	in, err := uploadOf(fields, cmp.Or(fields["filename"], nameless(r)))
	if err != nil {
		return err
	}
	if media := content.MediaType(r.Header.Get("Content-Type")); content.HeaderSafe(media) && media != "application/x-www-form-urlencoded" {
		in.Type = media
	}
	f, err := d.Uploads.Upload(r.Context(), who, in, body, size)
	if err != nil {
		return err
	}
	return d.sendFile(w, r, f, fields["password"])
}

// nameless is the name of a file that came without one.
func nameless(r *http.Request) string {
	if known, _ := mime.ExtensionsByType(r.Header.Get("Content-Type")); len(known) > 0 {
		return "file" + known[0]
	}
	return "file.bin"
}

func (d doorCalls) sendFile(w http.ResponseWriter, r *http.Request, f *shares.File, password string) error {
	d.tellDeletion(r, inventory.Ref{Kind: policy.KindFile, ID: f.ID})
	return httpapi.Send(w, r, d.uploaded(r.Context(), f, password, false))
}

func (d doorCalls) shareText(w http.ResponseWriter, r *http.Request, who policy.Principal, fields map[string]string, text []byte) error {
	in, err := uploadOf(fields, "")
	if err != nil {
		return err
	}
	plan, err := d.pastes.PlanCreate(r.Context(), who, shares.NewPaste{Content: text, Slug: in.Slug, Unguessable: in.Unguessable, Remark: in.Remark, Syntax: fields["syntax"],
		Terms: shares.Terms{Password: in.Password, ExpiresAt: shares.In(httpapi.ScopeOf(r.Context()).Now(), in.ExpiresIn), MaxViews: in.MaxViews, Latch: in.Latch}})
	if err != nil {
		return err
	}
	made, err := d.pasteCalls.create(r.Context(), plan)
	if err != nil {
		return err
	}
	d.tellDeletion(r, inventory.Ref{Kind: policy.KindPaste, ID: made.ID})
	return httpapi.Send(w, r, made)
}

// tellDeletion names the link that deletes the share, in the header in which
// transfer.sh does.
func (d doorCalls) tellDeletion(r *http.Request, ref inventory.Ref) {
	scope := httpapi.ScopeOf(r.Context())
	scope.Header().Set("X-Url-Delete", scope.Origin()+"/api/deletions/"+ref.Kind+"/"+ref.ID+"/"+d.deletions.Secret(ref))
}
