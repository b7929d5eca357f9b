package sharedb

import (
	"context"
	"sync/atomic"

	"pasteport/adapters/bunstore/internal/db"
)

// On SQLite a new text is written to the indexes that every create needs, and to no
// other: each index and each count is one more page in the log. The sort indexes,
// the counts and the list of what the index of texts has to look at take many at
// once, by the create that comes after some others. Until then the texts are fresh,
// and lists look at them beside the indexes.

const (
	settledRows = "settled = 1"
	freshRows   = "settled = 0 AND n > (SELECT n FROM index_pastes_settled)"
	// freshPastes are the fresh texts as a table: they are found by their number.
	freshPastes = "pastes NOT INDEXED"
)

const (
	// settleEvery is how many texts are fresh before a create settles them.
	settleEvery = 64
	// settleMost is how many are settled in one transaction. More are fresh only
	// after records were carried over from elsewhere.
	settleMost = 512
)

// settling settles the texts of a SQLite file.
type settling struct{ last atomic.Int64 } // up to which number they were, perhaps

// after is what the create of a text with this number does for those before it.
func (s *settling) after(ctx context.Context, c *db.Conn, n int64) error {
	if last := s.last.Load(); !c.SQLite || n >= last && n < last+settleEvery {
		return nil
	}
	settled, err := settle(ctx, c, n, settleEvery)
	if err == nil {
		s.last.Store(settled)
	}
	return err
}

// settle settles texts up to a number when there may be so many, and returns up to
// which they are.
func settle(ctx context.Context, c *db.Conn, to, least int64) (settled int64, err error) {
	if err := c.Row(ctx, "SELECT n FROM index_pastes_settled", nil, &settled); err != nil || to < settled+least {
		return settled, err
	}
	to = min(to, settled+settleMost)
	const these = " FROM " + freshPastes + " WHERE n > ? AND n <= ? AND settled = 0"
	for _, statement := range []string{
		"INSERT INTO share_counts (kind, created_by, day, part, listed, protected, limited) " +
			"SELECT '" + pasteKind + "', created_by, created_at / 86400000, 0, count(*), sum(password_hash <> ''), sum(max_views > 0)" + these + " AND " + listed + " GROUP BY created_by, created_at / 86400000 " +
			"ON CONFLICT DO UPDATE SET listed = listed + excluded.listed, protected = protected + excluded.protected, limited = limited + excluded.limited",
		"INSERT INTO share_ends (kind, created_by, day, part, listed) " +
			"SELECT '" + pasteKind + "', created_by, expires_at / 86400000, 0, count(*)" + these + " AND expires_at IS NOT NULL AND " + listed + " GROUP BY created_by, expires_at / 86400000 " +
			"ON CONFLICT DO UPDATE SET listed = listed + excluded.listed",
		"INSERT INTO index_pastes_due (n) SELECT n" + these + " ON CONFLICT DO NOTHING",
		"UPDATE pastes SET settled = 1 WHERE n > ? AND n <= ? AND settled = 0",
	} {
		if _, err := c.Exec(ctx, statement, settled, to); err != nil {
			return settled, err
		}
	}
	_, err = c.Exec(ctx, "UPDATE index_pastes_settled SET n = ?", to)
	return to, err
}

// settleAll settles all texts, some at a time.
func settleAll(ctx context.Context, d *db.DB) error {
	for d.SQLite() && ctx.Err() == nil {
		var settled, last int64
		if err := d.Read(ctx).Row(ctx, "SELECT n, (SELECT coalesce(max(n), 0) FROM pastes) FROM index_pastes_settled", nil, &settled, &last); err != nil || last <= settled {
			return db.Failure(err)
		}
		if err := d.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
			_, err := settle(ctx, c, last, 1)
			return err
		}}); err != nil {
			return err
		}
	}
	return nil
}
