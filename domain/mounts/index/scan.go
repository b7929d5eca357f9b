package index

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/yield"
)

// TaskKind is the kind of the task that scans a storage for the index.
const TaskKind = "index"

// Bounds of scans.
const (
	retryScan   = time.Hour // after one that failed
	scansAtOnce = 2         // that are begun without being asked for
	mergeGroup  = 1000      // spans handed over at once
	beatEvery   = 5 * time.Second
)

// scanPayload is what an index task is told.
type scanPayload struct {
	Storage string `json:"storage"`
}

// scanState is how far a scan has come.
type scanState struct {
	Started int64  `json:"started"` // milliseconds since 1970
	Token   string `json:"token,omitempty"`
	Last    string `json:"last,omitempty"` // the last key that was merged
}

// scanner turns a flat listing in ascending order into spans. It knows for each
// folder on the way to the last key up to which name it is done.
type scanner struct {
	root string // prefix of the scan
	last string
	open []openFolder
}

// openFolder is a folder of which more may come.
type openFolder struct {
	folder string
	done   string // the last name of it that was handed over
	found  []objstore.Object
}

// newScanner scans a prefix, from the beginning or behind the last key of a
// scan before.
func newScanner(root, last string) *scanner {
	s := &scanner{root: root, last: last, open: []openFolder{{folder: root}}}
	rest := strings.TrimPrefix(last, root)
	for folder := root; rest != ""; {
		name, more, below := strings.Cut(rest, "/")
		if below {
			name += "/"
		}
		s.open[len(s.open)-1].done = name
		if !below {
			break
		}
		folder += name
		s.open = append(s.open, openFolder{folder: folder})
		rest = more
	}
	return s
}

// page takes over objects and returns what is known for sure by them. gone are
// keys not to believe.
func (s *scanner) page(objects []objstore.Object, at time.Time, gone func(string) bool) []Span {
	var spans []Span
	for _, o := range objects {
		if !strings.HasPrefix(o.Key, s.root) || o.Key == s.root || o.Key <= s.last || !indexable(o.Key) || gone(o.Key) {
			continue
		}
		spans = s.to(o.Key, at, spans)
		top := &s.open[len(s.open)-1]
		if strings.HasSuffix(o.Key, "/") { // to has opened it
			parent := &s.open[len(s.open)-2]
			parent.found[len(parent.found)-1].ModTime = o.ModTime
			continue
		}
		top.found = append(top.found, o)
	}
	if len(objects) > 0 {
		s.last = max(s.last, objects[len(objects)-1].Key)
	}
	for i := range s.open {
		if f := &s.open[i]; len(f.found) > 0 {
			to := strings.TrimPrefix(f.found[len(f.found)-1].Key, f.folder)
			spans = append(spans, f.span(to, at))
			f.done, f.found = to, nil
		}
	}
	return spans
}

// to closes the folders that the key has left and opens those that lead to it.
func (s *scanner) to(key string, at time.Time, spans []Span) []Span {
	for !strings.HasPrefix(key, s.open[len(s.open)-1].folder) {
		spans = s.close(at, spans)
	}
	for {
		top := &s.open[len(s.open)-1]
		name, _, below := strings.Cut(key[len(top.folder):], "/")
		if !below {
			return spans
		}
		folder := top.folder + name + "/"
		top.found = append(top.found, objstore.Object{Key: folder})
		s.open = append(s.open, openFolder{folder: folder})
	}
}

// close ends the innermost folder.
func (s *scanner) close(at time.Time, spans []Span) []Span {
	top := &s.open[len(s.open)-1]
	spans = append(spans, top.span("", at))
	s.open = s.open[:len(s.open)-1]
	return spans
}

// end closes all folders.
func (s *scanner) end(at time.Time) (spans []Span) {
	for len(s.open) > 0 {
		spans = s.close(at, spans)
	}
	return spans
}

func (f *openFolder) span(to string, at time.Time) Span {
	return Span{Folder: f.folder, From: f.done, To: to, Objects: f.found, Markers: true, At: at}
}

// scanPages lists a prefix from a token on and merges page after page; passed
// hears how far it is.
func (x *Index) scanPages(ctx context.Context, storageID string, bucket objstore.Bucket, s *scanner, token string, passed func(token, last string) error) error {
	var tokens objstore.Tokens
	for {
		began := time.Now()
		mark, at := x.mark(), x.tree.Clock.Now()
		page, err := bucket.List(ctx, objstore.ListQuery{Prefix: s.root, Token: token})
		if err != nil {
			return err
		}
		spans := s.page(page.Objects, at, x.removedSince(storageID, mark))
		if token = page.Next; token == "" {
			spans = append(spans, s.end(at)...)
		}
		for some := range slices.Chunk(spans, mergeGroup) {
			if err := x.merge(ctx, storageID, some...); err != nil {
				return err
			}
		}
		if err := passed(token, s.last); err != nil || token == "" {
			return err
		}
		if err := tokens.Follow(token); err != nil {
			return err
		}
		yield.After(ctx, time.Since(began))
	}
}

// scanFolder makes the index agree with one folder of a storage.
func (x *Index) scanFolder(ctx context.Context, storageID, prefix string) error {
	bucket, err := x.tree.Storages.Bucket(ctx, storageID)
	if err != nil {
		return err
	}
	found := false
	err = x.scanPages(ctx, storageID, bucket, newScanner(prefix, ""), "", func(_, last string) error {
		found = found || last != ""
		return ctx.Err()
	})
	if err == nil && !found && prefix != "" {
		err = x.drop(ctx, storageID, prefix)
	}
	x.mu.Lock()
	x.changes[storageID]++
	x.mu.Unlock()
	return err
}

// scanWork scans a whole storage for a task.
func (x *Index) scanWork(ctx context.Context, run jobs.Run) error {
	var told scanPayload
	if err := run.Payload(&told); err != nil {
		return err
	}
	if x.repo == nil {
		return ports.ErrNotFound
	}
	err := x.scanStorage(ctx, run, told.Storage)
	if errors.Is(context.Cause(ctx), jobs.ErrStopping) || errors.Is(context.Cause(ctx), jobs.ErrLost) {
		return err // it goes on elsewhere
	}
	if err != nil {
		now := x.tree.Clock.Now()
		_, saved := x.save(context.WithoutCancel(ctx), told.Storage, func(s *State) error {
			if s.Scan == run.TaskID() {
				s.Scan, s.BeatAt, s.FailedAt = "", nil, &now
			}
			return nil
		})
		err = errors.Join(err, saved)
	}
	return err
}

func (x *Index) scanStorage(ctx context.Context, run jobs.Run, storageID string) error {
	config, err := x.tree.Storages.Storage(ctx, storageID)
	if err != nil {
		return err
	}
	bucket, err := x.tree.Storages.Bucket(ctx, storageID)
	if err != nil {
		return err
	}
	var state scanState
	resumed, err := run.State(&state)
	if err != nil {
		return err
	}
	if !resumed {
		state.Started = x.tree.Clock.Now().UnixMilli()
	}
	if err := x.beat(ctx, storageID, run.TaskID()); err != nil {
		return err
	}
	beaten := time.Now()
	passed := func(token, last string) error {
		state.Token, state.Last = token, last
		if err := run.Checkpoint(state); err != nil {
			return err
		}
		if time.Since(beaten) < beatEvery {
			return ctx.Err()
		}
		beaten = time.Now()
		return x.beat(ctx, storageID, run.TaskID())
	}
	err = x.scanPages(ctx, storageID, bucket, newScanner(config.Prefix, state.Last), state.Token, passed)
	if resumed && state.Token != "" && ports.Is(err, ports.Invalid) { // the storage has forgotten where that was
		state.Token, state.Last = "", ""
		err = x.scanPages(ctx, storageID, bucket, newScanner(config.Prefix, ""), "", passed)
	}
	if err != nil {
		return err
	}
	began := time.UnixMilli(state.Started).UTC()
	_, err = x.save(ctx, storageID, func(s *State) error {
		s.ScannedAt, s.Scan, s.BeatAt, s.FailedAt = &began, "", nil, nil
		return nil
	})
	if err == nil && x.tree.Ledger != nil {
		x.tree.ReportUncounted("correct what a storage holds", x.tree.Ledger.Recount(ctx, storageID))
	}
	return err
}

// beat says that a scan is alive.
func (x *Index) beat(ctx context.Context, storageID, task string) error {
	now := x.tree.Clock.Now()
	_, err := x.repo.SaveState(ctx, storageID, func(s *State) error {
		s.Scan, s.BeatAt = task, &now
		return nil
	})
	return err
}

// Works are the tasks of the index, by kind.
func (x *Index) Works() map[string]mounts.Work {
	return map[string]mounts.Work{TaskKind: {Run: x.scanWork, Allowed: x.mayScan}}
}

// mayScan asks the policy for whoever wants a scan repeated.
func (x *Index) mayScan(ctx context.Context, who policy.Principal, _ json.RawMessage) error {
	_, err := policy.Check(ctx, x.tree.Decider, who, policy.MountsWrite, policy.Resource{Kind: policy.KindMount})
	return err
}

// startScan begins a task that scans a storage, unless one is under way: then
// it returns that.
func (x *Index) startScan(ctx context.Context, who policy.Principal, storageID, title string) (id string, err error) {
	t := x.tree
	now := t.Clock.Now()
	err = t.Work.Do(ctx, func(ctx context.Context) error {
		state, err := x.repo.SaveState(ctx, storageID, func(*State) error { return nil })
		if err != nil {
			return err
		}
		if state.scanning(now) {
			id = state.Scan
			return nil
		}
		if id, err = t.Tasks.Start(ctx, jobs.Start{Kind: TaskKind, Title: title, Owner: who, Payload: scanPayload{storageID}}); err != nil {
			return err
		}
		_, err = x.repo.SaveState(ctx, storageID, func(s *State) error {
			s.Scan, s.BeatAt = id, &now
			return nil
		})
		return err
	})
	x.forgetStates(storageID)
	return id, err
}

// scanning reports whether a scan gave a sign of life lately.
func (s State) scanning(now time.Time) bool {
	return s.Scan != "" && s.BeatAt != nil && now.Sub(*s.BeatAt) < scanSilence
}

// due reports whether a storage should be scanned without being asked for.
func (s State) due(now time.Time, every time.Duration, behind bool) bool {
	switch {
	case s.scanning(now), s.FailedAt != nil && now.Sub(*s.FailedAt) < retryScan:
		return false
	case s.ScannedAt == nil || behind:
		return true
	}
	return every > 0 && now.Sub(*s.ScannedAt) >= every
}

// Keep begins the scans that are due: of storages that are new to the
// index, of those where writes were missed, and of all others after the given
// time; 0 means never again. It also forgets storages without a mount. Call it
// every few seconds, on every node.
func (x *Index) Keep(ctx context.Context, every time.Duration) error {
	if x.repo == nil {
		return nil
	}
	s, err := x.tree.Snapshot(ctx)
	if err != nil {
		return err
	}
	now := x.tree.Clock.Now()
	states := x.all(ctx)
	running := 0
	for _, state := range states {
		if state.scanning(now) {
			running++
		}
	}
	for i := range s.Mounts {
		m := &s.Mounts[i]
		x.mu.Lock()
		behind := x.behind[m.Storage.ID]
		x.mu.Unlock()
		if running >= scansAtOnce || !states[m.Storage.ID].due(now, every, behind) {
			continue
		}
		if _, err := x.startScan(ctx, policy.Principal{Kind: policy.System, BasicPath: "/"}, m.Storage.ID, m.Path); err != nil {
			return err
		}
		x.mu.Lock()
		delete(x.behind, m.Storage.ID)
		x.mu.Unlock()
		states = x.all(ctx) // other mounts may be on the same storage
		running++
	}
	return x.forgetUnused(ctx, s, now)
}

// forgetUnused drops what the index knows of storages without a mount.
func (x *Index) forgetUnused(ctx context.Context, s *mounts.Snapshot, now time.Time) error {
	for id, state := range x.all(ctx) {
		if s.Shows(id) || state.scanning(now) {
			continue
		}
		page, err := x.tree.Mounts.List(ctx, mounts.MountFilter{ConfigID: id, Paging: ports.Paging{Limit: 1}})
		if err != nil {
			return err
		}
		if page.Total > 0 { // an inactive one, which may come back
			continue
		}
		if err := x.drop(ctx, id, ""); err != nil {
			return err
		}
		if err := x.repo.Forget(ctx, id); err != nil {
			return err
		}
		x.forgetStates(id)
	}
	return nil
}

// Status tells how far the index knows the storage of a mount.
type Status struct {
	State
	Total mounts.Total
}

// Read tells how far the storage of a mount is indexed. It asks
// admin.mounts.read. Returns NotFound for an unknown mount.
func (x *Index) Read(ctx context.Context, who policy.Principal, mountID string) (*Status, error) {
	mount, err := x.admin.Get(ctx, who, mountID)
	if err != nil {
		return nil, err
	}
	out := &Status{State: State{StorageID: mount.StorageConfigID}}
	if x.repo == nil {
		return out, nil
	}
	if s, ok := x.state(ctx, mount.StorageConfigID); ok {
		out.State = s
	}
	if !out.scanning(x.tree.Clock.Now()) {
		out.Scan = ""
	}
	out.Total, err = x.repo.Total(ctx, mount.StorageConfigID, "")
	return out, err
}

// Rebuild begins a task that scans the storage of a mount, and returns its id;
// the id of the one under way when there is one. It asks admin.mounts.write.
// Returns NotFound for an unknown mount.
func (x *Index) Rebuild(ctx context.Context, who policy.Principal, mountID string) (task string, err error) {
	mount, err := x.admin.ForWrite(ctx, who, mountID)
	if err != nil {
		return "", err
	}
	if x.repo == nil {
		return "", &ports.Error{Code: ports.NotImplemented, Key: "not_supported"}
	}
	return x.startScan(ctx, who, mount.StorageConfigID, mount.Path)
}

// indexable reports whether a database can hold the key.
func indexable(key string) bool {
	return utf8.ValidString(key) && !strings.ContainsRune(key, 0) && !strings.HasPrefix(key, "/") && !strings.Contains(key, "//")
}
