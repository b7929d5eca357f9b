package domaintest

import (
	"pasteport/domain/uploads"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// UploadSessions are the sessions of uploads in parts over the memory.
func (m *Memory) UploadSessions(buckets objstore.Opener, ledger uploads.Ledger, clock ports.Clock) *uploads.Sessions {
	return uploads.New(uploads.Deps{Sessions: m.Uploads(), Buckets: buckets, Ledger: ledger, Clock: clock})
}
