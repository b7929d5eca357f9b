package treedb

import (
	"context"
	"database/sql"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/mounts/index"
	"pasteport/ports/objstore"
)

const (
	// smallArea is up to how many entries an area is read through instead of
	// asking the index of trigrams, which does not know of areas.
	smallArea = 20_000
	// smallAreaFolders is how many folders make an area large whatever lies in
	// them: to sum up those of a whole storage takes longer than its search.
	smallAreaFolders = 5000
)

// trigram is the length from which the index of trigrams can be asked, in
// characters; pair is that of the shorter texts of which there is an index.
const (
	trigram = 3
	pair    = 2
)

// Search finds matches and reads those that are wanted, from one snapshot.
func (r *Index) Search(ctx context.Context, q index.Query, choose func([]index.Ref) []index.Ref) ([]index.Hit, error) {
	c, end, err := r.db.ReadOnly(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	var refs []index.Ref
	for i := range q.Areas {
		area := &q.Areas[i]
		if area.Storage == "" {
			continue
		}
		found, err := searchArea(ctx, c, &q, area)
		if err != nil {
			return nil, db.Failure(err)
		}
		for _, m := range found {
			refs = append(refs, index.Ref{Area: i, ID: m.N, Rank: index.Rank(m.Rank), Modified: m.Modified})
		}
	}
	hits, err := readHits(ctx, c, choose(refs))
	return hits, db.Failure(err)
}

// match is a row that fits.
type match struct {
	N        int64
	Modified int64
	Rank     int64
}

// searchArea finds at most q.Most matches in an area. When there are more,
// those whose name begins with the text come first.
func searchArea(ctx context.Context, c *db.Conn, q *index.Query, area *index.Area) ([]match, error) {
	var store int64
	err := c.NewSelect().Table("index_storages").Column("n").Where("config_id = ?", area.Storage).Limit(1).Scan(ctx, &store)
	if err == sql.ErrNoRows {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := areaSearch{Conn: c, text: q.Text, sieve: &q.Sieve, area: area, store: store, most: q.Most}
	if area.Prefix != "" {
		if small, err := s.isSmall(ctx); err != nil {
			return nil, err
		} else if small {
			return s.small(ctx)
		}
	}
	first, err := s.beginning(ctx)
	if err != nil || len(first) >= q.Most {
		return first, err
	}
	s.most -= len(first)
	rest, err := s.containing(ctx)
	return append(first, rest...), err
}

// areaSearch is a search in one area.
type areaSearch struct {
	*db.Conn
	text  string
	sieve *index.Sieve
	area  *index.Area
	store int64
	most  int
}

// folded is the column that is compared, in the order of bytes.
func (s *areaSearch) folded() string {
	if s.SQLite {
		return "e.folded"
	}
	return `e.folded COLLATE "C"`
}

// inArea narrows a query over entries e. Where the area is a part of the storage,
// it looks at the folder f of each entry that fits, and at no other: the databases
// would read folders of which nothing fits, too.
func (s *areaSearch) inArea(q *bun.SelectQuery) *bun.SelectQuery {
	q = q.Where("e.store = ?", s.store)
	if s.area.Prefix == "" && len(s.area.Except) == 0 {
		return s.sifted(q)
	}
	if s.SQLite {
		q = q.Join("CROSS JOIN index_folders AS f").Where("f.n = e.folder")
	} else {
		q = q.Join("CROSS JOIN LATERAL (SELECT path FROM index_folders WHERE n = e.folder OFFSET 0) AS f")
	}
	return s.inFolders(q)
}

// inFolders narrows a query over entries e and their folders f.
func (s *areaSearch) inFolders(q *bun.SelectQuery) *bun.SelectQuery {
	if s.area.Prefix != "" {
		from, to := prefixBounds(s.area.Prefix)
		q = q.Where("f.path >= ? AND f.path < ?", from, to)
	}
	for _, except := range s.area.Except {
		from, to := prefixBounds(except)
		folder, name := split(except)
		q = q.Where("NOT (f.path >= ? AND f.path < ?)", from, to).
			Where("NOT (f.path = ? AND e.name IN (?, ?))", folder, name, strings.TrimSuffix(name, "/"))
	}
	return s.sifted(q)
}

// extension is what follows the last dot of a file's name: trimming all other
// characters from the right leaves what stands before it.
const extension = "substr(e.folded, length(rtrim(e.folded, replace(e.folded, '.', ''))) + 1)"

// sifted leaves out the entries e that the sieve stops.
func (s *areaSearch) sifted(q *bun.SelectQuery) *bun.SelectQuery {
	const folder = "e.name LIKE '%/'"
	if s.sieve.Folders {
		q = q.Where(folder)
	}
	if s.sieve.Files {
		q = q.Where("NOT " + folder)
	}
	if len(s.sieve.Extensions) > 0 {
		one := "(e.folded LIKE '%.%' AND " + extension + " IN (?))"
		if s.sieve.None {
			one = "NOT " + one
		}
		q = q.Where(one, bun.List(s.sieve.Extensions))
	}
	if s.sieve.MinSize > 0 {
		q = q.Where("e.size >= ?", s.sieve.MinSize)
	}
	if s.sieve.MaxSize > 0 {
		q = q.Where("e.size <= ?", s.sieve.MaxSize)
	}
	if s.sieve.After > 0 || s.sieve.Before > 0 {
		q = q.Where("e.modified >= ?", max(s.sieve.After, 1))
	}
	if s.sieve.Before > 0 {
		q = q.Where("e.modified <= ?", s.sieve.Before)
	}
	return q
}

// beginning finds the names that begin with the text, the shortest ones first.
func (s *areaSearch) beginning(ctx context.Context) (found []match, err error) {
	table := "index_entries AS e"
	if s.SQLite {
		table += " INDEXED BY index_entries_folded"
	}
	q := s.NewSelect().ColumnExpr("e.n, e.modified, CASE WHEN e.folded = ? THEN 0 ELSE 1 END AS rank", s.text).TableExpr(table).
		Where("? >= ? AND ? < ?", bun.Safe(s.folded()), s.text, bun.Safe(s.folded()), s.text+"\U0010ffff").OrderExpr(s.folded())
	return found, s.inArea(q).Limit(int64(s.most)).Scan(ctx, &found)
}

// containing finds the names that hold the text further behind, those first
// that were noted last.
func (s *areaSearch) containing(ctx context.Context) (found []match, err error) {
	q := s.NewSelect().ColumnExpr("e.n, e.modified, 2 AS rank").
		Where("NOT (? >= ? AND ? < ?)", bun.Safe(s.folded()), s.text, bun.Safe(s.folded()), s.text+"\U0010ffff")
	length := utf8.RuneCountInString(s.text)
	if length == pair {
		few, known, err := s.holdingPair(ctx)
		if err != nil || known && len(few) == 0 {
			return nil, err
		}
		if known {
			q = q.TableExpr("index_entries AS e").Where("e.n IN (?)", bun.List(few)).OrderExpr("e.n DESC")
			return found, s.inArea(q).Limit(int64(s.most)).Scan(ctx, &found)
		}
	}
	switch {
	case !s.SQLite:
		q = q.TableExpr("index_entries AS e").Where(`e.folded LIKE ? ESCAPE '\'`, "%"+db.EscapeLike(s.text)+"%")
		if length < trigram {
			q = q.OrderExpr("e.n DESC")
		}
	case length >= trigram:
		q = q.TableExpr("index_names AS x").Join("CROSS JOIN index_entries AS e").Where("e.n = x.rowid").
			Where("index_names MATCH ?", `"`+strings.ReplaceAll(s.text, `"`, `""`)+`"`).OrderExpr("x.rowid DESC")
	default:
		q = q.TableExpr("index_entries AS e INDEXED BY index_entries_folded").Where("instr(e.folded, ?) > 0", s.text)
	}
	return found, s.inArea(q).Limit(int64(s.most)).Scan(ctx, &found)
}

// fewHolders is how many entries are read one by one; a text that more names hold
// is soon found by going through them.
const fewHolders = 2000

// holdingPair finds the entries of a storage whose name has a text of two
// characters. It is not known when there are many.
//
// On SQLite the trigrams that begin with the text are in all names where a
// character follows it; another index has the ends of names.
func (s *areaSearch) holdingPair(ctx context.Context) (few []int64, known bool, err error) {
	ways := []struct {
		query string
		args  []any
	}{
		{"SELECT doc FROM index_names_terms WHERE term >= ? AND term <= ? LIMIT ?", []any{s.text, s.text + "\U0010ffff", fewHolders + 1}},
		{"SELECT n FROM index_entries WHERE store = ? AND substr(folded, -2) = ? LIMIT ?", []any{s.store, s.text, fewHolders + 1}},
	}
	if !s.SQLite {
		ways = ways[:1]
		ways[0].query = "SELECT n FROM index_entries WHERE store = ? AND name_pairs(folded) @> ARRAY[CAST(? AS TEXT)] LIMIT ?"
		ways[0].args = []any{s.store, s.text, fewHolders + 1}
	}
	for _, way := range ways {
		if err := s.Rows(ctx, way.query, way.args, func(scan func(...any) error) error {
			few = append(few, 0)
			return scan(&few[len(few)-1])
		}); err != nil || len(few) > fewHolders {
			return nil, false, err
		}
	}
	return few, true, nil
}

// isSmall reports whether an area is soon read through.
func (s *areaSearch) isSmall(ctx context.Context) (bool, error) {
	from, to := prefixBounds(s.area.Prefix)
	var folders, entries int64
	err := s.Row(ctx, "SELECT COUNT(*), CAST(COALESCE(SUM(held), 0) AS BIGINT) FROM "+
		"(SELECT files + folders AS held FROM index_folders WHERE store = ? AND path >= ? AND path < ? LIMIT ?) AS below",
		[]any{s.store, from, to, smallAreaFolders}, &folders, &entries)
	return folders < smallAreaFolders && entries <= smallArea, err
}

// small reads through an area.
func (s *areaSearch) small(ctx context.Context) (found []match, err error) {
	position, entries := "strpos", "index_entries AS e"
	if s.SQLite {
		position, entries = "instr", "index_entries AS e INDEXED BY index_entries_name"
	}
	q := s.NewSelect().ColumnExpr("e.n, e.modified, CASE WHEN e.folded = ? THEN 0 WHEN "+position+"(e.folded, ?) = 1 THEN 1 ELSE 2 END AS rank", s.text, s.text).
		TableExpr("index_folders AS f").Join("CROSS JOIN "+entries).Where("e.folder = f.n").
		Where(position+"(e.folded, ?) > 0", s.text).OrderExpr("rank, e.modified DESC, e.n")
	return found, s.inFolders(q.Where("e.store = ? AND f.store = ?", s.store, s.store)).Limit(int64(s.most)).Scan(ctx, &found)
}

// hitRow is a match with its folder.
type hitRow struct {
	N        int64
	Path     string
	Name     string
	Size     int64
	Modified int64
	Etag     string
}

// readHits reads matches in their order.
func readHits(ctx context.Context, c *db.Conn, refs []index.Ref) ([]index.Hit, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(refs))
	for i := range refs {
		ids[i] = refs[i].ID
	}
	var rows []hitRow
	err := c.NewSelect().ColumnExpr("e.n, f.path, e.name, e.size, e.modified, e.etag").TableExpr("index_entries AS e").
		Join("JOIN index_folders AS f ON f.n = e.folder").Where("e.n IN (?)", bun.List(ids)).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*hitRow, len(rows))
	for i := range rows {
		byID[rows[i].N] = &rows[i]
	}
	hits := make([]index.Hit, 0, len(refs))
	for _, ref := range refs {
		row := byID[ref.ID]
		if row == nil {
			continue
		}
		o := objstore.Object{Key: row.Path + row.Name, Size: row.Size, ETag: row.Etag}
		if row.Modified != 0 {
			o.ModTime = db.Time(row.Modified)
		}
		hits = append(hits, index.Hit{Ref: ref, Object: o})
	}
	return hits, nil
}
