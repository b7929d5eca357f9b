package reconcile

import (
	"context"
	"slices"
	"strings"
	"time"

	"pasteport/domain/internal/objects"
	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// pageOf is how many records are read at once, and how many doubtful ones are
// looked at together.
const pageOf = 1000

// state is how far a run has come.
type state struct {
	Token  string   `json:"token,omitempty"`
	Last   string   `json:"last,omitempty"` // the last key that was looked at
	After  Position `json:"after"`          // the last record that was looked at
	Listed bool     `json:"listed"`         // all objects were
	Joined bool     `json:"joined"`         // all records were
	Upload string   `json:"upload"`         // the last upload that was looked at
	Report Report   `json:"report"`
}

// work is one run under way.
type work struct {
	*Reconciler
	run    jobs.Run
	told   payload
	area   area
	bucket objstore.Bucket
	state
	records  []shares.File // read, not yet looked at
	ended    bool          // no record follows those
	doubtful []shares.File // at most pageOf records that no object was met for
}

// Work is the worker of TaskKind. It may be cut short anywhere: what it has done
// is done, and the rest is done by the next run.
func (r *Reconciler) Work(ctx context.Context, run jobs.Run) error {
	w := &work{Reconciler: r, run: run}
	if err := run.Payload(&w.told); err != nil {
		return err
	}
	resumed, err := run.State(&w.state)
	if err != nil {
		return err
	}
	if err := w.look(ctx); err != nil {
		return err
	}
	if w.bucket, err = r.d.Shares.Storages.Bucket(ctx, w.told.Plan.StorageID); err != nil {
		return err
	}
	w.Report.Prefix, w.Report.Skipped = w.area.prefix, w.area.skipped
	err = w.join(ctx)
	if resumed && w.Token != "" && ports.Is(err, ports.Invalid) { // the storage has forgotten where that was
		w.Token = ""
		err = w.join(ctx)
	}
	if err == nil {
		err = w.uploads(ctx)
	}
	if err == nil {
		err = run.Checkpoint(w.state)
	}
	if w.Report.Adopted+w.Report.Deleted > 0 {
		r.d.Shares.Freed(ctx, w.told.Plan.StorageID)
	}
	return err
}

// look finds out what the run may look at now: mounts and configs may have come
// since it was asked for.
func (w *work) look(ctx context.Context) (err error) {
	if w.area, err = w.Reconciler.area(ctx, w.told.Plan); err != nil || w.told.Plan.Check() {
		return err
	}
	return w.area.allows(w.told.Plan)
}

// join goes over the objects and the records together, in the order of their
// keys.
func (w *work) join(ctx context.Context) error {
	w.records, w.ended, w.doubtful = nil, false, nil
	var tokens objstore.Tokens
	for !w.Listed {
		page, err := w.bucket.List(ctx, objstore.ListQuery{Prefix: w.area.prefix, Token: w.Token})
		if err != nil {
			return err
		}
		if err := w.page(ctx, page.Objects); err != nil {
			return err
		}
		w.Token, w.Listed = page.Next, page.Next == ""
		if err := w.passed(ctx); err != nil {
			return err
		}
		if w.Token != "" {
			if err := tokens.Follow(w.Token); err != nil {
				return err
			}
		}
	}
	for !w.Joined {
		if err := w.rest(ctx); err != nil {
			return err
		}
		w.Joined = len(w.records) == 0 && w.ended
		if err := w.passed(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) passed(ctx context.Context) error {
	if err := w.run.Checkpoint(w.state); err != nil {
		return err
	}
	return ctx.Err()
}

// page compares a page of objects with the records up to its last key.
func (w *work) page(ctx context.Context, page []objstore.Object) error {
	var orphans []objstore.Object
	for _, o := range page {
		if o.Key <= w.Last {
			continue
		}
		held, err := w.to(ctx, o.Key)
		if err != nil {
			return err
		}
		w.Report.Looked++
		w.Last = o.Key
		if !held && w.area.skipped == "" && w.area.ours(o.Key) && o.ModTime.Before(w.told.Before) {
			orphans = append(orphans, o)
		}
	}
	if err := w.settle(ctx); err != nil {
		return err
	}
	return w.orphans(ctx, orphans)
}

// to takes the records up to a key and reports whether one points at it. Those
// before it should have been met, and are in doubt.
func (w *work) to(ctx context.Context, key string) (held bool, err error) {
	for {
		record, err := w.next(ctx)
		if err != nil || record == nil || record.StoragePath > key {
			return held, err
		}
		held = held || record.StoragePath == key
		if err := w.take(ctx, record, record.StoragePath == key); err != nil {
			return held, err
		}
	}
}

// rest takes the next few of the records behind the last object.
func (w *work) rest(ctx context.Context) error {
	for range pageOf {
		record, err := w.next(ctx)
		if err != nil {
			return err
		}
		if record == nil {
			break
		}
		if err := w.take(ctx, record, false); err != nil {
			return err
		}
	}
	return w.settle(ctx)
}

// take counts the next record and passes over it.
func (w *work) take(ctx context.Context, record *shares.File, there bool) error {
	f := *record
	w.After = Position{f.StoragePath, f.ID}
	w.records = w.records[1:]
	if !expects(&f) {
		return nil
	}
	w.Report.Records++
	if there {
		return nil
	}
	if w.doubtful = append(w.doubtful, f); len(w.doubtful) < pageOf {
		return nil
	}
	return w.settle(ctx)
}

// next is the record that comes next; nil behind the last.
func (w *work) next(ctx context.Context) (*shares.File, error) {
	if len(w.records) == 0 && !w.ended {
		var err error
		if w.records, err = w.d.Records.ByKey(ctx, w.told.Plan.StorageID, w.After, pageOf); err != nil {
			return nil, err
		}
		w.ended = len(w.records) < pageOf
	}
	if len(w.records) == 0 {
		return nil, nil
	}
	return &w.records[0], nil
}

// expects reports whether the object of a record should be there, and is the
// share's own.
func expects(f *shares.File) bool { return !f.Pending && f.FilePath == "" && f.ErasedAt == nil }

// settle asks the storage for the objects of the records in doubt: the listing did
// not have them, or they lie outside of it.
func (w *work) settle(ctx context.Context) error {
	records := w.doubtful
	w.doubtful = nil
	gone := make([]bool, len(records))
	err := objects.Each(ctx, len(records), func(ctx context.Context, i int) error {
		if f := &records[i]; !young(f, w.told.Before) {
			there, err := objects.Exists(ctx, w.bucket, f.StoragePath)
			gone[i] = err == nil && !there
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	var lost []shares.File
	for i := range records {
		if f := &records[i]; gone[i] {
			w.Report.Missing.add(Found{f.StoragePath, f.Size, f.CreatedAt})
			if f.Collection == "" { // items are taken out where the collection is edited
				lost = append(lost, *f)
			}
		}
	}
	if w.told.Plan.Records != Delete || len(lost) == 0 {
		return nil
	}
	if w.Report.Missing.Count > w.told.Missing {
		return errMore
	}
	return w.forget(ctx, lost)
}

// young reports whether a record, or its place in the storage, is not older than a
// time.
func young(f *shares.File, than time.Time) bool {
	return !f.CreatedAt.Before(than) || f.PlacedAt != nil && !f.PlacedAt.Before(than)
}

// forget deletes records whose object is gone.
func (w *work) forget(ctx context.Context, lost []shares.File) error {
	ids := make([]string, len(lost))
	for i := range lost {
		ids[i] = lost[i].ID
	}
	n, err := w.d.Shares.Files.Delete(ctx, ids...)
	if err != nil {
		return err
	}
	w.Report.Deleted += int64(n)
	for i := range lost {
		w.d.Shares.Publish(ctx, policy.KindFile, lost[i].ID)
		if err := w.run.Item(jobs.Item{Path: lost[i].StoragePath, Status: jobs.Completed}, nil); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// orphans tells of objects that no record points at, and does with them what was
// asked for. The records are asked again first: one may have come in between.
func (w *work) orphans(ctx context.Context, orphans []objstore.Object) error {
	if len(orphans) == 0 {
		return nil
	}
	orphans, err := w.unknown(ctx, orphans)
	if err != nil {
		return err
	}
	for _, o := range orphans {
		w.Report.Orphans.add(Found{o.Key, o.Size, o.ModTime})
	}
	choice := w.told.Plan.Objects
	if choice == Keep || len(orphans) == 0 {
		return nil
	}
	if w.Report.Orphans.Count > w.told.Orphans {
		return errMore
	}
	if err := w.look(ctx); err != nil {
		return err
	}
	if choice == Adopt {
		for _, o := range orphans {
			if err := w.adopt(ctx, o.Key); err != nil {
				return err
			}
		}
		return nil
	}
	return w.remove(ctx, orphans)
}

// unknown leaves out the objects that a record or an unfinished upload knows.
func (w *work) unknown(ctx context.Context, found []objstore.Object) ([]objstore.Object, error) {
	keys := make([]string, len(found))
	for i := range found {
		keys[i] = found[i].Key
	}
	held, err := w.d.Records.Held(ctx, w.told.Plan.StorageID, keys)
	if err != nil {
		return nil, err
	}
	awaited, err := w.d.Uploads.Awaited(ctx, w.told.Plan.StorageID, keys)
	return slices.DeleteFunc(found, func(o objstore.Object) bool { return held[o.Key] || awaited[o.Key] }), err
}

func (w *work) remove(ctx context.Context, orphans []objstore.Object) error {
	keys := make([]string, len(orphans))
	for i := range orphans {
		keys[i] = orphans[i].Key
	}
	left := objects.Delete(ctx, w.bucket, keys)
	keys = slices.DeleteFunc(keys, func(key string) bool { return left[key] != nil })
	if w.d.Shares.Changed != nil && len(keys) > 0 {
		w.d.Shares.Changed(ctx, w.told.Plan.StorageID, nil, keys)
	}
	for _, o := range orphans {
		failure := left[o.Key]
		if failure == nil {
			w.Report.Deleted++
			w.Report.Freed += o.Size
		}
		if err := w.run.Item(jobs.Item{Path: o.Key, Status: jobs.Completed, Bytes: o.Size}, failure); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// adopt makes a file share of an object, with a link that nobody can guess. What is
// gone by now, or was written anew, is left.
func (w *work) adopt(ctx context.Context, key string) error {
	o, err := w.bucket.Stat(ctx, key)
	if ports.Is(err, ports.NotFound) || err == nil && !o.ModTime.Before(w.told.Before) {
		return nil
	}
	if err != nil {
		return err
	}
	name := naming.Safe(key[strings.LastIndexByte(key, '/')+1:])
	now := w.d.Shares.Clock.Now()
	file := &shares.File{
		ID: w.d.Shares.Random.ID(), Filename: name, StorageConfigID: w.told.Plan.StorageID, StorageType: w.area.storage.Type, StoragePath: key,
		MimeType: filetype.ContentType(name), Size: o.Size, ETag: o.ETag, UseProxy: true, CreatedBy: w.run.Owner().Owner(), CreatedAt: now, UpdatedAt: now, Version: 1,
		PlacedAt: &o.ModTime,
	}
	err = naming.WithSlug(w.d.Shares.Random, "", true, func(slug string) error {
		file.Slug = slug
		return w.d.Shares.Files.Insert(ctx, file)
	})
	if err != nil {
		return err
	}
	w.Report.Adopted++
	if err := w.run.Item(jobs.Item{Path: key, Target: "/file/" + file.Slug, Status: jobs.Completed, Bytes: o.Size}, nil); err != nil {
		return err
	}
	return ctx.Err()
}

// uploads tells of the uploads in parts that nobody finished and no session knows.
func (w *work) uploads(ctx context.Context) error {
	multipart := w.bucket.Multipart()
	if multipart == nil || w.area.skipped != "" {
		return nil
	}
	all, err := multipart.ListUploads(ctx, w.area.prefix)
	if ports.Is(err, ports.NotImplemented) {
		return nil
	}
	if err != nil {
		return err
	}
	name := func(u objstore.Upload) string { return u.Key + "\x00" + u.ID }
	slices.SortFunc(all, func(a, b objstore.Upload) int { return strings.Compare(name(a), name(b)) })
	for _, u := range all {
		if name(u) <= w.Upload || !w.area.ours(u.Key) || !u.Initiated.Before(w.told.Before) {
			continue
		}
		if err := w.upload(ctx, multipart, u); err != nil {
			return err
		}
		w.Upload = name(u)
		if err := w.passed(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) upload(ctx context.Context, multipart objstore.Multipart, u objstore.Upload) error {
	_, err := w.d.Shares.Uploads.Find(ctx, w.told.Plan.StorageID, u.ID)
	if !ports.Is(err, ports.NotFound) {
		return err
	}
	w.Report.Uploads.add(Found{Key: u.Key, At: u.Initiated})
	if w.told.Plan.Uploads != Delete {
		return nil
	}
	if w.Report.Uploads.Count > w.told.Uploads {
		return errMore
	}
	if err := w.look(ctx); err != nil {
		return err
	}
	if err = multipart.Abort(ctx, u.Key, u.ID); err == nil {
		w.Report.Deleted++
	}
	return w.run.Item(jobs.Item{Path: u.Key, Status: jobs.Completed}, err)
}
