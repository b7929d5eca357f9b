package treeapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts/archive"
	"pasteport/ports/policy"
)

// archivePath is where tickets are used.
const archivePath = "/api/fs/archive"

// zipType is the content type of archives.
const zipType = "application/zip"

// archiveOps are the two calls that give away files and folders as one ZIP
// file (contract §9.11): the first asks the policy, the second is a plain link
// that a browser can follow, good once.
func (c transferCalls) archiveOps(a *httpapi.API) {
	actions := []policy.Action{policy.MountArchive}
	httpapi.Handle(a, httpapi.Op{Name: "fs.archive", Method: http.MethodPost, Path: archivePath, Actions: actions, Body: httpapi.JSON, Errors: fsErrors,
		Summary: "Asks for files and folders as one ZIP file. The link in the answer works once, for a minute."}, c.archive)
	httpapi.Stream(a, httpapi.Op{Name: "fs.archive_read", Method: http.MethodGet, Path: archivePath + "/{ticket}", Public: true, Signed: true, Actions: actions, Class: httpapi.Packing,
		Type: zipType, Errors: []string{"not_found", "storage_unavailable"},
		Summary: "The ZIP file of a ticket, which is used up by it. What could not be read is named in a text at its end."}, c.readArchive)
}

type archiveRequest struct {
	Paths []string         `json:"paths"`
	Name  wire.Opt[string] `json:"name"` // of the ZIP file; absent or empty: after what is in it
}

type archiveAnswer struct {
	Ticket    string  `json:"ticket"`
	URL       *string `json:"url"`
	Name      string  `json:"name"`
	ExpiresAt string  `json:"expiresAt"`
	ExpiresIn int64   `json:"expiresIn"` // seconds
}

func (c transferCalls) archive(ctx context.Context, who policy.Principal, in archiveRequest) (archiveAnswer, error) {
	link, err := c.Archives.Create(ctx, explorer(who), archive.Request{Paths: in.Paths, Name: in.Name.Value})
	if err != nil {
		return archiveAnswer{}, err
	}
	return archiveAnswer{Ticket: link.Ticket, URL: httpapi.ScopeOf(ctx).Absolute(archivePath + "/" + link.Ticket), Name: link.Name, ExpiresAt: wire.ISO(link.Expires),
		ExpiresIn: int64(archive.LinkLife.Seconds())}, nil
}

// readArchive streams the archive. HEAD leaves the ticket as it is: browsers
// and download managers ask before they fetch.
func (c transferCalls) readArchive(w http.ResponseWriter, r *http.Request, _ policy.Principal) error {
	ctx, ticket := r.Context(), httpapi.ScopeOf(r.Context()).Var("ticket")
	if r.Method == http.MethodHead {
		name, err := c.Archives.Look(ctx, ticket)
		if err != nil {
			return err
		}
		archiveHeaders(w.Header(), name)
		w.WriteHeader(http.StatusOK)
		return nil
	}
	archive, err := c.Archives.Open(ctx, ticket)
	if err != nil {
		return err
	}
	archiveHeaders(w.Header(), archive.Name)
	w.WriteHeader(http.StatusOK)
	return archive.WriteZip(ctx, w, func(err error) string {
		message, _ := itemFailure(ctx, err)
		return message
	})
}

func archiveHeaders(h http.Header, name string) {
	content.Safety(h, true)
	h["Content-Type"] = []string{zipType}
	h["Content-Disposition"] = []string{content.Disposition(false, name)}
	h["Cache-Control"] = content.NoStore
}
