package webdav

import (
	"errors"
	"net/http"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// copy answers COPY (contract §8.10).
func (h *Handler) copy(x *exchange) error { return h.place(x, transfer.Placing{}) }

// move answers MOVE (contract §8.10).
func (h *Handler) move(x *exchange) error { return h.place(x, transfer.Placing{Move: true}) }

func (h *Handler) place(x *exchange, p transfer.Placing) error {
	to, err := x.destination()
	if err != nil {
		return err
	}
	to = h.Tree.Form(x.r.Context(), x.caller, to, mounts.ToWrite)
	depth, err := x.depth(infinite)
	if err != nil {
		return err
	}
	if depth == one || p.Move && depth != infinite {
		return ports.InvalidInput("depth_invalid", "Depth")
	}
	p.Alone = depth == zero
	if p.Overwrite, err = x.overwrite(); err != nil {
		return err
	}
	if h.ignores(to) {
		return errIgnored
	}
	if !p.Move && !mayRead(x.caller.Who) {
		return errNoRead
	}
	replaced, err := h.Transfers.CopyTo(x.r.Context(), x.caller, x.path, to, p)
	if errors.Is(err, ports.ErrConflict) && !p.Overwrite {
		return &Failure{Status: http.StatusPreconditionFailed, Err: err}
	}
	if err != nil {
		return err
	}
	return x.created(!replaced)
}

// mayRead reports whether a caller may read over WebDAV, which a copy gives it:
// the policy is asked for the write, once, and knows nothing of the source's
// content (contract §8.3).
func mayRead(who policy.Principal) bool {
	return who.Kind != policy.APIKey || who.Permissions&policy.PermWebDAVRead != 0
}

var errNoRead = &ports.Error{Code: ports.Forbidden, Key: "permission_denied"}
