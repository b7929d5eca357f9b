package shares

import (
	"pasteport/ports"
	"pasteport/ports/policy"
)

// The errors of shares. Texts that begin with "paste." or "file." name messages
// whose wording old clients test (contract §1.4).
var (
	errContentEmpty    = ports.InvalidInput("content_empty", "content")
	errContentTooLarge = &ports.Error{Code: ports.Invalid, Key: "content_too_large"}

	errPasswordRequired = &ports.Error{Code: ports.Unauthenticated, Key: "password_required"}
	errPasswordWrong    = &ports.Error{Code: ports.Unauthenticated, Key: "password_wrong"}
	errPasswordMissing  = &ports.Error{Code: ports.Invalid, Key: "password_required"}
	errNotProtected     = ports.InvalidInput("share_not_protected", "password")

	errPasteUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "paste.not_found"}
	errPasteExpired = &ports.Error{Code: ports.Gone, Key: "expired", Text: "paste.expired"}
	// errPasteChanged is a paste that was changed, erased or deleted between its
	// record was read and its content.
	errPasteChanged = &ports.Error{Code: ports.Unavailable, Key: "overloaded"}
	errPasteUsedUp  = &ports.Error{Code: ports.Gone, Key: "used_up", Text: "paste.used_up"}

	ErrFileUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "file.not_found"}
	errFileExpired = &ports.Error{Code: ports.Gone, Key: "expired", Text: "file.expired"}
	errFileUsedUp  = &ports.Error{Code: ports.Gone, Key: "used_up", Text: "file.used_up"}
	// errNotUploaded is a commit before the object has arrived.
	errNotUploaded = ports.InvalidInput("file_not_uploaded", "file_id")
	// errLaterPart is a range of a file with a view limit that no visit stands
	// for.
	errLaterPart = &ports.Error{Code: ports.Range, Key: "range_invalid", Text: "range_needs_visit"}

	errCollectionUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "collection.not_found"}
	errCollectionExpired = &ports.Error{Code: ports.Gone, Key: "expired", Text: "collection.expired"}
	errCollectionUsedUp  = &ports.Error{Code: ports.Gone, Key: "used_up", Text: "collection.used_up"}
	// errItemTaken is a file that is an item of a collection already.
	errItemTaken = &ports.Error{Code: ports.Conflict, Key: "item_taken"}
	// errItemGate is a slug, password, end or limit for an item: its collection has
	// those.
	errItemGate = &ports.Error{Code: ports.Conflict, Key: "item_taken", Text: "item_gate"}

	ErrStorageForbidden = &ports.Error{Code: ports.Forbidden, Key: "storage_forbidden"}
	ErrStorageUnknown   = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "storage_unknown"}
	ErrNoStorage        = ports.InvalidInput("storage_missing", "s3_config_id")
	errOverrideForeign  = &ports.Error{Code: ports.Forbidden, Key: "not_owner"}
	errStale            = &ports.Error{Code: ports.Precondition, Key: "precondition_failed"}
	errTooManyItems     = ports.InvalidInput("too_many_items", "ids")
	errNotOffice        = ports.InvalidInput("not_office", "slug")
	errNoItems          = ports.InvalidInput("required", "ids")
	errUnknownSlugs     = &ports.Error{Code: ports.RateLimited, Key: "rate_limited"}
)

// MaxBatch is the number of ids one batch call may name.
const MaxBatch = 1000

// CheckBatch refuses a batch without ids, or with more than MaxBatch.
func CheckBatch(ids []string) error {
	if len(ids) == 0 {
		return errNoItems
	}
	if len(ids) > MaxBatch {
		return errTooManyItems
	}
	return nil
}

// hideForeign turns the refusal "belongs to somebody else" into unknown, so
// that nobody learns which ids exist. A missing permission stays a refusal.
func hideForeign(decision policy.Decision, err error, unknown *ports.Error) error {
	if !ports.Is(err, ports.Forbidden) {
		return err
	}
	foreign := false
	for _, r := range decision.Reasons {
		switch r.Code {
		case "permission_missing":
			return &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Reason: r.Code, Cause: err}
		case "not_owner":
			foreign = true
		}
	}
	if foreign {
		return unknown.With(err)
	}
	return err
}
