package shares

import (
	"pasteport/domain/shares/internal/gate"
	"pasteport/ports"
)

// The errors of shares. Texts that begin with "paste." or "file." name messages
// whose wording old clients test (contract §1.4).
var (
	errContentEmpty    = ports.InvalidInput("content_empty", "content")
	errContentTooLarge = &ports.Error{Code: ports.Invalid, Key: "content_too_large"}

	errPasteUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "paste.not_found"}
	// errPasteChanged is a paste that was changed, erased or deleted between its
	// record was read and its content.
	errPasteChanged = &ports.Error{Code: ports.Unavailable, Key: "overloaded"}

	ErrFileUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "file.not_found"}
	// ErrNotUploaded is a commit before the object has arrived.
	ErrNotUploaded = ports.InvalidInput("file_not_uploaded", "file_id")

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
)

// How pastes and files say that they cannot be opened.
var (
	pasteEnds = gate.Ends{Unknown: errPasteUnknown, Expired: &ports.Error{Code: ports.Gone, Key: "expired", Text: "paste.expired"},
		UsedUp: &ports.Error{Code: ports.Gone, Key: "used_up", Text: "paste.used_up"}}
	fileEnds = gate.Ends{Unknown: ErrFileUnknown, Expired: &ports.Error{Code: ports.Gone, Key: "expired", Text: "file.expired"},
		UsedUp: &ports.Error{Code: ports.Gone, Key: "used_up", Text: "file.used_up"}}
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
