// Package visitlog keeps who opened shares, and who tried to, for their owners and
// the administrator.
package visitlog

import (
	"context"
	"slices"
	"sync"
	"time"

	"pasteport/domain/shares/openings"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Bounds of what is kept of one share. Some more may stand there until the next
// trim.
const (
	OpenedKept  = 1000 // lines of those who were let in; the newest
	RefusedKept = 100  // lines of those who were not
	trimEvery   = 64   // lines of a share between two trims
)

// Bounds of what waits for the next flush. What is over them is counted in a line
// that names nobody, so that the sums stay right.
const (
	waitingMost  = 4096 // different lines
	waitingShare = 200  // of one share
	atOnce       = 500  // lines in one transaction
	agentRead    = 512  // bytes of a User-Agent that are looked at
)

// Line is a line of the log: an opening, or several alike within a second.
type Line struct {
	N       int64
	Kind    string // policy.KindPaste, KindFile or KindCollection
	ShareID string
	At      time.Time // of the first
	Who     string    // like Paste.CreatedBy; empty for a visitor
	Address string    // as far as the site keeps it
	Agent   string    // program and system; empty when neither is known
	How     openings.How
	Item    string // name of the one file of a collection
	Verdict openings.Verdict
	Times   int64 // how many it stands for
	Views   int64 // that they took
}

// Repository stores the log. The lines of a share go with its record.
type Repository interface {
	// Add adds lines; those of shares that are gone are left out.
	Add(ctx context.Context, lines []Line) error
	// Trim removes the oldest lines of a share past a number: those of who was
	// refused, or the others.
	Trim(ctx context.Context, shareID string, refused bool, keep int) error
	// List returns lines, newest first. Count counts them, up to MaxTotal.
	List(ctx context.Context, f Filter) ([]Shown, error)
	Count(ctx context.Context, f Filter) (int, error)
	// Owner tells whose a share is, also when nobody can open it any more; NotFound
	// when there is no record of it.
	Owner(ctx context.Context, kind, id string) (string, error)
	// Forget removes lines from before a time, at most limit, and returns how many.
	Forget(ctx context.Context, before time.Time, limit int) (int, error)
}

// Settings are the operator's choices that the log obeys.
type Settings interface {
	ShareLog() ports.ShareLog
}

// Log keeps who opened shares: for limited ones in the transaction that takes the
// view, for others with the next Flush, as their views are counted. It is safe for
// concurrent use.
type Log struct {
	repo     Repository
	settings Settings
	decider  policy.Decider
	clock    ports.Clock

	mu      sync.Mutex
	waiting map[key]*Line
	shares  map[string]int // waiting lines by share
	added   map[side]int   // lines since the last trim
}

// New returns the log of shares.
func New(repo Repository, settings Settings, decider policy.Decider, clock ports.Clock) *Log {
	return &Log{repo: repo, settings: settings, decider: decider, clock: clock, waiting: map[key]*Line{}, shares: map[string]int{}, added: map[side]int{}}
}

var _ openings.Log = (*Log)(nil)

// key is what lines have in common that become one.
type key struct {
	share, who string
	from       from
	agent      string
	how        openings.How
	item       string
	verdict    openings.Verdict
	view       bool
}

// side is a half of the log of a share that is trimmed by itself, so that nobody
// who is refused pushes those out who were let in.
type side struct {
	share   string
	refused bool
}

func (l *Line) side() side { return side{l.ShareID, l.Verdict != openings.WasOpened} }

func (s side) keep() int {
	if s.refused {
		return RefusedKept
	}
	return OpenedKept
}

// On reports whether anything is kept.
func (l *Log) On() bool { return l.settings.ShareLog().Age > 0 }

// Note notes an attempt with the next Flush. It never waits.
func (l *Log) Note(ctx context.Context, a openings.Attempt) {
	k := l.keyOf(ctx, a)
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.waiting[k]
	if line == nil && (len(l.waiting) >= waitingMost || l.shares[a.Share.ID] >= waitingShare) {
		k = key{share: k.share, how: k.how, verdict: k.verdict, view: k.view}
		line = l.waiting[k]
	}
	if line == nil {
		if len(l.waiting) >= 2*waitingMost {
			return
		}
		line = k.line(a, l.clock.Now())
		l.waiting[k] = line
		l.shares[a.Share.ID]++
	}
	line.Times++
	if a.View {
		line.Views++
	}
}

// Keep notes an attempt in the unit of work of ctx.
func (l *Log) Keep(ctx context.Context, a openings.Attempt) error {
	line := l.keyOf(ctx, a).line(a, l.clock.Now())
	line.Times = 1
	if a.View {
		line.Views = 1
	}
	return l.add(ctx, []Line{*line})
}

func (l *Log) keyOf(ctx context.Context, a openings.Attempt) key {
	call := policy.CallFrom(ctx)
	return key{
		share: a.Share.ID, who: a.Who.Owner(), from: cut(call.ClientIP, l.settings.ShareLog().Address), agent: call.UserAgent[:min(len(call.UserAgent), agentRead)],
		how: a.How, item: a.Item, verdict: a.Verdict, view: a.View,
	}
}

func (k key) line(a openings.Attempt, now time.Time) *Line {
	return &Line{Kind: a.Share.Kind, ShareID: k.share, At: now, Who: k.who, Address: k.from.String(), Agent: programOf(k.agent), How: k.how, Item: k.item, Verdict: k.verdict}
}

// Flush stores what waits. After an error it waits for the next try, as far as
// there is room.
func (l *Log) Flush(ctx context.Context) error {
	l.mu.Lock()
	waiting := l.waiting
	l.waiting, l.shares = map[key]*Line{}, map[string]int{}
	l.mu.Unlock()
	keys, lines := make([]key, 0, len(waiting)), make([]Line, 0, len(waiting))
	for k, line := range waiting {
		keys, lines = append(keys, k), append(lines, *line)
	}
	for done := 0; done < len(lines); done += atOnce {
		if err := l.add(ctx, lines[done:min(done+atOnce, len(lines))]); err != nil {
			l.giveBack(keys[done:], lines[done:])
			return err
		}
	}
	return nil
}

func (l *Log) giveBack(keys []key, lines []Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, k := range keys {
		switch line := l.waiting[k]; {
		case line != nil:
			line.At, line.Times, line.Views = lines[i].At, line.Times+lines[i].Times, line.Views+lines[i].Views
		case len(l.waiting) < waitingMost:
			l.waiting[k] = &lines[i]
			l.shares[k.share]++
		}
	}
}

// add stores lines and trims the shares that have got many.
func (l *Log) add(ctx context.Context, lines []Line) error {
	slices.SortStableFunc(lines, func(a, b Line) int { return a.At.Compare(b.At) })
	if err := l.repo.Add(ctx, lines); err != nil {
		return err
	}
	for _, s := range l.full(lines) {
		if err := l.repo.Trim(ctx, s.share, s.refused, s.keep()); err != nil {
			return err
		}
	}
	return nil
}

// full counts lines and tells whose are to be trimmed. It forgets all counts when
// it has many: then they are trimmed later.
func (l *Log) full(lines []Line) (due []side) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.added) > 10*waitingMost {
		clear(l.added)
	}
	for i := range lines {
		s := lines[i].side()
		l.added[s]++
		if l.added[s] >= trimEvery {
			due = append(due, s)
			delete(l.added, s)
		}
	}
	return due
}

// Sweep removes the lines whose time is over, and returns how many: all of them
// when the site keeps none.
func (l *Log) Sweep(ctx context.Context, now time.Time) (removed int, _ error) {
	const some = 1000
	before := now.Add(time.Hour)
	if age := l.settings.ShareLog().Age; age > 0 {
		before = now.Add(-age)
	}
	for {
		n, err := l.repo.Forget(ctx, before, some)
		if removed += n; err != nil || n < some {
			return removed, err
		}
	}
}
