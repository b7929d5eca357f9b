package domaintest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pasteport/domain/shares"
	"pasteport/domain/shares/revisions"
	"pasteport/ports"
)

// RunRevisions checks a repository of earlier contents of pastes.
func RunRevisions(t *testing.T, open OpenStores) {
	// edit gives the paste a content in the way that shares.Pastes does.
	edit := func(t *testing.T, s Stores, by, content string, minutes, most int, bytes int64) {
		t.Helper()
		must(t, s.Unit.Do(t.Context(), func(ctx context.Context) error {
			err := s.Revisions.Keep(ctx, shares.Edit{PasteID: testID(1), Content: []byte(content), By: by, At: minute(minutes), Most: most, Bytes: bytes})
			return errors.Join(err, second(s.Pastes.Update(ctx, testID(1), func(p *shares.Paste) error {
				p.Content, p.Size, p.Version = []byte(content), int64(len(content)), p.Version+1
				return nil
			})))
		}))
	}
	begin := func(t *testing.T) Stores {
		s := open(t)
		must(t, s.Pastes.Insert(t.Context(), openPaste(1, func(p *shares.Paste) {
			p.Content, p.Size, p.Version, p.CreatedBy, p.CreatedAt = []byte("one"), 3, 1, "admin", minute(1)
		})))
		return s
	}
	history := func(t *testing.T, s Stores) revisions.History {
		t.Helper()
		h, err := s.Revisions.History(t.Context(), testID(1))
		must(t, err)
		return h
	}
	of := func(version, size int64, by string, minutes int) revisions.Revision {
		return revisions.Revision{Version: version, Size: size, EditedBy: by, EditedAt: minute(minutes)}
	}
	missing := func(t *testing.T, s Stores, version int64) {
		t.Helper()
		_, err := s.Revisions.Get(t.Context(), testID(1), version)
		wantCode(t, err, ports.NotFound, "not_found")
	}

	t.Run("an edit keeps what it replaces, with who wrote that and when", func(t *testing.T) {
		s := begin(t)
		equal(t, history(t, s), revisions.History{Current: of(1, 3, "admin", 1)})
		edit(t, s, "apikey:k1", "three", 5, 9, 99)
		edit(t, s, "apikey:k2", "seven", 6, 9, 99)
		equal(t, history(t, s), revisions.History{Current: of(3, 5, "apikey:k2", 6),
			Earlier: []revisions.Revision{of(2, 5, "apikey:k1", 5), of(1, 3, "admin", 1)}})
		got, err := s.Revisions.Get(t.Context(), testID(1), 1)
		must(t, err)
		want := of(1, 3, "admin", 1)
		want.Content = []byte("one")
		equal(t, *got, want)
		missing(t, s, 3)
		missing(t, s, 9)
	})
	t.Run("the same content is no edit, nor is one that fails", func(t *testing.T) {
		s := begin(t)
		edit(t, s, "apikey:k1", "one", 5, 9, 99)
		failure := errors.New("no")
		err := s.Unit.Do(t.Context(), func(ctx context.Context) error {
			must(t, s.Revisions.Keep(ctx, shares.Edit{PasteID: testID(1), Content: []byte("two"), By: "apikey:k1", At: minute(6), Most: 9, Bytes: 99}))
			return failure
		})
		if !errors.Is(err, failure) {
			t.Fatal(err)
		}
		equal(t, history(t, s), revisions.History{Current: of(2, 3, "admin", 1)})
	})
	t.Run("the newest stay, as many and as large as is allowed", func(t *testing.T) {
		s := begin(t)
		edit(t, s, "a", "22", 2, 2, 99)
		edit(t, s, "a", "333", 3, 2, 99)
		edit(t, s, "a", "4444", 4, 2, 99)
		equal(t, history(t, s).Earlier, []revisions.Revision{of(3, 3, "a", 3), of(2, 2, "a", 2)})
		edit(t, s, "a", "55555", 5, 9, 8)
		equal(t, history(t, s).Earlier, []revisions.Revision{of(4, 4, "a", 4), of(3, 3, "a", 3)})
		edit(t, s, "a", "6", 6, 0, 8)
		equal(t, history(t, s), revisions.History{Current: of(6, 1, "a", 6), Earlier: []revisions.Revision{of(4, 4, "a", 4), of(3, 3, "a", 3)}})
	})
	t.Run("a paste that keeps none loses those it has", func(t *testing.T) {
		s := begin(t)
		edit(t, s, "a", "two", 2, 9, 99)
		must(t, s.Revisions.Switch(t.Context(), testID(1), true))
		edit(t, s, "b", "three", 3, 9, 99)
		equal(t, history(t, s), revisions.History{Off: true, Current: of(3, 5, "b", 3)})
		must(t, s.Revisions.Switch(t.Context(), testID(1), false))
		edit(t, s, "c", "four", 4, 9, 99)
		equal(t, history(t, s), revisions.History{Current: of(4, 4, "c", 4), Earlier: []revisions.Revision{of(3, 5, "b", 3)}})
		wantCode(t, s.Revisions.Switch(t.Context(), testID(2), true), ports.NotFound, "not_found")
	})
	t.Run("none is left of a paste that keeps none, whoever edits it meanwhile", func(t *testing.T) {
		s := begin(t)
		for round := range 20 {
			must(t, s.Revisions.Switch(t.Context(), testID(1), false))
			atOnce(2, func(n int) {
				if n == 0 {
					edit(t, s, "a", fmt.Sprint(round), 2, 9, 99)
				} else {
					must(t, s.Revisions.Switch(t.Context(), testID(1), true))
				}
			})
			h := history(t, s)
			equal(t, len(h.Earlier), 0)
			equal(t, h.Off, true)
		}
	})
	t.Run("they go with their time", func(t *testing.T) {
		s := begin(t)
		for i, content := range []string{"2", "3", "4"} {
			edit(t, s, "a", content, i+2, 9, 99)
		}
		n, err := s.Revisions.Forget(t.Context(), minute(4), 1)
		must(t, err)
		equal(t, n, 1)
		n, err = s.Revisions.Forget(t.Context(), minute(4), 9)
		must(t, err)
		equal(t, n, 1)
		equal(t, history(t, s).Earlier, []revisions.Revision{of(3, 1, "a", 3)})
	})
	t.Run("they go with the content, erased or deleted", func(t *testing.T) {
		for name, end := range map[string]func(t *testing.T, s Stores) error{
			"erased": func(t *testing.T, s Stores) error {
				return second(s.PasteRemains.Erase(t.Context(), minute(9), sawPaste(t, s, 1)))
			},
			"deleted": func(t *testing.T, s Stores) error { return second(s.Pastes.Delete(t.Context(), testID(1))) },
		} {
			t.Run(name, func(t *testing.T) {
				s := begin(t)
				edit(t, s, "a", "two", 2, 9, 99)
				must(t, end(t, s))
				_, err := s.Revisions.History(t.Context(), testID(1))
				wantCode(t, err, ports.NotFound, "not_found")
				missing(t, s, 1)
			})
		}
	})
}

// second is the error of a call that returns something else, too.
func second[T any](_ T, err error) error { return err }
