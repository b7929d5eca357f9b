package sharedb

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports"
)

// previewRunes is how much of the content a list shows: 200 characters and one
// more, which says that there is more.
const previewRunes = 201

type pasteRow struct {
	bun.BaseModel `bun:"table:pastes,alias:pastes"`
	ID            string `bun:",pk"`
	Slug          string
	Size          int64
	Preview       string
	Syntax        string
	Remark        string
	gateRow
	CreatedBy string
	CreatedAt int64
	UpdatedAt int64
	Version   int64

	Content []byte `bun:"-"` // lies in paste_contents
}

func newPasteRow(p *shares.Paste) *pasteRow {
	return &pasteRow{
		ID: p.ID, Slug: p.Slug, Size: p.Size, Preview: preview(p.Content), Syntax: p.Syntax, Remark: p.Remark,
		gateRow: newGateRow(&p.Gate), CreatedBy: p.CreatedBy, CreatedAt: db.Millis(p.CreatedAt), UpdatedAt: db.Millis(p.UpdatedAt),
		Version: p.Version, Content: p.Content,
	}
}

func (r *pasteRow) paste() *shares.Paste {
	return &shares.Paste{
		ID: r.ID, Slug: r.Slug, Content: r.Content, Size: r.Size, Syntax: r.Syntax, Remark: r.Remark, Gate: r.gate(),
		CreatedBy: r.CreatedBy, CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt), Version: r.Version,
	}
}

// preview returns the first characters of content in a form that a text column
// can hold.
func preview(content []byte) string {
	text := string(content[:min(len(content), 4*previewRunes)])
	n := 0
	for i := range text {
		if n == previewRunes {
			text = text[:i]
			break
		}
		n++
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

var (
	_ shares.PasteRepository        = (*Pastes)(nil)
	_ cleanup.Remains[cleanup.Seen] = (*Pastes)(nil)
)

// Pastes stores pastes. A paste is a row in pastes and its content another in
// paste_contents; the content is gone once the paste is erased.
type Pastes struct {
	db       *db.DB
	table    db.Table[shares.Paste, pasteRow]
	settling settling
}

// NewPastes returns the repository of pastes.
func NewPastes(d *db.DB) *Pastes {
	return &Pastes{db: d, table: db.NewTable(d, "pastes", newPasteRow, (*pasteRow).paste)}
}

const (
	pasteHead = "p.id, p.slug, p.size, p.syntax, p.remark, p.password_hash, p.expires_at, p.max_views, p.views, " +
		"p.used_up_at, p.erased_at, p.key_only, p.slide_ms, p.slide_until, p.created_by, p.created_at, p.updated_at, p.version"
	pasteColumns = pasteHead + ", c.content"
	pasteJoin    = " FROM pastes p LEFT JOIN paste_contents c ON c.n = p.n"

	insertPaste = "INSERT INTO pastes (id, slug, size, preview, syntax, remark, password_hash, expires_at, max_views, views, " +
		"used_up_at, erased_at, key_only, slide_ms, slide_until, created_by, created_at, updated_at, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	insertContent = "INSERT INTO paste_contents (n, content) VALUES (?, ?)"
)

// Insert stores a new paste; Conflict with key slug_taken when its slug exists.
func (r *Pastes) Insert(ctx context.Context, p *shares.Paste) error {
	row := newPasteRow(p)
	return r.db.Write(ctx, db.Work{Whole: true, Do: func(ctx context.Context, c *db.Conn) error {
		n, err := c.Insert(ctx, insertPaste,
			row.ID, row.Slug, row.Size, row.Preview, row.Syntax, row.Remark, row.PasswordHash, row.ExpiresAt, row.MaxViews,
			row.Views, row.UsedUpAt, row.ErasedAt, row.KeyOnly, row.SlideMs, row.SlideUntil, row.CreatedBy, row.CreatedAt, row.UpdatedAt, row.Version)
		if err == nil && row.Content != nil {
			_, err = c.Exec(ctx, insertContent, n, row.Content)
		}
		if err != nil {
			return err
		}
		return r.settling.after(ctx, c, n)
	}})
}

// Get returns the paste with its content.
func (r *Pastes) Get(ctx context.Context, id string) (*shares.Paste, error) {
	return r.one(ctx, r.db.Read(ctx), "SELECT "+pasteColumns+pasteJoin+" WHERE p.id = ?", id)
}

// BySlug returns the paste with its content, whatever its state.
func (r *Pastes) BySlug(ctx context.Context, slug string) (*shares.Paste, error) {
	return r.one(ctx, r.db.Read(ctx), "SELECT "+pasteColumns+pasteJoin+" WHERE p.slug = ?", slug)
}

// smallContent is the content of pastes that are not large; of the others it is
// not even read.
var smallContent = ", CASE WHEN p.size <= " + strconv.Itoa(shares.LargeContent) + " THEN c.content END"

// Visited returns the paste, with its content unless it is large.
func (r *Pastes) Visited(ctx context.Context, slug string) (*shares.Paste, error) {
	return r.one(ctx, r.db.Read(ctx), "SELECT "+pasteHead+smallContent+pasteJoin+" WHERE p.slug = ?", slug)
}

// Content returns the content of a paste that still has this version.
func (r *Pastes) Content(ctx context.Context, id string, version int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, db.Failure(err)
	}
	c := r.db.Read(ctx)
	var content []byte
	err := c.Row(c.Brief(ctx), "SELECT c.content FROM pastes p JOIN paste_contents c ON c.n = p.n WHERE p.id = ? AND p.version = ?",
		[]any{id, version}, &content)
	return content, db.Failure(err)
}

func (r *Pastes) one(ctx context.Context, c *db.Conn, query, arg string) (*shares.Paste, error) {
	if err := ctx.Err(); err != nil {
		return nil, db.Failure(err)
	}
	var row pasteRow
	err := c.Row(c.Brief(ctx), query, []any{arg}, &row.ID, &row.Slug, &row.Size, &row.Syntax, &row.Remark,
		&row.PasswordHash, &row.ExpiresAt, &row.MaxViews, &row.Views, &row.UsedUpAt, &row.ErasedAt, &row.KeyOnly, &row.SlideMs, &row.SlideUntil, &row.CreatedBy,
		&row.CreatedAt, &row.UpdatedAt, &row.Version, &row.Content)
	if err != nil {
		return nil, db.Failure(err)
	}
	return row.paste(), nil
}

// pasteListRow is a paste with its content where the list asks for it.
type pasteListRow struct {
	pasteRow `bun:",extend"`
	Whole    []byte `bun:",scanonly"`
}

// lightPastes are texts of which many can be looked through at once.
const lightPastes = "size <= 16384"

// List returns a page of pastes, newest first.
func (r *Pastes) List(ctx context.Context, f shares.PasteFilter) (ports.Page[shares.Paste], error) {
	c := r.db.Read(ctx)
	narrow := func(q *bun.SelectQuery, state string) *bun.SelectQuery {
		q = inState(q.Where(listed), state, f.Sort.Now)
		switch {
		case f.Search == "":
		case f.SearchAll && c.SQLite:
			q = db.Contains(c, q, f.Search, "slug", "remark", "(SELECT CAST(content AS TEXT) FROM paste_contents c WHERE c.n = pastes.n)")
		case f.SearchAll:
			q = db.Contains(c, q, f.Search, "slug", "remark", "(SELECT paste_text(content) FROM paste_contents c WHERE c.n = pastes.n)")
		default:
			q = db.Contains(c, q, f.Search, "slug", "remark", "substr(preview, 1, 200)")
		}
		return q
	}
	list := sharesOf(f.Sort, db.Listing{Conn: c, Table: "pastes", Narrow: narrow, Owner: f.CreatedBy,
		Searched: f.Search != "", Whole: f.CreatedBy == "", Index: func(ctx context.Context) (db.Narrowing, error) { return pasteTexts.candidates(ctx, c, f.Search, false) }, Light: lightPastes}, true, kept{c, pasteKind, "pastes"})
	found, total, err := list.Page(ctx, f.Paging)
	page := ports.Page[shares.Paste]{Items: []shares.Paste{}, Total: total}
	if err != nil || len(found) == 0 {
		return page, err
	}
	var rows []pasteListRow
	q := list.Read(c.NewSelect().Model(&rows), found).Column("id", "slug", "size", "syntax", "remark", "password_hash",
		"expires_at", "max_views", "views", "used_up_at", "erased_at", "key_only", "slide_ms", "slide_until", "created_by", "created_at", "updated_at", "version")
	switch f.Content {
	case shares.ContentPreview:
		q = q.Column("preview")
	case shares.WholeContent:
		q = q.ColumnExpr("(SELECT content FROM paste_contents c WHERE c.n = pastes.n) AS whole")
	}
	if err := q.Scan(ctx); err != nil {
		return page, db.Failure(err)
	}
	page.Items = make([]shares.Paste, len(rows))
	for i := range rows {
		row := &rows[i]
		switch f.Content {
		case shares.ContentPreview:
			row.Content = []byte(row.Preview)
		case shares.WholeContent:
			row.Content = row.Whole
		}
		page.Items[i] = *row.paste()
	}
	return page, nil
}

// Update loads, changes and saves a paste with its content.
func (r *Pastes) Update(ctx context.Context, id string, change func(*shares.Paste) error) (*shares.Paste, error) {
	var p *shares.Paste
	err := r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) (err error) {
		if err := lockPaste(ctx, c, id); err != nil {
			return err
		}
		p, err = r.one(ctx, c, "SELECT "+pasteColumns+pasteJoin+" WHERE p.id = ?", id)
		if err != nil {
			return err
		}
		old := bytes.Clone(p.Content)
		if err := change(p); err != nil {
			return err
		}
		p.ID = id
		row := newPasteRow(p)
		if _, err := c.NewUpdate().Model(row).Where("id = ?", id).Exec(ctx); err != nil {
			return err
		}
		if bytes.Equal(old, row.Content) && (old == nil) == (row.Content == nil) {
			return nil
		}
		return r.saveContent(ctx, c, id, row.Content)
	}})
	if err != nil {
		return nil, err
	}
	return newPasteRow(p).paste(), nil
}

// lockPaste keeps a paste and its content from concurrent changes.
func lockPaste(ctx context.Context, c *db.Conn, id string) error {
	if c.SQLite {
		return nil
	}
	_, err := c.Exec(ctx, "SELECT 1 FROM pastes WHERE id = ? FOR UPDATE", id)
	return err
}

func (r *Pastes) saveContent(ctx context.Context, c *db.Conn, id string, content []byte) error {
	if content == nil {
		_, err := c.Exec(ctx, "DELETE FROM paste_contents WHERE n = (SELECT n FROM pastes WHERE id = ?)", id)
		return err
	}
	_, err := c.Exec(ctx, "INSERT INTO paste_contents (n, content) SELECT n, CAST(? AS "+blob(c)+") FROM pastes WHERE id = ? "+
		"ON CONFLICT (n) DO UPDATE SET content = excluded.content", content, id)
	return err
}

func blob(c *db.Conn) string {
	if c.SQLite {
		return "BLOB"
	}
	return "BYTEA"
}

// Delete reports how many of the ids existed; the contents go with them.
func (r *Pastes) Delete(ctx context.Context, ids ...string) (int, error) {
	return r.table.Delete(ctx, ids...)
}

// TakeView counts one view; Gone when none is left.
func (r *Pastes) TakeView(ctx context.Context, id string, now time.Time) (int64, error) {
	return takeView(ctx, r.db, "pastes", id, now)
}

// AddViews adds counted views of unlimited pastes.
func (r *Pastes) AddViews(ctx context.Context, views map[string]int64) error {
	return addViews(ctx, r.db, "pastes", views)
}

// Erasable lists pastes whose content may go.
func (r *Pastes) Erasable(ctx context.Context, usedBefore, expiredBefore time.Time, after string, limit int) ([]cleanup.Seen, string, error) {
	return remains{r.db, "pastes", seenColumns, erasable(usedBefore, expiredBefore)}.seen(ctx, after, limit)
}

// Erase removes the contents of those that are as they were seen, and keeps the
// records.
func (r *Pastes) Erase(ctx context.Context, now time.Time, seen ...cleanup.Seen) (int, error) {
	n := 0
	err := r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		n = 0
		for some := range slices.Chunk(seen, db.Chunk) {
			var rows []int64
			q := asSeen(c.NewUpdate().Table("pastes").Set("erased_at = ?", db.Millis(now)).Set("preview = ''"), some)
			if err := q.Returning("n").Scan(ctx, &rows); err != nil {
				return err
			}
			if n += len(rows); len(rows) == 0 {
				continue
			}
			if _, err := c.NewDelete().Table("paste_contents").Where("n IN (?)", bun.List(rows)).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	}})
	return n, err
}

// Purge deletes records erased before the given time.
func (r *Pastes) Purge(ctx context.Context, erasedBefore time.Time, limit int) (int, error) {
	return r.db.Exec(ctx, "DELETE FROM pastes WHERE n IN (SELECT n FROM pastes WHERE erased_at IS NOT NULL AND erased_at < ? LIMIT ?)", db.Millis(erasedBefore), limit)
}

// ClearExpired deletes pastes that are expired or used up and not yet erased.
func (r *Pastes) ClearExpired(ctx context.Context, now time.Time) (gone int, err error) {
	for _, ended := range []string{"used_up_at IS NOT NULL", "expires_at IS NOT NULL AND expires_at <= " + strconv.FormatInt(db.Millis(now), 10)} {
		for { // some at a time, so that others can write
			n, err := r.db.Exec(ctx, "DELETE FROM pastes WHERE n IN (SELECT n FROM pastes WHERE erased_at IS NULL AND "+ended+" LIMIT ?)", db.Chunk)
			if gone += n; err != nil || ctx.Err() != nil {
				return gone, db.Failure(cmp.Or(err, ctx.Err()))
			}
			if n < db.Chunk {
				break
			}
		}
	}
	return gone, nil
}

// CountByDay counts the listed pastes, and those made on each of the last days.
func (r *Pastes) CountByDay(ctx context.Context, now time.Time, days int) (int, []int, error) {
	return countByDay(ctx, r.db, pasteKind, now, days)
}
