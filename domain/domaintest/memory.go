package domaintest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"pasteport/domain/keys"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/transfer"
	"pasteport/domain/requests"
	"pasteport/domain/settings"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/revisions"
	"pasteport/domain/shares/visitlog"
	"pasteport/domain/storage"
	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/upload"
)

// Memory is a whole database in memory: every repository of the domain, the
// counters of guesses, the idempotency records and the unit of work over all
// of them. Like SQLite it has one writer: a call with a context from outside
// waits until a running unit of work has ended.
type Memory struct {
	clock ports.Clock
	mu    sync.Mutex
	fail  error

	pastes   memTable[shares.Paste]
	editions memTable[edition]
	files    memTable[shares.File]
	sets     memTable[collections.Collection]
	taken    memTable[takenRow]
	stands   memTable[standRow]
	keys     memTable[keys.Key]
	keyUses  memTable[keys.Use]
	admins   memTable[keys.Admin]
	sessions memTable[keys.Session]
	settings memTable[settings.Setting]
	configs  memTable[storage.Config]
	tasks    *memTasks
	journal  memTable[transfer.MoveRecord]
	mounts   memTable[mounts.Mount]
	locks    memTable[dav.Lock]
	props    memTable[propertyRow]
	uploads  memTable[upload.Session]
	requests memTable[requests.Request]
	sent     memTable[requests.File]
	index    *memIndex
	ledger   *memLedger
	guesses  memTable[guessRow]
	calls    memTable[callRow]
	visits   memTable[visitlog.Line]
	history  memHistory
	retired  map[string]bool // storage configs to which no file comes any more
	sweeps   Sweeps
}

// NewMemory returns an empty database. The clock is used by Guesses only.
func NewMemory(clock ports.Clock) *Memory {
	m := &Memory{clock: clock, retired: map[string]bool{}}
	m.pastes = newTable(m, func(p *shares.Paste) string { return p.ID }, clonePaste,
		func(p *shares.Paste) []unique { return []unique{{"slug_taken", p.Slug}} })
	m.editions = newTable(m, func(e *edition) string { return fmt.Sprint(e.pasteID, " ", e.Version) }, same[edition], nil)
	m.files = newTable(m, func(f *shares.File) string { return f.ID }, cloneFile,
		func(f *shares.File) []unique { return []unique{{"slug_taken", f.Slug}} })
	m.sets = newTable(m, func(c *collections.Collection) string { return c.ID }, cloneCollection,
		func(c *collections.Collection) []unique { return []unique{{"slug_taken", c.Slug}} })
	m.taken = newTable(m, func(d *takenRow) string { return d.id + " " + d.name }, same[takenRow], nil)
	m.stands = newTable(m, func(s *standRow) string { return s.id + " " + s.Path }, same[standRow], nil)
	m.keys = newTable(m, func(k *keys.Key) string { return k.ID }, cloneKey,
		func(k *keys.Key) []unique {
			former := cmp.Or(k.Former.MAC, "none of "+k.ID)
			return []unique{{"already_exists", "n" + k.Name}, {"already_exists", "m" + k.MAC}, {"already_exists", "f" + former}}
		})
	m.keyUses = newTable(m, func(u *keys.Use) string { return u.KeyID + " " + u.Day }, func(u keys.Use) keys.Use { return u }, nil)
	m.admins = newTable(m, func(a *keys.Admin) string { return a.ID }, cloneAdmin,
		func(a *keys.Admin) []unique { return []unique{{"already_exists", a.Username}} })
	m.sessions = newTable(m, func(s *keys.Session) string { return s.ID }, cloneSession, nil)
	m.settings = newTable(m, func(s *settings.Setting) string { return s.Key }, cloneSetting, nil)
	m.configs = newTable(m, func(c *storage.Config) string { return c.ID }, cloneConfig, nil)
	m.tasks = newMemTasks(m)
	m.journal = newTable(m, func(j *transfer.MoveRecord) string { return j.ID }, cloneJourney, nil)
	m.uploads = newUploadTable(m)
	m.requests, m.sent = newRequestTables(m)
	m.index = newMemIndex(m)
	m.ledger = newMemLedger(m)
	m.mounts = newTable(m, func(r *mounts.Mount) string { return r.ID }, cloneMount,
		func(r *mounts.Mount) []unique { return []unique{{"already_exists", r.Path}} })
	m.locks = newTable(m, func(l *dav.Lock) string { return l.Token }, cloneLock, nil)
	m.props = newTable(m, propertyID, same[propertyRow], nil)
	m.guesses = newTable(m, func(g *guessRow) string { return g.subject }, same[guessRow], nil)
	m.calls = newTable(m, func(c *callRow) string { return c.call.Caller + "\x00" + c.call.Key }, same[callRow], nil)
	m.visits = newTable(m, func(l *visitlog.Line) string { return fmt.Sprintf("%012d", l.N) }, same[visitlog.Line], nil)
	return m
}

// Visits returns the repository of who opened shares.
func (m *Memory) Visits() visitlog.Repository { return &memVisits{m} }

// Pastes returns the repository of pastes.
func (m *Memory) Pastes() shares.PasteRepository { return &memPastes{memTable: &m.pastes} }

// Revisions returns the repository of earlier contents of pastes.
func (m *Memory) Revisions() revisions.Repository { return &memRevisions{&m.editions, &m.pastes} }

// Files returns the repository of file shares.
func (m *Memory) Files() shares.FileRepository { return &memFiles{memTable: &m.files} }

// Collections returns the repository of collections.
func (m *Memory) Collections() collections.Repository { return &memCollections{&m.sets} }

// Items returns the items of collections.
func (m *Memory) Items() collections.Items { return &memFiles{memTable: &m.files} }

// CollectionRemains are the collections that nobody can open any more.
func (m *Memory) CollectionRemains() cleanup.Remains[cleanup.Seen] { return &memCollections{&m.sets} }

// PasteRemains are the pastes that nobody can open any more.
func (m *Memory) PasteRemains() cleanup.Remains[cleanup.Seen] { return &memPastes{memTable: &m.pastes} }

// FileObjects finds file shares by their objects.
func (m *Memory) FileObjects() shares.FileObjects { return &memFiles{memTable: &m.files} }

// FileRemains are the file shares that nobody can open any more.
func (m *Memory) FileRemains() cleanup.Remains[shares.File] { return &memFiles{memTable: &m.files} }

// Keys returns the repository of API keys.
func (m *Memory) Keys() keys.KeyRepository { return &memKeys{&m.keys, &m.keyUses} }

// Admins returns the repository of admin accounts.
func (m *Memory) Admins() keys.AdminRepository { return &memAdmins{&m.admins} }

// Sessions returns the repository of sessions.
func (m *Memory) Sessions() keys.SessionRepository { return &memSessions{&m.sessions} }

// Settings returns the repository of setting values.
func (m *Memory) Settings() settings.Repository { return &memSettings{&m.settings} }

// StorageConfigs returns the repository of storage configs.
func (m *Memory) StorageConfigs() storage.ConfigRepository { return &memConfigs{&m.configs} }

// Tasks returns the repository of tasks.
func (m *Memory) Tasks() tasks.Repository { return m.tasks }

// TaskRuns returns what runs of tasks store.
func (m *Memory) TaskRuns() tasks.Runs { return m.tasks }

// Mounts returns the repository of mounts.
func (m *Memory) Mounts() mounts.MountRepository { return &memMounts{&m.mounts} }

// Journal returns the journal of moves.
func (m *Memory) Journal() transfer.Journal { return &memJournal{&m.journal} }

// Locks returns the repository of WebDAV locks.
func (m *Memory) Locks() dav.LockRepository { return &memLocks{&m.locks} }

// Properties returns the repository of dead WebDAV properties.
func (m *Memory) Properties() dav.PropertyRepository { return &memProperties{&m.props} }

// Index returns the index of objects.
func (m *Memory) Index() index.Repository { return m.index }

// Ledger returns the ledger of capacity.
func (m *Memory) Ledger() storage.LedgerRepository { return m.ledger }

// Guesses returns the counters of failed guesses.
func (m *Memory) Guesses() ports.Guesses { return &memGuesses{&m.guesses} }

// Idempotency returns the store of answers.
func (m *Memory) Idempotency() ports.Idempotency { return &memIdempotency{&m.calls} }

// FailWith makes every call return err until it is called with nil.
func (m *Memory) FailWith(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

type memTx struct{}

// Do runs fn as one: when fn returns an error or panics, everything it changed
// is put back.
func (m *Memory) Do(ctx context.Context, fn func(ctx context.Context) error) error {
	if ctx.Value(memTx{}) == m {
		return fn(ctx)
	}
	end, err := m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	restore := m.snapshot()
	done := false
	defer func() {
		if !done {
			restore()
		}
	}()
	err = fn(context.WithValue(ctx, memTx{}, m))
	done = err == nil
	return err
}

// begin waits for the writer's place, unless ctx already holds it.
func (m *Memory) begin(ctx context.Context) (end func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, ports.ErrUnavailable.With(err)
	}
	if ctx.Value(memTx{}) == m {
		return func() {}, m.fail
	}
	m.mu.Lock()
	if m.fail != nil {
		defer m.mu.Unlock()
		return nil, m.fail
	}
	return m.mu.Unlock, nil
}

func (m *Memory) snapshot() (restore func()) {
	all := []func(){
		m.pastes.snapshot(), m.editions.snapshot(), m.files.snapshot(), m.sets.snapshot(), m.taken.snapshot(), m.stands.snapshot(), m.keys.snapshot(), m.keyUses.snapshot(), m.admins.snapshot(), m.sessions.snapshot(),
		m.settings.snapshot(), m.configs.snapshot(), m.tasks.snapshot(), m.journal.snapshot(), m.mounts.snapshot(), m.locks.snapshot(), m.props.snapshot(), m.uploads.snapshot(), m.requests.snapshot(), m.sent.snapshot(), m.index.snapshot(), m.guesses.snapshot(), m.calls.snapshot(), m.visits.snapshot(),
	}
	return func() {
		for _, put := range all {
			put()
		}
	}
}

// unique is a value that no other row may have; key is the error's.
type unique struct{ key, value string }

// memTable keeps rows by id. Rows inside are never changed in place, so a
// snapshot is a copy of the map.
type memTable[E any] struct {
	m      *Memory
	rows   map[string]E
	id     func(*E) string
	clone  func(E) E
	unique func(*E) []unique
}

func newTable[E any](m *Memory, id func(*E) string, clone func(E) E, names func(*E) []unique) memTable[E] {
	if names == nil {
		names = func(*E) []unique { return nil }
	}
	return memTable[E]{m: m, rows: map[string]E{}, id: id, clone: clone, unique: names}
}

func (t *memTable[E]) snapshot() (restore func()) {
	rows := maps.Clone(t.rows)
	return func() { t.rows = rows }
}

// Insert stores a copy of e.
func (t *memTable[E]) Insert(ctx context.Context, e *E) error {
	end, err := t.m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	return t.insert(e)
}

func (t *memTable[E]) insert(e *E) error {
	if _, exists := t.rows[t.id(e)]; exists {
		return ports.ErrConflict
	}
	if err := t.conflict(e); err != nil {
		return err
	}
	t.rows[t.id(e)] = t.clone(*e)
	return nil
}

func (t *memTable[E]) conflict(e *E) error {
	for id, other := range t.rows {
		if id == t.id(e) {
			continue
		}
		for i, u := range t.unique(e) {
			if t.unique(&other)[i] == u {
				return &ports.Error{Code: ports.Conflict, Key: u.key}
			}
		}
	}
	return nil
}

// Get returns a copy of the row.
func (t *memTable[E]) Get(ctx context.Context, id string) (*E, error) {
	return t.first(ctx, func(e *E) bool { return t.id(e) == id })
}

// Update changes the row with change.
func (t *memTable[E]) Update(ctx context.Context, id string, change func(*E) error) (*E, error) {
	end, err := t.m.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	row, ok := t.rows[id]
	if !ok {
		return nil, ports.ErrNotFound
	}
	row = t.clone(row)
	if err := change(&row); err != nil {
		return nil, err
	}
	if err := t.conflict(&row); err != nil {
		return nil, err
	}
	t.rows[id] = t.clone(row)
	out := t.clone(row)
	return &out, nil
}

// Delete removes rows by id.
func (t *memTable[E]) Delete(ctx context.Context, ids ...string) (int, error) {
	return t.remove(ctx, func(e *E) bool { return slices.Contains(ids, t.id(e)) })
}

// first returns a copy of the row that fits, NotFound when there is none.
func (t *memTable[E]) first(ctx context.Context, fits func(*E) bool) (*E, error) {
	rows, err := t.all(ctx, fits)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, ports.ErrNotFound
	}
	return &rows[0], nil
}

// all returns copies of the rows that fit, in no order.
func (t *memTable[E]) all(ctx context.Context, fits func(*E) bool) ([]E, error) {
	end, err := t.m.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	rows := []E{}
	for _, row := range t.rows {
		if fits(&row) {
			rows = append(rows, t.clone(row))
		}
	}
	return rows, nil
}

// change applies fn to a copy of every row that fits and saves it.
func (t *memTable[E]) change(ctx context.Context, fits func(*E) bool, fn func(*E)) (int, error) {
	end, err := t.m.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	n := 0
	for id, row := range t.rows {
		if fits(&row) {
			row = t.clone(row)
			fn(&row)
			t.rows[id] = row
			n++
		}
	}
	return n, nil
}

// remove deletes the rows that fit.
func (t *memTable[E]) remove(ctx context.Context, fits func(*E) bool) (int, error) {
	end, err := t.m.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	n := 0
	for id, row := range t.rows {
		if fits(&row) {
			delete(t.rows, id)
			n++
		}
	}
	return n, nil
}

// list returns a page of the rows that fit, ordered by less.
func (t *memTable[E]) list(ctx context.Context, p ports.Paging, fits func(*E) bool, order func(a, b E) int) (ports.Page[E], error) {
	rows, err := t.all(ctx, fits)
	if err != nil {
		return ports.Page[E]{}, err
	}
	slices.SortFunc(rows, order)
	limit := p.Limit
	if limit <= 0 || limit > 1000 {
		limit = 1000
	}
	from := min(max(p.Offset, 0), len(rows))
	to := min(from+limit, len(rows))
	return ports.Page[E]{Items: rows[from:to], Total: len(rows)}, nil
}

// newest orders by creation, newest first, then by id.
func newest(at, bt time.Time, aid, bid string) int {
	return cmp.Or(bt.Compare(at), cmp.Compare(bid, aid))
}

func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func same[E any](e E) E { return e }

// milli cuts a time to what databases keep: milliseconds in UTC.
func milli(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

func milliPtr(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	m := milli(*t)
	return &m
}

var _ ports.UnitOfWork = (*Memory)(nil)
