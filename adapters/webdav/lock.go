package webdav

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/ports"
)

// lock answers LOCK: a new lock, or without a body a longer one (contract
// §8.11).
func (h *Handler) lock(x *exchange) error {
	depth, err := x.depth(infinite)
	if err != nil {
		return err
	}
	if depth == one {
		return ports.InvalidInput("depth_invalid", "Depth")
	}
	root, err := x.readXML()
	if err != nil {
		return err
	}
	if root == nil {
		return h.refresh(x)
	}
	n, err := readLock(root)
	if err != nil {
		return err
	}
	n.Deep, n.Life = depth == infinite, x.lockTime()
	if h.ignores(x.path) {
		return errIgnored
	}
	l, created, err := h.Resources.Lock(x.r.Context(), x.caller, x.path, n)
	if errors.Is(err, mounts.ErrLocked) {
		return &precondition{http.StatusLocked, "<D:no-conflicting-lock>" + x.href(lockedPath(err), false) + "</D:no-conflicting-lock>", err}
	}
	if err != nil {
		return err
	}
	x.Header()["Lock-Token"] = []string{"<" + l.Token + ">"}
	if created {
		return x.locked(http.StatusCreated, &l)
	}
	return x.locked(http.StatusOK, &l)
}

// refresh prolongs a lock whose token the If header names.
func (h *Handler) refresh(x *exchange) error {
	if len(x.caller.Locks) == 0 {
		return ports.InvalidInput("lock_body", "body")
	}
	l, err := h.Resources.Prolong(x.r.Context(), x.caller, x.path, x.lockTime())
	if errors.Is(err, dav.ErrLockEnded) {
		return &precondition{http.StatusPreconditionFailed, "<D:lock-token-matches-request-uri/>", err}
	}
	if err != nil {
		return err
	}
	return x.locked(http.StatusOK, &l)
}

// readLock reads DAV:lockinfo.
func readLock(root *element) (n dav.NewLock, err error) {
	if !root.is("lockinfo") {
		return n, errXML
	}
	scope, kind := root.child("lockscope"), root.child("locktype")
	if scope == nil || kind == nil || kind.child("write") == nil {
		return n, errXML
	}
	n.Shared = scope.child("shared") != nil
	if n.Shared == (scope.child("exclusive") != nil) {
		return n, errXML
	}
	if owner := root.child("owner"); owner != nil {
		n.Note = string(owner.appendInside(nil, ""))
		if len(n.Note) > maxOwner {
			return n, errXML
		}
	}
	return n, nil
}

// maxOwner bounds what a lock says of its owner, in bytes.
const maxOwner = 8 << 10

// locked answers with the lock.
func (x *exchange) locked(status int, l *dav.Lock) error {
	b := append([]byte(xmlHead), `<D:prop xmlns:D="DAV:"><D:lockdiscovery>`...)
	b = append(appendLock(b, l, x.prefix, time.Now()), "</D:lockdiscovery></D:prop>"...)
	h := x.Header()
	h["Content-Type"] = xmlType
	h["Content-Length"] = []string{strconv.Itoa(len(b))}
	x.WriteHeader(status)
	_, err := x.Write(b)
	return err
}

// unlock answers UNLOCK. Some clients send the token without its brackets (npm's
// webdav does).
func (h *Handler) unlock(x *exchange) error {
	header := strings.TrimSpace(x.r.Header.Get("Lock-Token"))
	token, opened := strings.CutPrefix(header, "<")
	token, closed := strings.CutSuffix(token, ">")
	if token == "" || opened != closed {
		return ports.InvalidInput("lock_token", "Lock-Token")
	}
	err := h.Resources.Unlock(x.r.Context(), x.caller, x.path, token)
	if errors.Is(err, dav.ErrNoLock) {
		return &precondition{http.StatusConflict, "<D:lock-token-matches-request-uri/>", err}
	}
	if err != nil {
		return err
	}
	return x.respond(http.StatusNoContent)
}
