package adminapi

import (
	"bytes"
	"io"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/forms"
	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// The policies of a block of HTML in a tab of its own: it has no origin,
// reaches nothing and may not be framed.
const (
	inertBlock  = "default-src 'none'; img-src data:; media-src data:; font-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
	activeBlock = "default-src 'none'; img-src data:; media-src data:; font-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'; script-src 'unsafe-inline'; sandbox allow-scripts"
)

// maxBlockParts is how many fields the form may have.
const maxBlockParts = 4

// errForeignForm is a form that another site has sent.
var errForeignForm = &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Text: "foreign_form"}

// sandboxOps show a block of HTML that a page has at hand in a tab of its own.
// It comes back under this server's address, but never in its origin.
func sandboxOps(a *httpapi.API, decider policy.Decider) {
	httpapi.Stream(a, httpapi.Op{Name: "block.show", Method: http.MethodPost, Path: "/api/sandbox", Body: httpapi.FormBody, Answer: httpapi.Bytes, Fail: httpapi.FailText, Public: true, Rate: httpapi.ShareRead,
		Actions: []policy.Action{policy.SiteRead}, Type: "text/html", Errors: []string{"content_too_large"},
		Summary: "Answers the HTML of the form's field html as a page without an origin. It is for the pages of this server; with scripts=1 before it, scripts run there."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			if _, err := policy.Check(r.Context(), decider, who, policy.SiteRead, policy.Resource{Kind: policy.KindSystem}); err != nil {
				return err
			}
			proven, err := ownForm(r)
			if err != nil {
				return err
			}
			block, scripts, err := blockOf(r)
			if err != nil {
				return err
			}
			h := w.Header()
			content.Safety(h, true)
			h["Content-Security-Policy"] = []string{inertBlock}
			if scripts && proven {
				h["Content-Security-Policy"] = []string{activeBlock}
			}
			h["Cache-Control"], h["X-Robots-Tag"] = content.NoStore, content.NoIndex
			httpapi.WriteBytes(w, r, http.StatusOK, "text/html; charset=utf-8", block)
			return nil
		})
}

// ownForm refuses forms of other sites, which could show their pages under this
// address, and what no browser sends. proven is false where the browser does
// not tell: over plain http, from a page that hides where it is.
func ownForm(r *http.Request) (proven bool, err error) {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	switch {
	case site == "same-origin", site == "" && origin == originOnly(httpapi.ScopeOf(r.Context()).Origin()):
		return true, nil
	case site == "" && origin == "null":
		return false, nil
	}
	return false, errForeignForm
}

// blockOf reads the form. What is longer than SmallBody takes a place, since it
// is kept whole.
func blockOf(r *http.Request) (block []byte, scripts bool, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, false, forms.ErrForm.With(err)
	}
	for range maxBlockParts {
		part, err := parts.NextPart()
		if err != nil {
			return nil, false, forms.ErrForm.With(err)
		}
		switch part.FormName() {
		case "scripts":
			value, err := io.ReadAll(io.LimitReader(part, 2))
			if err != nil {
				return nil, false, forms.Error(err)
			}
			scripts = string(value) == "1"
		case "html":
			block, err := blockFrom(httpapi.ScopeOf(r.Context()), part)
			return block, scripts, err
		}
	}
	return nil, false, forms.ErrForm
}

func blockFrom(scope httpapi.Scope, from io.Reader) ([]byte, error) {
	start, err := io.ReadAll(io.LimitReader(from, httpapi.SmallBody))
	if err != nil {
		return nil, forms.Error(err)
	}
	if len(start) < httpapi.SmallBody {
		return start, nil
	}
	if err := scope.HoldBlock(); err != nil {
		return nil, err
	}
	block := bytes.NewBuffer(start)
	if n, err := block.ReadFrom(io.LimitReader(from, shares.MaxContent+1-httpapi.SmallBody)); err != nil {
		return nil, forms.Error(err)
	} else if n > shares.MaxContent-httpapi.SmallBody {
		return nil, &ports.Error{Code: ports.Invalid, Key: "content_too_large"}
	}
	return block.Bytes(), nil
}
