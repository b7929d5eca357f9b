package bunstore

import (
	"context"
	"errors"

	"pasteport/adapters/bunstore/internal/admindb"
	"pasteport/adapters/bunstore/internal/db"
	"pasteport/adapters/bunstore/internal/eventdb"
	"pasteport/adapters/bunstore/internal/sharedb"
	"pasteport/adapters/bunstore/internal/storagedb"
	"pasteport/adapters/bunstore/internal/treedb"
	"pasteport/ports"
)

// Options say where the records are.
type Options = db.Options

// IsSQLite reports whether a URL of Options names a file.
func IsSQLite(url string) bool { return db.IsSQLite(url) }

// Store is an open database with its repositories. It is safe for concurrent
// use.
type Store struct {
	*db.DB
	guesses *admindb.Guesses
}

// Open connects to the database and brings its tables up to date. Only one
// process may have a SQLite file open; the error names the other's pid. A
// database that a newer version has changed is refused. The caller closes the
// store.
func Open(ctx context.Context, o Options) (*Store, error) {
	d, err := db.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	guesses, err := admindb.OpenGuesses(ctx, d)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &Store{d, guesses}, nil
}

// Away reports whether err says that the database cannot be asked at the moment,
// so that it is worth waiting for.
func Away(err error) bool { return ports.Is(db.Failure(err), ports.Unavailable) }

// Pastes returns the repository of pastes.
func (s *Store) Pastes() *sharedb.Pastes { return sharedb.NewPastes(s.DB) }

// Revisions returns the repository of earlier contents of pastes.
func (s *Store) Revisions() *sharedb.Revisions { return sharedb.NewRevisions(s.DB) }

// Files returns the repository of file shares.
func (s *Store) Files() *sharedb.Files { return sharedb.NewFiles(s.DB) }

// Collections returns the repository of collections.
func (s *Store) Collections() *sharedb.Collections { return sharedb.NewCollections(s.DB) }

// Sums returns the checksums of what ZIP files hold.
func (s *Store) Sums() *sharedb.Sums { return sharedb.NewSums(s.DB) }

// Visits returns the repository of who opened shares.
func (s *Store) Visits() *sharedb.Visits { return sharedb.NewVisits(s.DB) }

// Shares returns the inventory of all shares.
func (s *Store) Shares() *sharedb.Shares { return sharedb.NewShares(s.DB) }

// StorageConfigs returns the repository of storage configs.
func (s *Store) StorageConfigs() *storagedb.StorageConfigs { return storagedb.NewStorageConfigs(s.DB) }

// Ledger returns the ledger of capacity.
func (s *Store) Ledger() *storagedb.Ledger { return storagedb.NewLedger(s.DB) }

// Uploads returns the repository of uploads in parts.
func (s *Store) Uploads() *storagedb.Uploads { return storagedb.NewUploads(s.DB) }

// Mounts returns the repository of mounts.
func (s *Store) Mounts() *treedb.Mounts { return treedb.NewMounts(s.DB) }

// Index returns the index of objects.
func (s *Store) Index() *treedb.Index { return treedb.NewIndex(s.DB) }

// Locks returns the repository of WebDAV locks.
func (s *Store) Locks() *treedb.Locks { return treedb.NewLocks(s.DB) }

// Properties returns the repository of dead WebDAV properties.
func (s *Store) Properties() *treedb.Properties { return treedb.NewProperties(s.DB) }

// Journal returns the journal of moves.
func (s *Store) Journal() *treedb.Journal { return treedb.NewJournal(s.DB) }

// History returns the repository of earlier contents of files.
func (s *Store) History() *treedb.History { return treedb.NewHistory(s.DB) }

// Archives returns the repository of tickets for archives.
func (s *Store) Archives() *treedb.Archives { return treedb.NewArchives(s.DB) }

// Requests returns the repository of links through which others send files.
func (s *Store) Requests() *sharedb.Requests { return sharedb.NewRequests(s.DB) }

// RequestFiles returns the repository of what was sent through requests.
func (s *Store) RequestFiles() *sharedb.RequestFiles { return sharedb.NewRequestFiles(s.DB) }

// Refusals returns of which refused uploads owners of requests were told.
func (s *Store) Refusals() *sharedb.Refusals { return sharedb.NewRefusals(s.DB) }

// Channels returns the repository of who wants to hear of events.
func (s *Store) Channels() *eventdb.Channels { return eventdb.NewChannels(s.DB) }

// Deliveries returns the outbox of events and what became of it.
func (s *Store) Deliveries() *eventdb.Deliveries { return eventdb.NewDeliveries(s.DB) }

// Watches returns of which shares accounts want to hear.
func (s *Store) Watches() *sharedb.Watches { return sharedb.NewWatches(s.DB) }

// Endings returns of which ends of shares somebody was told.
func (s *Store) Endings() *sharedb.Endings { return sharedb.NewEndings(s.DB) }

// Keys returns the repository of API keys.
func (s *Store) Keys() *admindb.Keys { return admindb.NewKeys(s.DB) }

// Admins returns the repository of admin accounts.
func (s *Store) Admins() *admindb.Admins { return admindb.NewAdmins(s.DB) }

// Sessions returns the repository of sessions.
func (s *Store) Sessions() *admindb.Sessions { return admindb.NewSessions(s.DB) }

// TOTP returns the repository of second steps.
func (s *Store) TOTP() *admindb.TOTP { return admindb.NewTOTP(s.DB) }

// Settings returns the repository of setting values.
func (s *Store) Settings() *admindb.Settings { return admindb.NewSettings(s.DB) }

// Secrets returns the small values that the server keeps for itself.
func (s *Store) Secrets() *admindb.Secrets { return admindb.NewSecrets(s.DB) }

// Sweeps returns the memory of when the janitor swept.
func (s *Store) Sweeps() *admindb.Sweeps { return admindb.NewSweeps(s.DB) }

// Policies returns the repository of the site's rules.
func (s *Store) Policies() *admindb.Policies { return admindb.NewPolicies(s.DB) }

// Decisions returns the repository of the decision log.
func (s *Store) Decisions() *admindb.Decisions { return admindb.NewDecisions(s.DB) }

// Audit returns the repository of the audit log.
func (s *Store) Audit() *admindb.Audit { return admindb.NewAudit(s.DB) }

// Tasks returns the repository of tasks.
func (s *Store) Tasks() *admindb.Tasks { return admindb.NewTasks(s.DB) }

// Idempotency returns the store of answers.
func (s *Store) Idempotency() *admindb.Idempotency { return admindb.NewIdempotency(s.DB) }

// Guesses returns the counters of failed guesses.
func (s *Store) Guesses() *admindb.Guesses { return s.guesses }
