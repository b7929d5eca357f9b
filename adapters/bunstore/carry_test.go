//go:build !windows

package bunstore_test

import (
	"path/filepath"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/mounts/history"
	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/portstest"
	"pasteport/ports/revision"
)

// Rows that belong to others come along from one database to the other and back:
// versions of files, and what links remember.
func TestReliability3_3_WhatBelongsToOthersIsCarried(t *testing.T) {
	clock := portstest.NewClock()
	at := clock.Now().Truncate(time.Millisecond).UTC()
	file := history.Object{ConfigID: "storage", Key: "a/文.txt"}
	content := "\x00words\xff"
	kept := history.Kept{Revision: revision.Revision{Version: 1, Size: int64(len(content)), Content: []byte(content), EditedAt: at}, ETag: "e1"}
	stands := []collections.Stand{{Path: "a/文", Size: 1 << 40, ETag: "e", Modified: at}, {Path: "b", Size: 2, Modified: at}}
	download := func(s *bunstore.Store, name string) error {
		return s.Collections().TakeDownload(t.Context(), "link", collections.Download{Name: name, At: at, Since: at.Add(-time.Hour), Forget: at.Add(-2 * time.Hour)})
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(s *bunstore.Store) {
		t.Helper()
		got, err := s.History().Get(t.Context(), file, 1)
		must(err)
		if string(got.Content) != content || got.ETag != kept.ETag || !got.EditedAt.Equal(at) {
			t.Errorf("a version: %+v", got)
		}
		off, err := s.History().Noted(t.Context(), history.Object{ConfigID: "storage", Key: "off"})
		must(err)
		if !off.Off {
			t.Error("a file whose edits keep nothing keeps them now")
		}
		link, err := s.Collections().Get(t.Context(), "link")
		must(err)
		if !link.Stood || link.MaxDownloads != 1 || link.Downloads != 1 {
			t.Errorf("a link: %+v", link)
		}
		stood, err := s.Collections().Stands(t.Context(), "link", "")
		must(err)
		if len(stood) != 2 || stood[0].Path != stands[0].Path || stood[0].Size != stands[0].Size || !stood[0].Modified.Equal(at) {
			t.Errorf("what a folder was: %+v", stood)
		}
		must(download(s, "first")) // counted before
		if err := download(s, "second"); !ports.Is(err, ports.Gone) {
			t.Errorf("a download too many: %v", err)
		}
	}

	dir := t.TempDir()
	from := filepath.Join(dir, "from.db")
	s, err := bunstore.Open(t.Context(), bunstore.Options{URL: from, Clock: clock, Logger: bunstoretest.Quiet()})
	must(err)
	must(s.StorageConfigs().Insert(t.Context(), &storage.Config{ID: "storage", Name: "mine", Driver: "local", CreatedAt: at, UpdatedAt: at}))
	must(s.History().Keep(t.Context(), file, kept))
	must(s.History().Switch(t.Context(), history.Object{ConfigID: "storage", Key: "off"}, true))
	must(s.Collections().Insert(t.Context(), &collections.Collection{ID: "link", Slug: "link", Root: "/m", Stood: true, MaxDownloads: 1, Gate: shares.Gate{}, CreatedAt: at, UpdatedAt: at}))
	must(s.Collections().KeepStands(t.Context(), "link", stands))
	must(download(s, "first"))
	check(s)
	must(s.Close())

	url := portstest.Postgres(t)
	must(bunstore.Import(t.Context(), from, url))
	on := bunstoretest.Open(t, url, clock)
	check(on)
	// New rows go on behind the carried ones.
	must(on.History().Keep(t.Context(), history.Object{ConfigID: "storage", Key: "new"}, kept))
	back := filepath.Join(dir, "back.db")
	must(bunstore.Export(t.Context(), url, back))
	check(bunstoretest.Open(t, back, clock))
}
