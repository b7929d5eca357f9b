package sharedb

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/domain/shares/revisions"
)

var _ revisions.Repository = (*Revisions)(nil)

// Revisions stores earlier contents of pastes. They hang on the present content,
// and the database removes them with it.
type Revisions struct{ db *db.DB }

// NewRevisions returns the repository of earlier contents.
func NewRevisions(d *db.DB) *Revisions { return &Revisions{d} }

// presentRevision is the content of a paste as it stands.
const presentRevision = "SELECT p.n, p.version, p.size, COALESCE(NULLIF(c.edited_by, ''), p.created_by), COALESCE(c.edited_at, p.created_at), c.keep_none" +
	" FROM pastes p JOIN paste_contents c ON c.n = p.n WHERE p.id = ?"

// present reads it, without its bytes; sql.ErrNoRows for an unknown or erased paste.
func present(ctx context.Context, c *db.Conn, pasteID string) (n int64, off bool, r revisions.Revision, err error) {
	var at int64
	err = c.Row(ctx, presentRevision, []any{pasteID}, &n, &r.Version, &r.Size, &r.EditedBy, &at, &off)
	r.EditedAt = db.Time(at)
	return n, off, r, err
}

// Keep keeps the present content and notes who replaces it.
func (r *Revisions) Keep(ctx context.Context, e shares.Edit) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if err := lockPaste(ctx, c, e.PasteID); err != nil {
			return err
		}
		n, off, old, err := present(ctx, c, e.PasteID)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		var content []byte
		if err := c.Row(ctx, "SELECT content FROM paste_contents WHERE n = ?", []any{n}, &content); err != nil {
			return err
		}
		if bytes.Equal(content, e.Content) {
			return nil
		}
		if _, err := c.Exec(ctx, "UPDATE paste_contents SET edited_by = ?, edited_at = ? WHERE n = ?", e.By, db.Millis(e.At), n); err != nil {
			return err
		}
		if off || e.Most == 0 {
			return nil
		}
		if _, err := c.Exec(ctx, "INSERT INTO paste_revisions (n, version, size, edited_by, edited_at, content) VALUES (?, ?, ?, ?, ?, ?)",
			n, old.Version, old.Size, old.EditedBy, db.Millis(old.EditedAt), content); err != nil {
			return err
		}
		_, err = db.Newest(ctx, c, "paste_revisions", n, e.Most, e.Bytes)
		return err
	}})
}

// History lists what is kept of a paste, newest first.
func (r *Revisions) History(ctx context.Context, pasteID string) (h revisions.History, err error) {
	c := r.db.Read(ctx)
	var n int64
	if n, h.Off, h.Current, err = present(ctx, c, pasteID); err != nil {
		return revisions.History{}, db.Failure(err)
	}
	err = c.Rows(ctx, "SELECT version, size, edited_by, edited_at FROM paste_revisions WHERE n = ? ORDER BY version DESC", []any{n},
		func(scan func(...any) error) error {
			var one revisions.Revision
			var at int64
			if err := scan(&one.Version, &one.Size, &one.EditedBy, &at); err != nil {
				return err
			}
			one.EditedAt = db.Time(at)
			h.Earlier = append(h.Earlier, one)
			return nil
		})
	return h, db.Failure(err)
}

// Get returns an earlier content.
func (r *Revisions) Get(ctx context.Context, pasteID string, version int64) (*revisions.Revision, error) {
	c := r.db.Read(ctx)
	one := revisions.Revision{Version: version}
	var at int64
	err := c.Row(ctx, "SELECT r.size, r.edited_by, r.edited_at, r.content FROM paste_revisions r JOIN pastes p ON p.n = r.n WHERE p.id = ? AND r.version = ?",
		[]any{pasteID, version}, &one.Size, &one.EditedBy, &at, &one.Content)
	if err != nil {
		return nil, db.Failure(err)
	}
	one.EditedAt = db.Time(at)
	return &one, nil
}

// Switch says whether edits of a paste keep what they replace.
func (r *Revisions) Switch(ctx context.Context, pasteID string, off bool) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if err := lockPaste(ctx, c, pasteID); err != nil {
			return err
		}
		n, _, _, err := present(ctx, c, pasteID)
		if err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "UPDATE paste_contents SET keep_none = ? WHERE n = ?", off, n); err != nil || !off {
			return err
		}
		_, err = c.Exec(ctx, "DELETE FROM paste_revisions WHERE n = ?", n)
		return err
	}})
}

// Forget removes contents that were replaced before a time.
func (r *Revisions) Forget(ctx context.Context, before time.Time, limit int) (int, error) {
	return r.db.Exec(ctx, "DELETE FROM paste_revisions WHERE (n, version) IN ("+db.Replaced("paste_revisions", "paste_contents")+")",
		db.Millis(before), db.Millis(before), limit)
}
