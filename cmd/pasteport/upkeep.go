package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"pasteport/adapters/datadir"
	"pasteport/adapters/riverqueue"
	"pasteport/domain/keys"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports"
)

// upkeep is the work that nobody asks for and that comes again and again: what one
// node does for all of them, and what each does for itself.
type upkeep struct {
	*app
	rescan   time.Duration // of the index of mounted objects; 0 for once only
	check    time.Duration // of storages; 0 for never
	heldBack time.Time     // when the log last told that sweeps are held back
}

// keepIndexEvery is how often somebody looks for storages that are to be scanned.
const keepIndexEvery = 15 * time.Second

// backupLookEvery is how often somebody looks whether a backup is due.
const backupLookEvery = 15 * time.Second

// checksLookEvery is how often somebody looks whether the check of a storage is due
// or has ended.
const checksLookEvery = 15 * time.Second

// keepTextsEvery is how often the texts of new and changed shares are indexed. A
// search finds them before that, too.
const keepTextsEvery = 15 * time.Second

// eventsEvery is how often somebody looks for deliveries whose time has come; new
// events are told at once.
const eventsEvery = 15 * time.Second

// eventRound is the name of the round that tells events.
const eventRound = "events"

// endingsEvery is how often somebody looks which shares end soon.
const endingsEvery = 5 * time.Minute

// run does what each node does for itself until ctx ends.
func (u *upkeep) run(ctx context.Context, loops *sync.WaitGroup) {
	loops.Go(func() { u.recoverMovesAtStart(ctx); u.keepIndex(ctx) })
	for _, s := range u.streams {
		loops.Go(func() { s.Run(ctx) })
	}
	for pause, works := range map[time.Duration][]func(ctx context.Context, last bool){
		time.Second: {u.flushUsage, u.flushOpenings}, 10 * time.Second: {u.keepReserve}, recoverEvery: {u.recoverTasks}, time.Minute: {u.flushMounts}, time.Hour: {u.tidy, u.tellHeads},
	} {
		for _, do := range works {
			loops.Go(func() { every(ctx, pause, do) })
		}
	}
}

// periodic is what one node does for all of them. What each node has for itself is
// in run.
func (u *upkeep) periodic() []riverqueue.Periodic {
	return []riverqueue.Periodic{
		{Name: "sweep", Every: time.Minute, Do: u.sweep},
		{Name: "recount", Every: 24 * time.Hour, AtStart: true, Do: u.recount},
		{Name: "moves", Every: time.Minute, Do: func(ctx context.Context) { u.recoverMoves(ctx, time.Time{}) }},
		{Name: "index", Every: keepIndexEvery, Do: u.keepIndex},
		{Name: "backup", Every: backupLookEvery, AtStart: true, Do: u.backUp},
		{Name: eventRound, Every: eventsEvery, AtStart: true, Do: u.tellEvents},
		{Name: "endings", Every: endingsEvery, AtStart: true, Do: u.tellEndings},
		{Name: "checks", Every: checksLookEvery, AtStart: true, Do: u.checkStorages},
		{Name: "texts", Every: keepTextsEvery, AtStart: true, Do: u.keepTexts},
	}
}

// sweep removes what nobody can reach any more, for at most two minutes: shares,
// sessions, counted guesses, stored answers and old tasks. One that fails does not keep
// the others back; a clock that cannot be trusted keeps all back.
func (u *upkeep) sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	swept, err := u.janitor.Sweep(ctx)
	if errors.Is(err, cleanup.ErrHeldBack) {
		if time.Since(u.heldBack) >= time.Hour { // by a clock that nobody sets
			u.report("sweep", err)
			u.heldBack = time.Now()
		}
		return
	}
	if err != nil {
		u.report("sweep shares", err)
	}
	u.log.Debug("swept shares", "counts", swept)
	now := ports.SystemClock.Now()
	for name, drop := range map[string]func(context.Context, time.Time) (int, error){
		"reservations": func(ctx context.Context, _ time.Time) (int, error) { return u.ledger.Sweep(ctx) },
		"sessions":     u.store.Sessions().DeleteExpired,
		"guesses":      u.store.Guesses().DeleteExpired,
		"uses": func(ctx context.Context, now time.Time) (int, error) {
			return u.store.Keys().DeleteUses(ctx, now.Add(-keys.UseKept))
		},
		"answers":   u.store.Idempotency().DeleteExpired,
		"locks":     u.store.Locks().DeleteExpired,
		"decisions": u.decisions.Sweep,
		"audit":     u.audit.Sweep,
		"events":    u.events.Sweep,
		"visitors":  u.visitors.Sweep,
		"requests":  func(ctx context.Context, _ time.Time) (int, error) { return u.requests.Sweep(ctx) },
		"tasks":     func(ctx context.Context, _ time.Time) (int, error) { return u.tasks.Sweep(ctx) },
	} {
		if _, err := drop(ctx, now); err != nil {
			u.report("sweep "+name, err)
		}
	}
}

// backUp makes a backup when one is due.
func (u *upkeep) backUp(ctx context.Context) { u.schedule.Work(ctx) }

// recount sums the files of each storage anew, in case that what was counted
// on the way has drifted.
func (u *upkeep) recount(ctx context.Context) {
	drift, err := u.store.Files().Recount(ctx)
	if err != nil {
		u.report("recount the files of storages", err)
	}
	for id, bytes := range drift {
		u.log.Warn("the files of a storage were counted wrong", "storage", id, "bytes", bytes)
	}
}

// checkStorages begins the checks of storages that are due, and takes over what
// those found that have ended.
func (u *upkeep) checkStorages(ctx context.Context) {
	if err := u.checks.Round(ctx, u.check); err != nil && ctx.Err() == nil {
		u.report("check storages", err)
	}
}

// keepIndex begins the scans that are due of the storages behind mounts.
func (u *upkeep) keepIndex(ctx context.Context) {
	if err := u.index.Keep(ctx, u.rescan); err != nil && ctx.Err() == nil {
		u.report("begin to index mounts", err)
	}
}

// keepTexts indexes the texts of shares and of the audit log.
func (u *upkeep) keepTexts(ctx context.Context) {
	if err := errors.Join(u.store.Shares().KeepTexts(ctx, 4), u.store.Audit().KeepTexts(ctx, 4)); err != nil && ctx.Err() == nil {
		u.report("index texts", err)
	}
}

// tellEvents delivers what has happened.
func (u *upkeep) tellEvents(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = u.events.Round(ctx); err != nil && ctx.Err() == nil {
			u.report("tell events", err)
		}
	}
}

// tellEndings tells of the shares that end soon.
func (u *upkeep) tellEndings(ctx context.Context) {
	if _, err := u.events.TellEndings(ctx); err != nil && ctx.Err() == nil {
		u.report("tell which shares end soon", err)
	}
}

// recoverMoves ends what others have left half moved, or this process before a
// time.
func (u *upkeep) recoverMoves(ctx context.Context, since time.Time) {
	if err := u.transfers.Recover(ctx, since); err != nil && ctx.Err() == nil {
		u.report("recover moves", err)
	}
}

// recoverMovesAtStart is recoverMoves of what this process has left before it was
// restarted.
func (u *upkeep) recoverMovesAtStart(ctx context.Context) {
	since := time.Time{}
	if u.store.SQLite() {
		since = time.Now() // nobody else is there
	}
	u.recoverMoves(ctx, since)
}

// flushUsage stores when keys were last used.
func (u *upkeep) flushUsage(ctx context.Context, _ bool) {
	if err := u.access.FlushUsage(ctx); err != nil {
		u.report("store last uses", err)
	}
}

// flushOpenings tells of shares that were opened.
func (u *upkeep) flushOpenings(ctx context.Context, _ bool) {
	if err := u.openings.Flush(ctx); err != nil {
		u.report("tell of openings", err)
	}
}

// flushMounts stores when mounts and storages were last used.
func (u *upkeep) flushMounts(ctx context.Context, _ bool) {
	if err := u.opener.FlushUsage(ctx); err != nil {
		u.report("store last uses of storages", err)
	}
	if err := u.tree.FlushUsage(ctx); err != nil {
		u.report("store last uses of mounts", err)
	}
}

// keepReserve looks whether there is room for the reserve of the disk again, and
// keeps short what the database would need of it.
func (u *upkeep) keepReserve(_ context.Context, last bool) {
	if u.reserve != nil && !last {
		u.store.Tidy()
		u.reserve.Restore()
	}
}

// tidy removes the files that requests left behind.
func (u *upkeep) tidy(_ context.Context, last bool) {
	if last {
		return
	}
	if err := datadir.SweepSpool(u.spool); err != nil {
		u.report("sweep temporary files", err)
	}
}

// every calls work again and again, up to a tenth later than told so that
// nodes do not move in step, and once more when ctx has ended.
func every(ctx context.Context, pause time.Duration, work func(ctx context.Context, last bool)) {
	for {
		wait := time.NewTimer(pause + rand.N(pause/10))
		select {
		case <-wait.C:
			work(ctx, false)
		case <-ctx.Done():
			wait.Stop()
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			work(last, true)
			cancel()
			return
		}
	}
}
