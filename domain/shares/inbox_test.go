package shares_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

var errUnwanted = &ports.Error{Code: ports.Unsupported, Key: "request_type"}

// sentInParts begins a file for an owner whose parts all come.
func (w *world) sentInParts() upload.Underway {
	w.t.Helper()
	u, err := w.uploads.Inbox().Begin(w.t.Context(), keyA, upload.Incoming{Name: "a.exe", Size: 7})
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := w.deps.Uploads.Of(w.t.Context(), u.ID)
	if err == nil {
		_, err = w.bucket.WritePart(w.t.Context(), s.Key, s.UploadID, 1, strings.NewReader("content"), 7)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return u
}

// visit opens the link of a file, which confirms it when all of it is there.
func (w *world) visit(id string) error {
	f, err := w.db.Files().Get(w.t.Context(), id)
	if err == nil {
		_, err = w.visits.Info(w.t.Context(), policy.Nobody, shares.Visit{Slug: f.Slug})
	}
	return err
}

func (w *world) nothingIsLeft() {
	w.t.Helper()
	used, err := w.db.Files().Usage(w.t.Context())
	if keys := w.bucket.Keys(); err != nil || len(keys) != 0 || used["public"].Files != 0 {
		w.t.Errorf("left are %q and %+v, %v", keys, used, err)
	}
}

// Who opens a link confirms that a file is there, and does not say that it may be.
func TestWhatTheRulesRefuseGoesAlsoWhenAVisitorHasConfirmedIt(t *testing.T) {
	w := newWorld(t)
	u := w.sentInParts()
	_, err := w.uploads.Inbox().Complete(t.Context(), keyA, u, func([]byte, int64) error {
		if err := w.visit(u.ID); err != nil {
			t.Errorf("meanwhile: %v", err)
		}
		return errUnwanted
	})
	wantCode(t, err, ports.Unsupported, "request_type")
	wantCode(t, w.visit(u.ID), ports.NotFound, "not_found")
	w.nothingIsLeft()
}

// The rules are asked of what a visitor confirms after its parts were joined by a call
// that was cut before it could ask.
func TestWhatAVisitorHasConfirmedIsLookedAtWhenItIsCompleted(t *testing.T) {
	for name, refused := range map[string]error{"wanted": nil, "unwanted": errUnwanted} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			u, inbox := w.sentInParts(), w.uploads.Inbox()
			_, err := inbox.Complete(t.Context(), keyA, u, func([]byte, int64) error { return ports.ErrUnavailable })
			wantCode(t, err, ports.Unavailable, "storage_unavailable")
			if err := w.visit(u.ID); err != nil {
				t.Fatal(err)
			}
			asked := 0
			accept := func(head []byte, size int64) error {
				if asked++; string(head) != "content" || size != 7 {
					t.Errorf("shown %q of %d bytes", head, size)
				}
				return refused
			}
			received, err := inbox.Complete(t.Context(), keyA, u, accept)
			if refused != nil {
				wantCode(t, err, ports.Unsupported, "request_type")
				w.nothingIsLeft()
				return
			}
			if err != nil || received.Place != u.ID || asked != 1 {
				t.Fatalf("%+v, %v, asked %d times", received, err, asked)
			}
			// What was let in stays, whatever the rules are when the call is repeated.
			refused = errUnwanted
			if again, err := inbox.Complete(t.Context(), keyA, u, accept); err != nil || again != received || asked != 1 {
				t.Errorf("repeated: %+v, %v, asked %d times", again, err, asked)
			}
		})
	}
}

// A share that its request does not take leaves nothing; one that it takes is told of in
// the unit of work that makes it.
func TestAFileComesTogetherWithTheNoteOfIt(t *testing.T) {
	w := newWorld(t)
	store := func(came func(context.Context, upload.Received) error) error {
		_, err := w.uploads.Inbox().Store(t.Context(), keyA, upload.Incoming{Name: "a.txt", Size: 7, Came: came}, strings.NewReader("content"))
		return err
	}
	wantCode(t, store(func(context.Context, upload.Received) error { return errUnwanted }), ports.Unsupported, "request_type")
	w.nothingIsLeft()
	err := store(func(ctx context.Context, r upload.Received) error {
		f, err := w.db.Files().Get(ctx, r.Place) // in the same unit of work
		if err == nil && f.Pending {
			t.Error("it is told of before it has come")
		}
		return err
	})
	if err != nil || len(w.bucket.Keys()) != 1 {
		t.Errorf("%v, %q", err, w.bucket.Keys())
	}
}

// While the storage is away an upload that is given up is gone for everybody, and a sweep
// ends it later.
func TestAnUploadThatIsGivenUpWhileItsStorageIsAwayGoesLater(t *testing.T) {
	w := newWorld(t)
	p, err := w.uploads.Presign(t.Context(), keyA, shares.NewUpload{StorageConfigID: "public", Filename: "a.txt", Slug: "mine", Size: 7})
	if err != nil {
		t.Fatal(err)
	}
	w.bucket.Put(p.File.StoragePath, "content")
	w.bucket.Fail = func(method, _ string) error {
		if method == "Delete" {
			return ports.ErrUnavailable
		}
		return nil
	}
	if err := w.uploads.Cancel(t.Context(), keyA, p.File.ID); err != nil {
		t.Fatal(err)
	}
	if awaited, err := w.uploads.Awaits(t.Context(), p.File.ID); err != nil || awaited {
		t.Errorf("its link for uploads works: %t, %v", awaited, err)
	}
	_, _, err = w.files.Get(t.Context(), keyA, p.File.ID)
	wantCode(t, err, ports.NotFound, "not_found")
	_, err = w.uploads.Commit(t.Context(), keyA, p.File.ID)
	wantCode(t, err, ports.NotFound, "not_found")
	w.bucket.Fail = nil
	if f := w.upload(shares.NewUpload{Filename: "b.txt", Slug: "mine"}, "other"); f.Slug != "mine" {
		t.Errorf("its link is not free: %q", f.Slug)
	}
	w.clock.Add(11 * time.Minute)
	if _, err := w.janitor.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if keys := w.bucket.Keys(); len(keys) != 1 {
		t.Errorf("left are %q", keys)
	}
}
