package treedb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/index"
	"pasteport/ports/objstore"
	"pasteport/ports/yield"
)

// Index stores what is known of the objects in storages: a row for each file
// and folder, which the folder it lies in leads to, and sums of what lies
// directly in each folder.
type Index struct{ db *db.DB }

var _ index.Repository = (*Index)(nil)

// NewIndex returns the index of objects.
func NewIndex(d *db.DB) *Index { return &Index{d} }

type indexStateRow struct {
	bun.BaseModel `bun:"table:index_storages,alias:index_storages"`
	ConfigID      string
	ScannedAt     *int64
	Scan          string
	BeatAt        *int64
	FailedAt      *int64
}

func (r *indexStateRow) state() index.State {
	return index.State{StorageID: r.ConfigID, ScannedAt: db.TimePtr(r.ScannedAt), Scan: r.Scan, BeatAt: db.TimePtr(r.BeatAt), FailedAt: db.TimePtr(r.FailedAt)}
}

// States lists the storages that the index knows.
func (r *Index) States(ctx context.Context) ([]index.State, error) {
	var rows []indexStateRow
	if err := r.db.Read(ctx).NewSelect().Model(&rows).OrderExpr("n").Scan(ctx); err != nil {
		return nil, db.Failure(err)
	}
	states := make([]index.State, len(rows))
	for i := range rows {
		states[i] = rows[i].state()
	}
	return states, nil
}

// SaveState changes the state of a storage.
func (r *Index) SaveState(ctx context.Context, storageID string, change func(*index.State) error) (*index.State, error) {
	var state index.State
	err := r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if _, err := takeStore(ctx, c, storageID); err != nil {
			return err
		}
		row := new(indexStateRow)
		if err := c.NewSelect().Model(row).Where("config_id = ?", storageID).Scan(ctx); err != nil {
			return err
		}
		state = row.state()
		if err := change(&state); err != nil {
			return err
		}
		_, err := c.Exec(ctx, "UPDATE index_storages SET scanned_at = ?, scan = ?, beat_at = ?, failed_at = ? WHERE config_id = ?",
			db.MillisPtr(state.ScannedAt), state.Scan, db.MillisPtr(state.BeatAt), db.MillisPtr(state.FailedAt), storageID)
		return err
	}})
	return &state, err
}

const storeNumber = "SELECT n FROM index_storages WHERE config_id = ?"

// storeOf returns the number of a storage; 0 when it has none.
func storeOf(ctx context.Context, c *db.Conn, storageID string) (n int64, err error) {
	err = c.Row(ctx, storeNumber, []any{storageID}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

// takeStore returns the number of a storage, which gets one where it has none. No
// other transaction takes it until this one ends.
func takeStore(ctx context.Context, c *db.Conn, storageID string) (n int64, err error) {
	for {
		if _, err := c.Exec(ctx, "INSERT INTO index_storages (config_id, scan) VALUES (?, '') ON CONFLICT (config_id) DO NOTHING", storageID); err != nil {
			return 0, err
		}
		err := c.Row(ctx, c.ForUpdate(storeNumber), []any{storageID}, &n)
		if !errors.Is(err, sql.ErrNoRows) { // else it has just been forgotten
			return n, err
		}
	}
}

// Others wait for a transaction of ours: it changes at most indexGroup rows, and
// few of them after one that took longer than shortWork.
const (
	indexGroup = 250
	leastGroup = 32
	shortWork  = 4 * time.Millisecond
)

// entryRow is a file or folder. The name of a folder ends in "/".
type entryRow struct {
	bun.BaseModel `bun:"table:index_entries,alias:index_entries"`
	N             int64 `bun:",pk,autoincrement"`
	Store         int64
	Folder        int64
	Name          string
	Folded        string
	Size          int64
	Modified      int64
	Etag          string
	Marker        bool
	NotedAt       int64
}

// entryChange is what is to become of one name in a folder.
type entryChange struct {
	folder string
	row    entryRow // without N, Store and Folder
	gone   bool
	// since spares what was noted later; 0 spares nothing.
	since int64
	// implied says that nothing is known of a folder's marker.
	implied bool
}

// split cuts a key into the folder it lies in and its name there.
func split(key string) (folder, name string) {
	i := strings.LastIndexByte(strings.TrimSuffix(key, "/"), '/')
	return key[:i+1], key[i+1:]
}

func newEntryRow(o objstore.Object, at int64) entryRow {
	_, name := split(o.Key)
	row := entryRow{Name: name, Folded: index.Searchable(o.Key), Size: max(o.Size, 0), Etag: o.ETag, NotedAt: at}
	if !o.ModTime.IsZero() {
		row.Modified = db.Millis(o.ModTime)
	}
	if strings.HasSuffix(name, "/") {
		row.Size, row.Etag, row.Marker = 0, "", true
	}
	return row
}

// Put notes objects that were written.
func (r *Index) Put(ctx context.Context, storageID string, at time.Time, objects []objstore.Object) error {
	changes := make([]entryChange, 0, len(objects))
	for _, o := range objects {
		folder, _ := split(o.Key)
		changes = append(changes, entryChange{folder: folder, row: newEntryRow(o, db.Millis(at))})
	}
	return r.apply(ctx, storageID, changes)
}

// apply changes names, in groups. Between two groups others get their turn.
func (r *Index) apply(ctx context.Context, storageID string, changes []entryChange) error {
	for group := leastGroup; len(changes) > 0; {
		some := changes[:min(group, len(changes))]
		changes = changes[len(some):]
		asked := time.Now()
		var begun time.Time
		err := r.write(ctx, storageID, func(ctx context.Context, w *indexWriter) error {
			begun = time.Now()
			return w.change(ctx, some)
		})
		if err != nil {
			return err
		}
		waited, worked := begun.Sub(asked), time.Since(begun)
		if group = min(2*group, indexGroup); worked > shortWork {
			group = leastGroup
		}
		if len(changes) == 0 {
			return nil
		}
		if waited > worked { // others write
			yield.Rest(ctx, worked)
		} else {
			yield.Wait(ctx, min(worked, 50*time.Millisecond))
			yield.After(ctx, worked)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// indexWriter changes the index of one storage in one transaction.
type indexWriter struct {
	*db.Conn
	store   int64
	folders map[string]*folderSum
}

// folderSum is a folder and what changes about its sums.
type folderSum struct {
	n                    int64
	path                 string
	size, files, folders int64 // to be added
	newest               int64
	recount              bool // newest is to be looked for
}

func (r *Index) write(ctx context.Context, storageID string, fn func(context.Context, *indexWriter) error) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		store, err := takeStore(ctx, c, storageID)
		if err != nil {
			return err
		}
		w := &indexWriter{Conn: c, store: store, folders: map[string]*folderSum{}}
		if err := fn(ctx, w); err != nil {
			return err
		}
		return w.sums(ctx)
	}})
}

// folder returns a folder that is known; nil when it is not.
func (w *indexWriter) folder(ctx context.Context, path string) (*folderSum, error) {
	if f, ok := w.folders[path]; ok {
		return f, nil
	}
	f := &folderSum{path: path}
	err := w.Row(ctx, "SELECT n FROM index_folders WHERE store = ? AND path = ?", []any{w.store, path}, &f.n)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w.folders[path] = f
	return f, nil
}

// folderFor returns a folder that something is put into, and makes it known
// together with those above it.
func (w *indexWriter) folderFor(ctx context.Context, path string, at int64) (*folderSum, error) {
	f, err := w.folder(ctx, path)
	if f != nil || err != nil {
		return f, err
	}
	f = &folderSum{path: path}
	if f.n, err = w.Insert(ctx, "INSERT INTO index_folders (store, path, size, files, folders, newest) VALUES (?, ?, 0, 0, 0, 0)", w.store, path); err != nil {
		return nil, err
	}
	w.folders[path] = f
	if path == "" {
		return f, nil
	}
	above, name := split(path)
	parent, err := w.folderFor(ctx, above, at)
	if err != nil {
		return nil, err
	}
	added, err := w.Exec(ctx, "INSERT INTO index_entries (store, folder, name, folded, size, modified, etag, marker, noted_at) "+
		"VALUES (?, ?, ?, ?, 0, 0, '', FALSE, ?) ON CONFLICT (folder, name) DO NOTHING", w.store, parent.n, name, index.Searchable(path), at)
	parent.folders += added
	return f, err
}

// change brings names up to date.
func (w *indexWriter) change(ctx context.Context, changes []entryChange) error {
	byFolder := map[string][]entryChange{}
	var order []string
	for _, ch := range changes {
		if byFolder[ch.folder] == nil {
			order = append(order, ch.folder)
		}
		byFolder[ch.folder] = append(byFolder[ch.folder], ch)
	}
	for _, path := range order {
		if err := w.changeIn(ctx, path, byFolder[path]); err != nil {
			return err
		}
	}
	return nil
}

func (w *indexWriter) changeIn(ctx context.Context, path string, changes []entryChange) error {
	f, err := w.folder(ctx, path)
	if err == nil && f == nil && slices.ContainsFunc(changes, func(ch entryChange) bool { return !ch.gone }) {
		f, err = w.folderFor(ctx, path, changes[0].row.NotedAt)
	}
	if f == nil || err != nil {
		return err
	}
	known, err := w.entries(ctx, f.n, changes)
	if err != nil {
		return err
	}
	var fresh []*entryRow
	added := map[string]*entryRow{}
	for i := range changes {
		ch := &changes[i]
		old := known[ch.row.Name]
		switch {
		case added[ch.row.Name] != nil && !ch.gone: // twice in one group: the last one counts
			row := added[ch.row.Name]
			f.size += ch.row.Size - row.Size
			store, folder := row.Store, row.Folder
			*row = ch.row
			row.Store, row.Folder = store, folder
			f.newest = max(f.newest, row.Modified)
		case old == nil && ch.gone, old != nil && ch.since > 0 && old.NotedAt > ch.since:
		case old == nil:
			row := ch.row
			row.Store, row.Folder = w.store, f.n
			row.Marker = row.Marker && !ch.implied
			f.count(&row, 1)
			added[row.Name] = &row
			fresh = append(fresh, &row)
		case ch.gone:
			if _, err := w.Exec(ctx, "DELETE FROM index_entries WHERE n = ?", old.N); err != nil {
				return err
			}
			f.count(old, -1)
			f.recount = true
			delete(known, ch.row.Name)
		default:
			if err := w.update(ctx, f, old, ch); err != nil {
				return err
			}
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if _, err = w.NewInsert().Model(&fresh).ExcludeColumn("n").Exec(ctx); err != nil {
		return err
	}
	for _, row := range fresh {
		if err := w.marked(ctx, f, row); err != nil {
			return err
		}
	}
	return nil
}

// marked makes the sums of a folder know the time of its marker.
func (w *indexWriter) marked(ctx context.Context, parent *folderSum, row *entryRow) error {
	if !strings.HasSuffix(row.Name, "/") {
		return nil
	}
	f, err := w.folderFor(ctx, parent.path+row.Name, row.NotedAt)
	if err == nil {
		f.newest = max(f.newest, row.Modified)
	}
	return err
}

// entries reads those of the named entries that are known.
func (w *indexWriter) entries(ctx context.Context, folder int64, changes []entryChange) (map[string]*entryRow, error) {
	names := make([]string, len(changes))
	for i := range changes {
		names[i] = changes[i].row.Name
	}
	var rows []entryRow
	if err := w.NewSelect().Model(&rows).Where("folder = ? AND name IN (?)", folder, bun.List(names)).Scan(ctx); err != nil {
		return nil, err
	}
	known := make(map[string]*entryRow, len(rows))
	for i := range rows {
		known[rows[i].Name] = &rows[i]
	}
	return known, nil
}

// update replaces what is known of an entry; its name stays.
func (w *indexWriter) update(ctx context.Context, f *folderSum, old *entryRow, ch *entryChange) error {
	row := ch.row
	if ch.implied && strings.HasSuffix(row.Name, "/") {
		row.Marker, row.Modified = old.Marker, max(old.Modified, row.Modified)
	}
	_, err := w.Exec(ctx, "UPDATE index_entries SET size = ?, modified = ?, etag = ?, marker = ?, noted_at = ? WHERE n = ?",
		row.Size, row.Modified, row.Etag, row.Marker, row.NotedAt, old.N)
	f.size += row.Size - old.Size
	f.newest = max(f.newest, row.Modified)
	f.recount = f.recount || row.Modified < old.Modified
	old.Size, old.Modified, old.NotedAt = row.Size, row.Modified, row.NotedAt
	if err != nil {
		return err
	}
	return w.marked(ctx, f, &row)
}

// count adds an entry to the sums, or takes it away.
func (f *folderSum) count(row *entryRow, sign int64) {
	f.size += sign * row.Size
	if strings.HasSuffix(row.Name, "/") {
		f.folders += sign
	} else {
		f.files += sign
	}
	if sign > 0 {
		f.newest = max(f.newest, row.Modified)
	}
}

// sums stores what has changed about the sums of folders.
func (w *indexWriter) sums(ctx context.Context) error {
	greatest := "GREATEST"
	if w.SQLite {
		greatest = "MAX"
	}
	for _, f := range w.folders {
		if *f == (folderSum{n: f.n, path: f.path}) {
			continue
		}
		newest, args := greatest+"(newest, ?)", []any{f.size, f.files, f.folders, f.newest, f.n}
		if f.recount {
			var err error
			if args[3], err = w.newest(ctx, f); err != nil {
				return err
			}
			newest = "?"
		}
		if _, err := w.Exec(ctx, "UPDATE index_folders SET size = size + ?, files = files + ?, folders = folders + ?, newest = "+newest+" WHERE n = ?", args...); err != nil {
			return err
		}
	}
	return nil
}

// newest looks for the newest time of a folder: of its marker and of what lies
// in it.
func (w *indexWriter) newest(ctx context.Context, f *folderSum) (newest int64, err error) {
	if err := w.Row(ctx, "SELECT COALESCE(MAX(modified), 0) FROM index_entries WHERE folder = ?", []any{f.n}, &newest); err != nil || f.path == "" {
		return newest, err
	}
	above, name := split(f.path)
	var marker int64
	err = w.Row(ctx, "SELECT e.modified FROM index_folders f JOIN index_entries e ON e.folder = f.n WHERE f.store = ? AND f.path = ? AND e.name = ?",
		[]any{w.store, above, name}, &marker)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return max(newest, marker), err
}

// Merge makes the index agree with spans.
func (r *Index) Merge(ctx context.Context, storageID string, spans ...index.Span) (vanished []string, err error) {
	store, err := storeOf(ctx, r.db.Read(ctx), storageID)
	if err != nil {
		return nil, db.Failure(err)
	}
	var changes []entryChange
	for i := range spans {
		gone, err := r.compare(ctx, store, &spans[i], &changes)
		if err != nil {
			return nil, db.Failure(err)
		}
		vanished = append(vanished, gone...)
	}
	return vanished, r.apply(ctx, storageID, changes)
}

// compare finds what a span changes. Folders that are no more come back.
func (r *Index) compare(ctx context.Context, store int64, span *index.Span, changes *[]entryChange) (vanished []string, err error) {
	known, err := r.within(ctx, store, span)
	if err != nil {
		return nil, err
	}
	since := db.Millis(span.At)
	at := 0
	for _, o := range span.Objects {
		row := newEntryRow(o, since)
		folder := strings.HasSuffix(row.Name, "/")
		if span.Markers && folder {
			row.Marker = row.Modified != 0
		}
		for at < len(known) && known[at].Name < row.Name {
			vanished = leave(span, &known[at], since, changes, vanished)
			at++
		}
		ch := entryChange{folder: span.Folder, row: row, since: since, implied: folder && !span.Markers}
		if at < len(known) && known[at].Name == row.Name {
			old := &known[at]
			at++
			if old.NotedAt > since || old.same(&ch) {
				continue
			}
		}
		*changes = append(*changes, ch)
	}
	for ; at < len(known); at++ {
		vanished = leave(span, &known[at], since, changes, vanished)
	}
	return vanished, nil
}

// leave notes that the storage does not hold an entry any more.
func leave(span *index.Span, old *entryRow, since int64, changes *[]entryChange, vanished []string) []string {
	switch {
	case old.NotedAt > since:
	case strings.HasSuffix(old.Name, "/"):
		vanished = append(vanished, span.Folder+old.Name)
	default:
		*changes = append(*changes, entryChange{folder: span.Folder, row: entryRow{Name: old.Name}, gone: true, since: since})
	}
	return vanished
}

// same reports whether a change says nothing new.
func (r *entryRow) same(ch *entryChange) bool {
	if ch.implied {
		return r.Modified >= ch.row.Modified
	}
	return r.Size == ch.row.Size && r.Modified == ch.row.Modified && r.Marker == ch.row.Marker && (r.Etag == ch.row.Etag || ch.row.Etag == "")
}

// within reads what is known in the range of a span, by name.
func (r *Index) within(ctx context.Context, store int64, span *index.Span) ([]entryRow, error) {
	c := r.db.Read(ctx)
	var n int64
	err := c.Row(ctx, "SELECT n FROM index_folders WHERE store = ? AND path = ?", []any{store, span.Folder}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	query, args := "SELECT name, size, modified, etag, marker, noted_at FROM index_entries WHERE folder = ? AND name > ?", []any{n, span.From}
	if span.To != "" {
		query, args = query+" AND name <= ?", append(args, span.To)
	}
	var rows []entryRow
	err = c.Rows(ctx, query+" ORDER BY name", args, func(scan func(...any) error) error {
		var row entryRow
		err := scan(&row.Name, &row.Size, &row.Modified, &row.Etag, &row.Marker, &row.NotedAt)
		rows = append(rows, row)
		return err
	})
	return rows, err
}

// Drop forgets an object, or a folder and what lies below it, and the folders
// above that only it had made known.
func (r *Index) Drop(ctx context.Context, storageID, key string, most int) (more bool, err error) {
	folder, name := split(key)
	err = r.write(ctx, storageID, func(ctx context.Context, w *indexWriter) error {
		if key == "" || strings.HasSuffix(key, "/") {
			if more, err = w.empty(ctx, key, most); more || err != nil || key == "" {
				return err
			}
		}
		if err := w.change(ctx, []entryChange{{folder: folder, row: entryRow{Name: name}, gone: true}}); err != nil {
			return err
		}
		return w.prune(ctx, folder)
	})
	return more, err
}

// empty forgets entries below a folder, and the folders themselves when that
// was all.
func (w *indexWriter) empty(ctx context.Context, prefix string, most int) (more bool, err error) {
	from, to := prefixBounds(prefix)
	if _, err := w.Exec(ctx, "UPDATE index_folders SET size = 0, files = 0, folders = 0, newest = 0 WHERE store = ? AND path >= ? AND path < ? AND (files > 0 OR folders > 0 OR newest > 0)",
		w.store, from, to); err != nil {
		return false, err
	}
	n, err := w.Exec(ctx, "DELETE FROM index_entries WHERE n IN (SELECT e.n FROM index_folders f JOIN index_entries e ON e.folder = f.n "+
		"WHERE f.store = ? AND f.path >= ? AND f.path < ? LIMIT ?)", w.store, from, to, most)
	if err != nil || n >= int64(most) {
		return true, err
	}
	_, err = w.Exec(ctx, "DELETE FROM index_folders WHERE store = ? AND path >= ? AND path < ?", w.store, from, to)
	clear(w.folders)
	return false, err
}

// prefixBounds returns the first text that begins with a prefix and the first
// one behind those; the prefix ends in "/" or is empty.
func prefixBounds(prefix string) (from, to string) {
	if prefix == "" {
		return "", "\U0010ffff"
	}
	return prefix, prefix[:len(prefix)-1] + "0" // "0" follows "/"
}

// prune forgets a folder in which nothing is left, and those above it.
func (w *indexWriter) prune(ctx context.Context, folder string) error {
	for folder != "" {
		f, err := w.folder(ctx, folder)
		if f == nil || err != nil {
			return err
		}
		var left int64
		if err := w.Row(ctx, "SELECT files + folders FROM index_folders WHERE n = ?", []any{f.n}, &left); err != nil {
			return err
		}
		if left+f.files+f.folders > 0 {
			return nil
		}
		above, name := split(folder)
		parent, err := w.folder(ctx, above)
		if parent == nil || err != nil {
			return err
		}
		gone, err := w.Exec(ctx, "DELETE FROM index_entries WHERE folder = ? AND name = ? AND NOT marker", parent.n, name)
		if err != nil || gone == 0 {
			return err
		}
		parent.folders--
		if _, err := w.Exec(ctx, "DELETE FROM index_folders WHERE n = ?", f.n); err != nil {
			return err
		}
		delete(w.folders, folder)
		folder = above
	}
	return nil
}

// Forget removes the state of a storage.
func (r *Index) Forget(ctx context.Context, storageID string) error {
	return r.db.Write(ctx, db.Work{Whole: true, Do: func(ctx context.Context, c *db.Conn) error {
		store := int64(0)
		err := c.Row(ctx, c.ForUpdate(storeNumber), []any{storageID}, &store) // waits for those who write
		if err == nil {
			_, err = c.Exec(ctx, "DELETE FROM index_storages WHERE n = ? AND NOT EXISTS (SELECT 1 FROM index_folders WHERE store = ?)", store, store)
		}
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	}})
}

// Totals sums up the folders directly below a prefix.
func (r *Index) Totals(ctx context.Context, storageID, prefix string) (map[string]mounts.Total, error) {
	c := r.db.Read(ctx)
	store, err := storeOf(ctx, c, storageID)
	if err != nil {
		return nil, db.Failure(err)
	}
	position := "strpos"
	if c.SQLite {
		position = "instr"
	}
	from, to := prefixBounds(prefix)
	begin := utf8.RuneCountInString(prefix) + 1
	query := "SELECT substr(path, CAST(? AS INTEGER), " + position + "(substr(path, CAST(? AS INTEGER)), '/') - 1) AS child, " +
		"CAST(SUM(size) AS BIGINT), CAST(SUM(files) AS BIGINT), MAX(newest) FROM index_folders WHERE store = ? AND path > ? AND path < ? GROUP BY 1"
	totals := map[string]mounts.Total{}
	err = c.Rows(ctx, query, []any{begin, begin, store, from, to}, func(scan func(...any) error) error {
		var name string
		var t mounts.Total
		var newest int64
		err := scan(&name, &t.Size, &t.Files, &newest)
		if newest > 0 {
			t.Newest = db.TimePtr(&newest)
		}
		totals[name] = t
		return err
	})
	return totals, db.Failure(err)
}

// Total sums up what lies below a prefix.
func (r *Index) Total(ctx context.Context, storageID, prefix string) (t mounts.Total, err error) {
	c := r.db.Read(ctx)
	store, err := storeOf(ctx, c, storageID)
	if err != nil {
		return t, db.Failure(err)
	}
	from, to := prefixBounds(prefix)
	var newest int64
	err = c.Row(ctx, "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT), CAST(COALESCE(SUM(files), 0) AS BIGINT), COALESCE(MAX(newest), 0) FROM index_folders "+
		"WHERE store = ? AND path >= ? AND path < ?", []any{store, from, to}, &t.Size, &t.Files, &newest)
	if newest > 0 {
		t.Newest = db.TimePtr(&newest)
	}
	return t, db.Failure(err)
}
