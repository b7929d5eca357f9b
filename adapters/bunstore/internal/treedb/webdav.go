package treedb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/ports"
)

type lockRow struct {
	bun.BaseModel `bun:"table:dav_locks,alias:dav_locks"`
	Token         string
	Path          string
	Folder        bool
	Deep          bool
	Shared        bool
	Note          string
	Holder        string
	CreatedAt     int64
	ExpiresAt     int64
}

func newLockRow(l *dav.Lock) *lockRow {
	return &lockRow{Token: l.Token, Path: l.Path, Folder: l.Folder, Deep: l.Deep, Shared: l.Shared, Note: l.Note, Holder: l.Holder,
		CreatedAt: db.Millis(l.Created), ExpiresAt: db.Millis(l.Expires)}
}

func (r *lockRow) lock() dav.Lock {
	return dav.Lock{Token: r.Token, Path: r.Path, Folder: r.Folder, Deep: r.Deep, Shared: r.Shared, Note: r.Note, Holder: r.Holder,
		Created: db.Time(r.CreatedAt), Expires: db.Time(r.ExpiresAt)}
}

// NewLocks returns the repository of WebDAV locks.
func NewLocks(d *db.DB) *Locks { return &Locks{d, d.Unused("dav_locks")} }

// NewProperties returns the repository of dead WebDAV properties.
func NewProperties(d *db.DB) *Properties { return &Properties{d, d.Unused("dav_properties")} }

var (
	_ dav.LockRepository     = (*Locks)(nil)
	_ dav.PropertyRepository = (*Properties)(nil)
)

// Locks stores WebDAV locks.
type Locks struct {
	db     *db.DB
	unused *db.Unused
}

// lockOrder is the key of the PostgreSQL advisory lock under which locks are
// stored one after the other: "davlocks".
const lockOrder = 0x6461766c6f636b73

// Insert stores a lock when check agrees to those around it and to how many its
// holder has.
func (r *Locks) Insert(ctx context.Context, l *dav.Lock, now time.Time, check func([]dav.Lock, int) error) error {
	r.unused.Use()
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if err := c.Alone(ctx, lockOrder); err != nil {
			return err
		}
		around, err := around(ctx, c, now, []dav.Reach{{Path: l.Path, Deep: true}})
		if err != nil {
			return err
		}
		var held int
		if err := c.Row(ctx, "SELECT COUNT(*) FROM dav_locks WHERE holder = ? AND expires_at > ? AND "+countedOnly, []any{l.Holder, db.Millis(now), db.Millis(now)}, &held); err != nil {
			return err
		}
		if err := check(around, held); err != nil {
			return err
		}
		_, err = c.NewInsert().Model(newLockRow(l)).Exec(ctx)
		return err
	}})
}

// Around returns the locks on the paths, above them and, where wanted, below.
func (r *Locks) Around(ctx context.Context, now time.Time, reaches ...dav.Reach) ([]dav.Lock, error) {
	c := r.db.Read(ctx)
	none, err := r.unused.Is(ctx, c)
	if err != nil || none {
		return nil, db.Failure(err)
	}
	locks, err := around(ctx, c, now, reaches)
	return locks, db.Failure(err)
}

// aroundChunk bounds the conditions of one statement.
const aroundChunk = 50

func around(ctx context.Context, c *db.Conn, now time.Time, reaches []dav.Reach) ([]dav.Lock, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var rows []lockRow
	for some := range slices.Chunk(reaches, aroundChunk) {
		var up, down []any
		for _, reach := range some {
			for path := reach.Path; ; path = mounts.Parent(path) {
				up = append(up, path)
				if path == "/" || path == "" || path == "." {
					break
				}
			}
			if reach.Deep {
				from, to := below(reach.Path)
				down = append(down, from, to)
			}
		}
		up, down = padded(up, 1), padded(down, 2)
		query := "SELECT token, path, folder, deep, shared, note, holder, created_at, expires_at FROM dav_locks WHERE expires_at > ? AND " + countedOnly +
			" AND (path IN (?" + strings.Repeat(", ?", len(up)-1) + ")" + strings.Repeat(" OR path >= ? AND path < ?", len(down)/2) + ")"
		args := slices.Concat([]any{db.Millis(now), db.Millis(now)}, up, down)
		err := c.Rows(c.Brief(ctx), query, args, func(scan func(...any) error) error {
			var r lockRow
			err := scan(&r.Token, &r.Path, &r.Folder, &r.Deep, &r.Shared, &r.Note, &r.Holder, &r.CreatedAt, &r.ExpiresAt)
			rows = append(rows, r)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(rows, func(a, b lockRow) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Token, b.Token)) })
	rows = slices.CompactFunc(rows, func(a, b lockRow) bool { return a.Token == b.Token })
	locks := make([]dav.Lock, len(rows))
	for i := range rows {
		locks[i] = rows[i].lock()
	}
	return locks, nil
}

// padded repeats the last group of size arguments until there are a power of two
// groups, so that there are few different statements.
func padded(args []any, size int) []any {
	for n := len(args) / size; n&(n-1) != 0; n++ {
		args = append(args, args[len(args)-size:]...)
	}
	return args
}

// below returns the first path under a folder and the first one behind it.
func below(path string) (from, to string) {
	if path == "/" {
		path = ""
	}
	return path + "/", path + "0" // "0" follows "/"
}

// counted leaves out the locks of API keys that are gone, off or expired.
func counted(q *bun.SelectQuery, now time.Time) *bun.SelectQuery {
	return q.Where(countedOnly, db.Millis(now))
}

const countedOnly = "(substr(holder, 1, 7) <> 'apikey:' OR EXISTS (SELECT 1 FROM api_keys k WHERE k.id = substr(dav_locks.holder, 8) " +
	"AND k.is_active AND k.expires_at > ?))"

// Get returns the lock with this token.
func (r *Locks) Get(ctx context.Context, token string, now time.Time) (*dav.Lock, error) {
	row := new(lockRow)
	q := r.db.Read(ctx).NewSelect().Model(row).Where("token = ?", token).Where("expires_at > ?", db.Millis(now))
	if err := counted(q, now).Scan(ctx); err != nil {
		return nil, db.Failure(err)
	}
	l := row.lock()
	return &l, nil
}

// Prolong moves the end of a lock.
func (r *Locks) Prolong(ctx context.Context, token string, now, end time.Time) (*dav.Lock, error) {
	var l dav.Lock
	err := r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if _, err := c.Exec(ctx, "UPDATE dav_locks SET expires_at = ? WHERE token = ? AND expires_at > ?", db.Millis(end), token, db.Millis(now)); err != nil {
			return err
		}
		row := new(lockRow)
		q := c.NewSelect().Model(row).Where("token = ?", token).Where("expires_at > ?", db.Millis(now))
		if err := counted(q, now).Scan(ctx); err != nil {
			return err
		}
		l = row.lock()
		return nil
	}})
	return &l, err
}

// Delete removes a lock.
func (r *Locks) Delete(ctx context.Context, token string) error {
	_, err := r.db.Exec(ctx, "DELETE FROM dav_locks WHERE token = ?", token)
	return err
}

// DeleteWithin removes the locks on the paths and below.
func (r *Locks) DeleteWithin(ctx context.Context, paths ...string) error {
	return deleteWithin(ctx, r.db, "DELETE FROM dav_locks WHERE path = ? OR path >= ? AND path < ?", func(path string) []any { return []any{path} }, paths)
}

// Clear removes the locks in a region.
func (r *Locks) Clear(ctx context.Context, of dav.Region) error {
	where, args := inRegion("path = ? OR path >= ? AND path < ?", of, func(path string) []any { return []any{path} })
	_, err := r.db.Exec(ctx, "DELETE FROM dav_locks WHERE "+where, args...)
	return err
}

// inRegion is a condition for what lies in a region, of one for what lies at or below
// a path: its arguments are those of self and the bounds of what lies below.
func inRegion(one string, of dav.Region, self func(path string) []any) (where string, args []any) {
	add := func(path string) {
		from, to := below(path)
		args = append(append(args, self(path)...), from, to)
	}
	add(of.Path)
	for _, path := range of.Except {
		add(path)
	}
	return "(" + one + ")" + strings.Repeat(" AND NOT ("+one+")", len(of.Except)), args
}

// deleteWithin runs a constant statement for each path; its arguments are
// those of self and the bounds of what lies below.
func deleteWithin(ctx context.Context, d *db.DB, query string, self func(path string) []any, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return d.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		for _, path := range slices.Sorted(slices.Values(paths)) {
			from, to := below(path)
			if _, err := c.Exec(ctx, query, append(self(path), from, to)...); err != nil {
				return err
			}
		}
		return nil
	}})
}

// DeleteExpired removes the locks that have ended by now.
func (r *Locks) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	return r.db.Exec(ctx, "DELETE FROM dav_locks WHERE expires_at <= ?", db.Millis(now))
}

type propertyRow struct {
	bun.BaseModel `bun:"table:dav_properties,alias:dav_properties"`
	Folder        string
	Name          string
	Space         string
	Local         string
	XML           string `bun:"xml"`
}

func (r *propertyRow) property() dav.Property {
	return dav.Property{Space: r.Space, Name: r.Local, XML: r.XML}
}

// Properties stores dead WebDAV properties. A row is found by the folder and
// the name that make its path.
type Properties struct {
	db     *db.DB
	unused *db.Unused
}

// Of returns the properties at path.
func (r *Properties) Of(ctx context.Context, path string) ([]dav.Property, error) {
	properties := []dav.Property{}
	err := r.each(ctx, "folder = ? AND name = ?", []any{mounts.Parent(path), mounts.Base(path)}, func(row *propertyRow) error {
		properties = append(properties, row.property())
		return nil
	})
	return properties, err
}

// OfFolder returns the properties of a folder and of what lies directly in it.
func (r *Properties) OfFolder(ctx context.Context, folder string, most int) (of map[string][]dav.Property, more bool, err error) {
	properties := map[string][]dav.Property{}
	parent, name := mounts.Parent(folder), mounts.Base(folder)
	err = r.each(ctx, "(folder = ? AND name = ? OR folder = ? AND name <> '')", []any{parent, name, folder}, func(row *propertyRow) error {
		if most -= len(row.XML); most < 0 {
			return errMore
		}
		path := folder
		if row.Folder != parent || row.Name != name {
			path = mounts.Join(folder, row.Name)
		}
		properties[path] = append(properties[path], row.property())
		return nil
	})
	if errors.Is(err, errMore) {
		return nil, true, nil
	}
	return properties, false, err
}

// errMore ends the reading of properties of which there are too many.
var errMore = errors.New("more properties than wanted")

// each reads properties in the order of their names.
func (r *Properties) each(ctx context.Context, where string, args []any, take func(*propertyRow) error) error {
	if err := ctx.Err(); err != nil {
		return db.Failure(err)
	}
	c := r.db.Read(ctx)
	none, err := r.unused.Is(ctx, c)
	if err != nil || none {
		return db.Failure(err)
	}
	query := "SELECT folder, name, space, local, xml FROM dav_properties WHERE " + where + " ORDER BY name, space, local"
	return db.Failure(c.Rows(c.Brief(ctx), query, args, func(scan func(...any) error) error {
		var row propertyRow
		if err := scan(&row.Folder, &row.Name, &row.Space, &row.Local, &row.XML); err != nil {
			return err
		}
		return take(&row)
	}))
}

// Patch stores and removes properties as one.
func (r *Properties) Patch(ctx context.Context, path string, b dav.PropertyBounds, set []dav.Property, remove []dav.PropertyName) error {
	if len(set) > 0 {
		r.unused.Use()
	}
	folder, name := mounts.Parent(path), mounts.Base(path)
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if err := c.Alone(ctx, db.Named("properties of "+path)); err != nil {
			return err
		}
		for _, gone := range remove {
			if _, err := c.Exec(ctx, "DELETE FROM dav_properties WHERE folder = ? AND name = ? AND space = ? AND local = ?",
				folder, name, gone.Space, gone.Name); err != nil {
				return err
			}
		}
		for _, p := range set {
			if _, err := c.Exec(ctx, "INSERT INTO dav_properties (folder, name, space, local, xml) VALUES (?, ?, ?, ?, ?) "+
				"ON CONFLICT (folder, name, space, local) DO UPDATE SET xml = excluded.xml", folder, name, p.Space, p.Name, p.XML); err != nil {
				return err
			}
		}
		var n int
		var bytes int64
		if err := c.Row(ctx, "SELECT COUNT(*), COALESCE(SUM(octet_length(space) + octet_length(local) + octet_length(xml)), 0) FROM dav_properties WHERE folder = ? AND name = ?",
			[]any{folder, name}, &n, &bytes); err != nil {
			return err
		}
		if n > b.Most || bytes > b.Bytes {
			return errProperties
		}
		return nil
	}})
}

var errProperties = &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Text: "properties_many"}

// Copy replaces the properties at and below to by those at and below from.
func (r *Properties) Copy(ctx context.Context, from, to string, alone bool) error {
	return r.copy(ctx, from, to, alone, false)
}

// Move is Copy, after which from has none.
func (r *Properties) Move(ctx context.Context, from, to string) error {
	if err := r.copy(ctx, from, to, false, true); err != nil {
		return err
	}
	return r.portions(ctx, from, dropPortion)
}

// copy is Copy, after which with move the path itself has none.
func (r *Properties) copy(ctx context.Context, from, to string, alone, move bool) error {
	if from == "/" || to == "/" {
		return fmt.Errorf("the root is never copied: %q to %q", from, to)
	}
	if !alone {
		if err := r.portions(ctx, to, dropPortion); err != nil {
			return err
		}
	}
	err := r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if _, err := c.Exec(ctx, dropOne, mounts.Parent(to), mounts.Base(to)); err != nil {
			return err
		}
		_, err := c.Exec(ctx, "INSERT INTO dav_properties (folder, name, space, local, xml) SELECT CAST(? AS TEXT), CAST(? AS TEXT), space, local, xml "+
			"FROM dav_properties WHERE folder = ? AND name = ? ON CONFLICT (folder, name, space, local) DO UPDATE SET xml = excluded.xml", mounts.Parent(to), mounts.Base(to), mounts.Parent(from), mounts.Base(from))
		if err == nil && move {
			_, err = c.Exec(ctx, dropOne, mounts.Parent(from), mounts.Base(from))
		}
		return err
	}})
	if err != nil || alone {
		return err
	}
	cut := utf8.RuneCountInString(from) + 1
	return r.portions(ctx, from, func(ctx context.Context, c *db.Conn, where string, args []any) error {
		_, err := c.Exec(ctx, "INSERT INTO dav_properties (folder, name, space, local, xml) SELECT CAST(? AS TEXT) || substr(folder, CAST(? AS INTEGER)), name, space, local, xml "+
			"FROM dav_properties WHERE "+where+" ON CONFLICT DO NOTHING", append([]any{to, cut}, args...)...)
		return err
	})
}

const dropOne = "DELETE FROM dav_properties WHERE folder = ? AND name = ?"

func dropPortion(ctx context.Context, c *db.Conn, where string, args []any) error {
	_, err := c.Exec(ctx, "DELETE FROM dav_properties WHERE "+where, args...)
	return err
}

// portionBytes is how much one transaction writes of the properties of a tree,
// so that others need not wait for all of them.
const portionBytes = 4 << 20

// portions calls do in a transaction for each part of the properties below a path:
// where picks them. A part holds more than portionBytes by one file at most.
func (r *Properties) portions(ctx context.Context, path string, do func(ctx context.Context, c *db.Conn, where string, args []any) error) error {
	first, behind := below(path)
	const after, inside = "(folder, name) > (?, ?)", " AND (folder = ? OR folder >= ?)"
	for folder, name, more := path, "", true; more; {
		from, bytes := []any{folder, name}, 0
		more = false
		c := r.db.Read(ctx)
		err := c.Rows(c.Brief(ctx), "SELECT folder, name, octet_length(xml) FROM dav_properties WHERE "+after+" AND folder < ?"+inside+" ORDER BY folder, name",
			append(slices.Clip(from), behind, path, first), func(scan func(...any) error) error {
				var row propertyRow
				var size int
				if err := scan(&row.Folder, &row.Name, &size); err != nil {
					return err
				}
				if more = bytes >= portionBytes && (row.Folder != folder || row.Name != name); more {
					return errMore
				}
				folder, name, bytes = row.Folder, row.Name, bytes+size
				return nil
			})
		if err != nil && !errors.Is(err, errMore) {
			return db.Failure(err)
		}
		if bytes == 0 {
			return nil
		}
		args := append(slices.Clip(from), folder, name, path, first)
		if err := r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
			return do(ctx, c, after+" AND (folder, name) <= (?, ?)"+inside, args)
		}}); err != nil {
			return err
		}
	}
	return nil
}

const (
	ofWithin   = "folder = ? AND name = ? OR folder = ? OR folder >= ? AND folder < ?"
	dropWithin = "DELETE FROM dav_properties WHERE " + ofWithin
)

// propertiesIn is the condition for the properties in a region.
func propertiesIn(of dav.Region) (where string, args []any) {
	return inRegion(ofWithin, of, func(path string) []any { return []any{mounts.Parent(path), mounts.Base(path), path} })
}

// Clear removes the properties in a region.
func (r *Properties) Clear(ctx context.Context, of dav.Region) error {
	where, args := propertiesIn(of)
	_, err := r.db.Exec(ctx, "DELETE FROM dav_properties WHERE "+where, args...)
	return err
}

// aside is a folder that no path has: what moves waits there until its new place is
// free, which may lie within the old one.
const aside = "aside"

// Carry moves the properties in a region to another path.
func (r *Properties) Carry(ctx context.Context, from, to dav.Region) error {
	const move = "UPDATE dav_properties SET folder = CASE WHEN folder = ? THEN ? ELSE CAST(? AS TEXT) || substr(folder, CAST(? AS INTEGER)) END WHERE "
	front := func(path string) string { return strings.TrimSuffix(path, "/") }
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		parent, name := mounts.Parent(from.Path), mounts.Base(from.Path)
		if _, err := c.Exec(ctx, "UPDATE dav_properties SET folder = ?, name = '' WHERE folder = ? AND name = ?", aside, parent, name); err != nil {
			return err
		}
		where, args := propertiesIn(from)
		if _, err := c.Exec(ctx, move+where, append([]any{from.Path, aside, aside, utf8.RuneCountInString(front(from.Path)) + 1}, args...)...); err != nil {
			return err
		}
		where, args = propertiesIn(to)
		if _, err := c.Exec(ctx, "DELETE FROM dav_properties WHERE "+where, args...); err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "UPDATE dav_properties SET folder = ?, name = ? WHERE folder = ? AND name = ''", mounts.Parent(to.Path), mounts.Base(to.Path), aside); err != nil {
			return err
		}
		_, err := c.Exec(ctx, move+"folder >= ? AND folder < ?", aside, to.Path, front(to.Path), len(aside)+1, aside, aside+"0")
		return err
	}})
}

// DeleteWithin removes the properties on the paths and below.
func (r *Properties) DeleteWithin(ctx context.Context, paths ...string) error {
	for _, path := range paths {
		if err := r.portions(ctx, path, dropPortion); err != nil {
			return err
		}
	}
	return deleteWithin(ctx, r.db, dropWithin, func(path string) []any { return []any{mounts.Parent(path), mounts.Base(path), path} }, paths)
}
