package bunstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/ports/portstest"
)

// The goal for durable creates is half of what SQLite itself does with as many
// rows in one transaction: compare BenchmarkPasteInsert32 with
// BenchmarkRawGrouped, and BenchmarkPasteInsert1 with BenchmarkRawSingle.

var benchIDs atomic.Int64

func benchPaste() *shares.Paste {
	n := benchIDs.Add(1)
	h := uint64(n) * 0x9E3779B97F4A7C15 // slugs are random, ids are ordered
	content := make([]byte, 1024)
	for i := range content {
		content[i] = 'a' + byte(i%26)
	}
	return &shares.Paste{
		ID: fmt.Sprintf("0199a2b3-%04x-7000-8000-%012x", n>>16&0xffff, n), Slug: fmt.Sprintf("%016x", h)[:10], Content: content, Size: 1024,
		CreatedBy: "apikey:0199a2b3-0000-7000-8000-000000000001", CreatedAt: portstest.Start, UpdatedAt: portstest.Start, Version: 1,
	}
}

func BenchmarkPasteInsert1(b *testing.B) {
	r := bunstoretest.SQLite(b).Pastes()
	for b.Loop() {
		if err := r.Insert(context.Background(), benchPaste()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPasteInsert32(b *testing.B) { insert32(b, bunstoretest.SQLite(b)) }

func insert32(b *testing.B, s *bunstore.Store) {
	r := s.Pastes()
	b.ReportAllocs()
	b.SetParallelism(16) // times GOMAXPROCS
	before := bunstoretest.CPU(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := r.Insert(context.Background(), benchPaste()); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64((bunstoretest.CPU(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
}

// BenchmarkRawGrouped inserts the same rows with database/sql alone, 32 in a
// transaction.
func BenchmarkRawGrouped(b *testing.B) { rawInserts(b, 32) }

// BenchmarkRawSingle gives every row a transaction of its own.
func BenchmarkRawSingle(b *testing.B) { rawInserts(b, 1) }

func rawInserts(b *testing.B, group int) {
	path := filepath.Join(b.TempDir(), "raw.db")
	if err := bunstoretest.Open(b, path, portstest.NewClock()).Close(); err != nil { // makes the tables
		b.Fatal(err)
	}
	p, err := db.OpenPool(b.Context(), path, 1, "_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	paste, err := p.DB.Prepare("INSERT INTO pastes (id, slug, size, preview, syntax, remark, password_hash, expires_at, max_views, views, " +
		"used_up_at, erased_at, created_by, created_at, updated_at, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		b.Fatal(err)
	}
	content, err := p.DB.Prepare("INSERT INTO paste_contents (n, content) VALUES (?, ?)")
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	before := bunstoretest.CPU(b)
	for done := 0; done < b.N; {
		tx, err := p.DB.Begin()
		if err != nil {
			b.Fatal(err)
		}
		for i := 0; i < group && done < b.N; i, done = i+1, done+1 {
			rawInsert(b, tx.Stmt(paste), tx.Stmt(content))
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((bunstoretest.CPU(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
}

func rawInsert(b *testing.B, paste, content *sql.Stmt) {
	p := benchPaste()
	at := p.CreatedAt.UnixMilli()
	result, err := paste.Exec(p.ID, p.Slug, p.Size, string(p.Content[:201]), p.Syntax, p.Remark, p.PasswordHash, nil, p.MaxViews,
		p.Views, nil, nil, p.CreatedBy, at, at, p.Version)
	if err != nil {
		b.Fatal(err)
	}
	n, err := result.LastInsertId()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := content.Exec(n, p.Content); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkPasteBySlug(b *testing.B) {
	r := bunstoretest.SQLite(b).Pastes()
	p := benchPaste()
	if err := r.Insert(b.Context(), p); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.BySlug(b.Context(), p.Slug); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPasteInsertGrowth compares creates in an empty table with creates
// beside a million pastes; the second should keep 0.8 of the first.
func BenchmarkPasteInsertGrowth(b *testing.B) {
	s := bunstoretest.SQLite(b)
	b.Run("empty", func(b *testing.B) { insert32(b, s) })
	for range 1000 {
		if err := s.Do(b.Context(), func(ctx context.Context) error {
			for range 1000 {
				if err := s.Pastes().Insert(ctx, benchPaste()); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("million", func(b *testing.B) { insert32(b, s) })
}

// BenchmarkPasteInsertPages counts what one create writes to SQLite's log, in pages
// of 4 KiB, in a transaction of its own and in one with 31 others. It grows with
// the indexes and triggers of the table.
func BenchmarkPasteInsertPages(b *testing.B) {
	for _, group := range []int{1, 32} {
		b.Run(fmt.Sprint(group), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "pages.db")
			creates := func(s *bunstore.Store, n int) {
				for range n / group {
					if err := s.Do(b.Context(), func(ctx context.Context) error {
						for range group {
							if err := s.Pastes().Insert(ctx, benchPaste()); err != nil {
								return err
							}
						}
						return nil
					}); err != nil {
						b.Fatal(err)
					}
				}
			}
			for b.Loop() { // the log begins anew each time
				for _, n := range []int{6400, 640} {
					s, err := bunstore.Open(b.Context(), bunstore.Options{URL: path, Logger: bunstoretest.Quiet()})
					if err != nil {
						b.Fatal(err)
					}
					used := bunstoretest.CPU(b)
					creates(s, n)
					b.ReportMetric(float64((bunstoretest.CPU(b)-used).Microseconds())/float64(n), "cpu-µs/create")
					log, err := os.Stat(path + "-wal")
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(log.Size())/4120/float64(n), "pages/create")
					if err := s.Close(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
