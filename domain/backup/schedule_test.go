package backup

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// allow allows everything.
type allow struct{}

func (allow) Decide(context.Context, policy.Principal, policy.Action, policy.Resource) (policy.Decision, error) {
	return policy.Decision{Allow: true}, nil
}

var boss = policy.Principal{Kind: policy.Admin, ID: "boss"}

// site is a node whose backups hold one text.
type site struct {
	t      *testing.T
	plan   ports.BackupPlan
	shelf  *portstest.Bucket
	disk   *portstest.Bucket
	notes  map[string][]byte
	fails  error // of Make
	spoil  bool  // what was stored
	noted  []string
	staged []byte
}

func (s *site) Get(_ context.Context, name string) ([]byte, error) {
	if v, ok := s.notes[name]; ok {
		return v, nil
	}
	return nil, &ports.Error{Code: ports.NotFound, Key: "not_found"}
}
func (s *site) Put(_ context.Context, name string, value []byte) error {
	s.notes[name] = value
	return nil
}
func (s *site) Plan() ports.BackupPlan { return s.plan }
func (s *site) Shelf(_ context.Context, storage string) (Shelf, error) {
	if storage == "open" {
		return Shelf{}, &ports.Error{Code: ports.Conflict, Key: "in_use"}
	}
	return Shelf{Bucket: s.shelf, Prefix: "b/"}, nil
}
func (s *site) Disks(context.Context) (map[string]objstore.Bucket, error) {
	return map[string]objstore.Bucket{"disk": s.disk}, nil
}
func (s *site) Prove(_ context.Context, r io.Reader) (Manifest, error) {
	if s.spoil {
		r = io.LimitReader(r, 40)
	}
	return Read(r, s.t.TempDir())
}
func (s *site) Spool() (*os.File, func() error, error) {
	f, err := os.CreateTemp(s.t.TempDir(), "")
	return f, f.Close, err
}
func (s *site) Note(_ context.Context, name string, failed error) {
	if failed != nil {
		name += " failed"
	}
	s.noted = append(s.noted, name)
}
func (s *site) Make(ctx context.Context, w io.Writer, beside func(context.Context) (*File, error)) error {
	if s.fails != nil {
		return s.fails
	}
	file, err := beside(ctx)
	if err != nil {
		return err
	}
	path := filepath.Join(s.t.TempDir(), "db")
	if err := os.WriteFile(path, []byte("rows"), 0o600); err != nil {
		return err
	}
	return Write(w, Manifest{Database: "sqlite", Beside: file}, nil, []Source{{Database, path}})
}
func (s *site) Stage(_ context.Context, r io.Reader, _ bool) (m Manifest, err error) {
	s.staged, err = io.ReadAll(r)
	return m, err
}
func (s *site) Staged() (*Manifest, error) { return nil, nil }
func (s *site) Refused() (*Refusal, error) { return nil, nil }
func (s *site) Unstage() error             { return nil }
func (s *site) Kind() string               { return "sqlite" }

func (s *site) names() (names []string) {
	page, err := s.shelf.List(s.t.Context(), objstore.ListQuery{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, o := range page.Objects {
		names = append(names, strings.TrimPrefix(o.Key, "b/"))
	}
	return names
}

func newSite(t *testing.T) (*site, *Schedule, *portstest.Clock) {
	clock := portstest.NewClock()
	s := &site{t: t, plan: ports.BackupPlan{Every: 24 * time.Hour, Keep: 2}, shelf: portstest.NewBucket(), disk: portstest.NewBucket(), notes: map[string][]byte{}}
	return s, NewSchedule(ScheduleDeps{Decider: allow{}, Keeper: s, Site: s, Notes: s, Clock: clock, Report: func(string, error) {}}), clock
}

func TestBackupsAreMadeWhenTheyAreDueAndOldOnesRemoved(t *testing.T) {
	s, schedule, clock := newSite(t)
	foreign := NameAt(clock.Now().Add(-100 * 24 * time.Hour))
	if _, err := s.shelf.Write(t.Context(), "b/"+foreign, strings.NewReader("x"), objstore.WriteOptions{Size: 1}); err != nil {
		t.Fatal(err)
	}
	var made []string
	for range 4 {
		made = append(made, NameAt(clock.Now()))
		schedule.Work(t.Context())
		schedule.Work(t.Context()) // is not due
		clock.Add(23 * time.Hour)
		schedule.Work(t.Context()) // nor now
		clock.Add(time.Hour)
	}
	if want := []string{foreign, made[2], made[3]}; !slices.Equal(s.names(), want) {
		t.Errorf("kept %v, want %v: what the schedule did not make stays", s.names(), want)
	}
	if !slices.Equal(s.noted, made) {
		t.Errorf("noted %v, want %v", s.noted, made)
	}
	s.plan.Keep, s.plan.MaxAge = 10, time.Hour // by age: only the newest stays
	schedule.Work(t.Context())
	if got := s.names(); len(got) != 2 {
		t.Errorf("kept %v, want the foreign one and the newest", got)
	}
}

func TestABackupThatCannotBeReadBackIsAFailureAndIsNotKept(t *testing.T) {
	for name, spoil := range map[string]func(*site){
		"it cannot be made":       func(s *site) { s.fails = errors.New("the disk is full") },
		"it is not what it was":   func(s *site) { s.spoil = true },
		"others can look into it": func(s *site) { s.plan.Storage = "open" },
	} {
		s, schedule, clock := newSite(t)
		schedule.Work(t.Context())
		good := s.names()
		spoil(s)
		clock.Add(24 * time.Hour)
		schedule.Work(t.Context())
		record, err := schedule.Record(t.Context())
		if err != nil || record.Last.Problem == "" || record.Good.Name != good[0] || !slices.Equal(s.names(), good) {
			t.Errorf("%s: %+v %v, kept %v", name, record, err, s.names())
		}
		if next := record.Next(s.plan, clock.Now()); !next.Equal(clock.Now().Add(time.Hour)) {
			t.Errorf("%s: tried again at %v", name, next)
		}
		clock.Add(48 * time.Hour)
		if !record.Overdue(s.plan, clock.Now()) {
			t.Errorf("%s: is not overdue after three days", name)
		}
	}
}

func TestARoundThatDiedWithItsServerIsToldAndRepeated(t *testing.T) {
	s, schedule, clock := newSite(t)
	if err := schedule.save(t.Context(), Record{Last: &Round{Name: "x", Began: clock.Now().Add(-2 * time.Hour)}}); err != nil {
		t.Fatal(err)
	}
	schedule.Work(t.Context())
	if record, _ := schedule.Record(t.Context()); !record.Last.Good() || !slices.Equal(s.noted, []string{"x failed", NameAt(clock.Now())}) {
		t.Errorf("%+v, noted %v", record, s.noted)
	}
}

func TestFilesOfLocalDisksGoAlongAndComeBack(t *testing.T) {
	s, schedule, clock := newSite(t)
	s.plan = ports.BackupPlan{Keep: 1, Files: true} // only when asked
	want := map[string]string{"a.txt": "words", "folder/深い.bin": strings.Repeat("x", 300_000), "empty": ""}
	for key, text := range want {
		if _, err := s.disk.Write(t.Context(), key, strings.NewReader(text), objstore.WriteOptions{Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
	}
	schedule.Work(t.Context())
	if len(s.names()) != 0 {
		t.Fatal("a backup that nobody wants")
	}
	if err := schedule.Ask(t.Context(), boss); err != nil {
		t.Fatal(err)
	}
	schedule.Work(t.Context())
	list, err := schedule.List(t.Context(), boss)
	if err != nil || len(list) != 1 || list[0].FileBytes == 0 || list[0].Name != NameAt(clock.Now()) {
		t.Fatal(list, err)
	}
	to := portstest.NewBucket()
	if err := schedule.Read(t.Context(), boss, list[0].Name, true, func(b *objstore.Body) error {
		n, err := UnpackDisks(t.Context(), b, map[string]objstore.Bucket{"disk": to})
		if n != len(want) {
			t.Errorf("%d files came back", n)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for key, text := range want {
		body, err := to.Read(t.Context(), key, objstore.Range{})
		if err != nil {
			t.Fatal(key, err)
		}
		if got, _ := io.ReadAll(body); string(got) != text {
			t.Errorf("%s: %d bytes", key, len(got))
		}
	}
	if _, err := schedule.Restore(t.Context(), boss, list[0].Name); err != nil || len(s.staged) == 0 {
		t.Error("restore:", err)
	}
	for _, name := range []string{"../x", "", "other.backup"} {
		if err := schedule.Delete(t.Context(), boss, name); ports.CodeOf(err) != ports.NotFound {
			t.Errorf("delete %q: %v", name, err)
		}
	}
	if err := schedule.Delete(t.Context(), boss, list[0].Name); err != nil || len(s.names()) != 0 {
		t.Error(err, s.names())
	}
}

func TestFilesThatAreNotAsTheManifestSaysAreRefused(t *testing.T) {
	for _, text := range []string{"", "other"} {
		if err := ProveFiles(bytes.NewReader([]byte(text)), File{Name: "x", Size: 5, SHA256: "00"}); ports.CodeOf(err) != ports.Invalid {
			t.Error(err)
		}
	}
}

// asking is a store of notes that lets somebody ask for a backup, once, when a note was
// read, or right before one is written.
type asking struct {
	Notes
	once   sync.Once
	before func(name string, value []byte) bool // of the moment before a write
	ask    func()
}

func (a *asking) Put(ctx context.Context, name string, value []byte) error {
	if a.before(name, value) {
		a.once.Do(a.ask)
	}
	return a.Notes.Put(ctx, name, value)
}

func TestWhoAsksForABackupWhileOneEndsGetsAnotherAndUndoesNothing(t *testing.T) {
	s, schedule, clock := newSite(t)
	s.plan = ports.BackupPlan{Keep: 10}
	ended := func(name string, value []byte) bool {
		return name == recordName && bytes.Contains(value, []byte(`"good"`))
	}
	notes := &asking{Notes: s, before: ended, ask: func() {
		if err := schedule.Ask(t.Context(), boss); err != nil {
			t.Error(err)
		}
	}}
	ending := schedule.d
	ending.Notes = notes
	if err := schedule.Ask(t.Context(), boss); err != nil {
		t.Fatal(err)
	}
	NewSchedule(ending).Work(t.Context())
	record, err := schedule.Record(t.Context())
	if err != nil || !record.Asked || !record.Last.Good() || len(record.Made) != 1 {
		t.Fatalf("asked while the round ended: %+v, %v", record, err)
	}

	// The other way round: a round ends while somebody asks.
	clock.Add(time.Minute)
	late := schedule.d
	late.Notes = &asking{Notes: s, before: func(string, []byte) bool { return true }, ask: func() { schedule.Work(t.Context()) }}
	if err := NewSchedule(late).Ask(t.Context(), boss); err != nil {
		t.Fatal(err)
	}
	record, err = schedule.Record(t.Context())
	if err != nil || !record.Asked || len(record.Made) != 2 || !record.Last.Good() {
		t.Fatalf("a round that ended while somebody asked: %+v, %v", record, err)
	}
	clock.Add(time.Minute)
	schedule.Work(t.Context())
	if record, err = schedule.Record(t.Context()); err != nil || record.Asked || len(record.Made) != 3 {
		t.Errorf("what was asked for: %+v, %v", record, err)
	}
}
