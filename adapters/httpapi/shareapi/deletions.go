package shareapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/domain/shares/inventory"
	"pasteport/ports/policy"
)

// deletionPath is where the deletion links of shares lead.
const deletionPath = "/api/deletions/{kind}/{id}/{secret}"

// deletionOps delete a share for whoever has its deletion link, as screenshot
// tools and scripts keep them. Looking at such a link deletes nothing: browsers
// and chats do that unasked.
func deletionOps(a *httpapi.API, d *inventory.Deletions) {
	actions := []policy.Action{policy.PasteDelete, policy.FileDelete}
	httpapi.Stream(a, httpapi.Op{Name: "deletion.show", Method: http.MethodGet, Path: deletionPath, Actions: actions, Public: true, Signed: true, Answer: httpapi.Bytes, Type: "text/html", Fail: httpapi.FailText,
		Rate: httpapi.ShareRead, Summary: "A page with one button that deletes the share of this deletion link."},
		func(w http.ResponseWriter, r *http.Request, _ policy.Principal) error {
			scope, h := httpapi.ScopeOf(r.Context()), w.Header()
			content.Safety(h, true)
			h["Content-Security-Policy"] = []string{"default-src 'none'; form-action 'self'; frame-ancestors 'none'"}
			h["X-Robots-Tag"] = content.NoIndex
			page := "<!doctype html><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>Pasteport</title><form method=post><p>" +
				scope.Say("deletion_question", nil) + "</p><button>" + scope.Say("deletion_button", nil) + "</button></form>"
			httpapi.WriteBytes(w, r, http.StatusOK, "text/html; charset=utf-8", []byte(page))
			return nil
		})
	httpapi.Handle(a, httpapi.Op{Name: "deletion.carry_out", Method: http.MethodDelete, Path: deletionPath, Aliases: []string{"POST " + deletionPath}, Actions: actions, Public: true, Signed: true,
		Rate: httpapi.ShareRead, Summary: "Delete the share of this deletion link."},
		func(ctx context.Context, _ policy.Principal, in deletionRequest) (httpapi.Answer[httpapi.None], error) {
			return httpapi.Answer[httpapi.None]{Text: "share_deleted"}, d.Delete(ctx, inventory.Ref{Kind: in.Kind, ID: in.ID}, in.Secret)
		})
}

type deletionRequest struct {
	Kind   string `path:"kind"`
	ID     string `path:"id"`
	Secret string `path:"secret"`
}
