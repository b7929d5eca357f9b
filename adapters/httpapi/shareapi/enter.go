package shareapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// enterOps registers the forms of share pages for browsers without scripts. What they
// send stands in no address: a visit that was let in goes on with its ticket.
func enterOps(a *httpapi.API, u UseCases) {
	for _, op := range []struct {
		name, path, page string
		peek             func(ctx context.Context, who policy.Principal, slug string) (shares.Peek, error)
		verify           func(ctx context.Context, who policy.Principal, v shares.Visit) (ticket string, err error)
	}{
		{"paste.enter", wire.RawPath, wire.PagePath, u.Pastes.Peek, func(ctx context.Context, who policy.Principal, v shares.Visit) (string, error) {
			v.Admit = admitted
			reading, err := u.Pastes.Verify(ctx, who, v)
			return reading.Ticket, err
		}},
		{"file.enter", "/api/file-download/", "/file/", u.Visits.Peek, func(ctx context.Context, who policy.Principal, v shares.Visit) (string, error) {
			reading, err := u.Visits.Verify(ctx, who, v)
			return reading.Ticket, err
		}},
	} {
		httpapi.Stream(a, httpapi.Op{Name: op.name, Method: "POST", Path: op.path + "{slug}", Public: true, Actions: []policy.Action{policy.ShareView, policy.ShareVerify},
			Body: httpapi.JSON, Text: "password", Answer: httpapi.Bare, Rate: httpapi.ShareRead, Also: []int{http.StatusSeeOther},
			Errors:  []string{"key_required", "expired", "used_up", "storage_unavailable", "storage_denied"},
			Summary: "The form of a share's page for browsers without scripts: leads to its bytes, or back to the page."},
			func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
				in, err := httpapi.Decode[verifyRequest](r)
				if err != nil {
					return err
				}
				ticket, isOpen := "", false
				if in.Password != "" {
					ticket, err = op.verify(r.Context(), who, shares.Visit{Slug: in.Slug, Password: in.Password})
				} else {
					var share shares.Peek
					share, err = op.peek(r.Context(), who, in.Slug)
					isOpen = !share.Protected
				}
				var refused *ports.Error
				errors.As(err, &refused)
				to := op.path + url.PathEscape(in.Slug)
				switch {
				case err == nil && isOpen, refused != nil && refused.Text == "share_not_protected":
				case err == nil && ticket != "":
					to += "?ticket=" + url.QueryEscape(ticket)
				case err == nil, refused != nil && refused.Key == "password_wrong":
					to = op.page + url.PathEscape(in.Slug) + "?refused=1"
				default:
					return err
				}
				scope, h := httpapi.ScopeOf(r.Context()), w.Header()
				shareHeaders(h)
				h["Cache-Control"], h["Location"] = content.NoStore, []string{scope.Base() + to}
				scope.Answer(http.StatusSeeOther, nil)
				return nil
			})
		httpapi.Describe(a, op.name, verifyRequest{})
	}
}
