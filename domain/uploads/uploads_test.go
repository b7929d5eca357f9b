package uploads_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/domaintest"
	"pasteport/domain/uploads"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
	"pasteport/ports/upload"
)

// yard are sessions over memory.
type yard struct {
	*uploads.Sessions
	t        *testing.T
	clock    *portstest.Clock
	bucket   *portstest.Bucket
	db       *domaintest.Memory
	dropped  []string
	failure  error // of the destination
	released released
}

type released []string

func (r *released) Release(_ context.Context, id string) (bool, error) {
	*r = append(*r, id)
	return true, nil
}

// Dropped implements uploads.Destination.
func (y *yard) Dropped(_ context.Context, s *upload.Session) error {
	y.dropped = append(y.dropped, s.ID)
	return y.failure
}

func newYard(t *testing.T) *yard {
	y := &yard{t: t, clock: portstest.NewClock(), bucket: portstest.NewBucket()}
	y.bucket.Clock, y.bucket.BaseURL = y.clock, "https://bucket.example"
	y.db = domaintest.NewMemory(y.clock)
	y.Sessions = y.db.UploadSessions(portstest.Opener{"s": y.bucket}, &y.released, y.clock)
	y.Serve(upload.ForShares, y)
	return y
}

// begin begins a session of two parts.
func (y *yard) begin(id, destination string) *upload.Session {
	y.t.Helper()
	cut, err := upload.CutOf(upload.PartSize+5, 0, 0)
	s := &upload.Session{ID: id, For: destination, StorageConfigID: "s", Key: id + ".bin", Owner: "apikey:k", Cut: cut}
	if err == nil {
		err = y.Begin(y.t.Context(), y.bucket, s, "a/b")
	}
	if err != nil {
		y.t.Fatal(err)
	}
	return s
}

func (y *yard) part(s *upload.Session, n int) objstore.Part {
	y.t.Helper()
	p, err := y.bucket.WritePart(y.t.Context(), s.Key, s.UploadID, n, strings.NewReader(strings.Repeat("x", int(s.Length(n)))), s.Length(n))
	if err != nil {
		y.t.Fatal(err)
	}
	return p
}

// unfinished are the uploads that storage still has.
func (y *yard) unfinished() int {
	y.t.Helper()
	all, err := y.bucket.ListUploads(y.t.Context(), "")
	if err != nil {
		y.t.Fatal(err)
	}
	return len(all)
}

func (y *yard) known(id string) bool {
	_, err := y.Of(y.t.Context(), id)
	return err == nil
}

func (y *yard) fail(method string, err error) {
	y.bucket.Fail = func(m, _ string) error {
		if m == method {
			return err
		}
		return nil
	}
}

func TestASessionGoesFromItsBeginToItsObject(t *testing.T) {
	y := newYard(t)
	s := y.begin("a", upload.ForTree)
	found, err := y.Find(t.Context(), "s", s.UploadID)
	if err != nil || found.ID != "a" {
		t.Fatalf("found %+v, %v", found, err)
	}
	list := []objstore.Part{y.part(s, 1), y.part(s, 2)}
	parts, err := y.Parts(t.Context(), y.bucket, s)
	if err != nil || s.Whole(parts) != nil {
		t.Fatalf("parts %v, %v", parts, err)
	}
	object, err := y.Join(t.Context(), y.bucket, s, list)
	if err != nil || object.Size != s.Size {
		t.Fatalf("joined %+v, %v", object, err)
	}
	for _, first := range []bool{true, false} { // of two who join the parts, one does
		if was, err := y.Done(t.Context(), s, object); err != nil || was != first {
			t.Fatalf("done first: %v, %v", was, err)
		}
	}
	if done, err := y.Of(t.Context(), "a"); err != nil || done.CompletedAt == nil || done.Stored() != (objstore.Object{Key: "a.bin", Size: object.Size, ETag: object.ETag}) {
		t.Errorf("done: %+v, %v", done, err)
	}
	if open, err := y.Open(t.Context(), upload.ForTree, "s", "apikey:k"); err != nil || len(open) != 0 {
		t.Errorf("open: %v, %v", open, err)
	}
}

func TestABeginThatFailsLeavesNothing(t *testing.T) {
	y := newYard(t)
	first := y.begin("a", upload.ForTree)
	second := &upload.Session{ID: "a", StorageConfigID: "s", Key: "b.bin"} // the id is taken
	if err := y.Begin(t.Context(), y.bucket, second, ""); err == nil {
		t.Error("two sessions have one id")
	}
	if y.unfinished() != 1 || !y.known(first.ID) {
		t.Errorf("%d uploads are in storage", y.unfinished())
	}
	y.fail("Create", ports.ErrUnavailable)
	if err := y.Begin(t.Context(), y.bucket, &upload.Session{ID: "c", StorageConfigID: "s", Key: "c.bin"}, ""); !ports.Is(err, ports.Unavailable) || y.known("c") {
		t.Errorf("a storage that is away: %v", err)
	}
}

// The answer to a join may get lost when storage has done its work.
func TestAnUploadThatStorageHasForgottenIsJoinedWhenItsObjectIsThere(t *testing.T) {
	y := newYard(t)
	s := y.begin("a", upload.ForTree)
	if _, err := y.Join(t.Context(), y.bucket, s, nil); !errors.Is(err, objstore.ErrNoUpload) {
		t.Errorf("nothing was joined: %v", err)
	}
	list := []objstore.Part{y.part(s, 1), y.part(s, 2)}
	if _, err := y.bucket.Complete(t.Context(), s.Key, s.UploadID, list); err != nil {
		t.Fatal(err)
	}
	y.fail("Complete", objstore.ErrNoUpload)
	for _, list := range [][]objstore.Part{list, nil} {
		if o, err := y.Join(t.Context(), y.bucket, s, list); err != nil || o.Size != s.Size {
			t.Errorf("with %d parts: %+v, %v", len(list), o, err)
		}
	}
	foreign := &upload.Session{StorageConfigID: "s", Key: s.Key, UploadID: s.UploadID}
	if _, err := y.Join(t.Context(), y.bucket, foreign, list); !errors.Is(err, objstore.ErrNoUpload) {
		t.Errorf("an upload that was not begun here: %v", err)
	}
	y.clock.Add(2 * time.Second)
	later := y.begin("later", upload.ForTree)
	later.Key = s.Key
	if _, err := y.Join(t.Context(), y.bucket, later, list); !errors.Is(err, objstore.ErrNoUpload) {
		t.Errorf("the object of an earlier upload counts: %v", err)
	}
}

func TestLinksOfPartsBindTheirSender(t *testing.T) {
	y := newYard(t)
	const p = upload.PartSize
	known := upload.Cut{Size: p + 5, PartSize: p, PartCount: 2}
	for name, c := range map[string]struct {
		cut  upload.Cut
		how  upload.Signing
		want []objstore.SignRequest // Size, MaxSize and Claim
	}{
		"at most":             {known, upload.Signing{}, []objstore.SignRequest{{MaxSize: p}, {MaxSize: 5}}},
		"exactly":             {known, upload.Signing{Bound: upload.Exactly}, []objstore.SignRequest{{Size: p, MaxSize: p}, {Size: 5, MaxSize: 5}}},
		"all but the last":    {known, upload.Signing{Bound: upload.ButLast}, []objstore.SignRequest{{Size: p, MaxSize: p}, {MaxSize: 5}}},
		"unknown":             {upload.Cut{PartSize: p, PartCount: 2}, upload.Signing{Bound: upload.Exactly}, []objstore.SignRequest{{MaxSize: p, Claim: "x"}, {MaxSize: p, Claim: "x"}}},
		"unknown in one part": {upload.Cut{PartSize: p, PartCount: 1}, upload.Signing{}, []objstore.SignRequest{{Claim: "x"}}},
		"unknown, reserved": {upload.Cut{PartSize: p, PartCount: 2}, upload.Signing{Bound: upload.ButLast, Reserved: true},
			[]objstore.SignRequest{{Size: p, MaxSize: p}, {MaxSize: p}}},
	} {
		signer := &signer{Bucket: y.bucket}
		s := &upload.Session{ID: "x", Key: "k", UploadID: "u", Cut: c.cut}
		links, err := y.Links(t.Context(), signer, s, c.cut.Numbers(), c.how)
		if err != nil || len(links) != c.cut.PartCount {
			t.Fatalf("%s: %v, %v", name, links, err)
		}
		var got []objstore.SignRequest
		for i, r := range signer.asked {
			if r.PartNumber != i+1 || r.UploadID != "u" || r.Key != "k" || r.Verb != objstore.VerbPart {
				t.Errorf("%s: %+v", name, r)
			}
			got = append(got, objstore.SignRequest{Size: r.Size, MaxSize: r.MaxSize, Claim: r.Claim})
		}
		if d := cmp.Diff(got, c.want); d != "" {
			t.Errorf("%s: got -, want +\n%s", name, d)
		}
	}
}

// signer notes what is signed.
type signer struct {
	objstore.Bucket
	asked []objstore.SignRequest
}

func (s *signer) Sign(ctx context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	s.asked = append(s.asked, r)
	return s.Bucket.Sign(ctx, r)
}

func TestGivingUpDropsPartsRecordAndRoom(t *testing.T) {
	y := newYard(t)
	s := y.begin("a", upload.ForTree)
	y.part(s, 1)
	y.fail("Abort", ports.ErrUnavailable)
	if err := y.GiveUp(t.Context(), y.bucket, s); !ports.Is(err, ports.Unavailable) || !y.known("a") || len(y.released) != 0 {
		t.Errorf("a storage that is away: %v, released %v", err, y.released)
	}
	y.bucket.Fail = nil
	for range 2 { // the storage has forgotten it the second time
		if err := y.GiveUp(t.Context(), y.bucket, s); err != nil || y.known("a") || y.unfinished() != 0 || y.released[0] != "a" {
			t.Errorf("%v, released %v, %d in storage", err, y.released, y.unfinished())
		}
	}
}

func TestOneSweepDropsWhatNobodyFinishes(t *testing.T) {
	y := newYard(t)
	y.begin("share", upload.ForShares)
	y.begin("tree", upload.ForTree)
	done := y.begin("done", upload.ForTree)
	if _, err := y.Done(t.Context(), done, objstore.Object{}); err != nil {
		t.Fatal(err)
	}
	sweep := func(want int, fails bool) {
		t.Helper()
		if n, err := y.Sweep(t.Context()); n != want || (err != nil) != fails {
			t.Errorf("swept %d, %v", n, err)
		}
	}
	sweep(0, false)
	if !y.known("done") {
		t.Error("the answer of a session is forgotten at once")
	}
	y.clock.Add(upload.AnswerKept + time.Second)
	sweep(0, false)
	if y.known("done") {
		t.Error("a finished session is kept")
	}
	y.clock.Add(upload.Kept)
	y.fail("Abort", ports.ErrUnavailable)
	sweep(0, true)
	y.bucket.Fail, y.failure = nil, errors.New("the share cannot go now")
	sweep(1, true)
	if y.known("tree") || !y.known("share") {
		t.Error("the session of a destination that failed must stay, and no other")
	}
	y.failure = nil
	sweep(1, false)
	if y.known("share") || y.unfinished() != 1 || !cmp.Equal(y.dropped, []string{"share", "share"}) { // "done" was never joined in this storage
		t.Errorf("dropped %v, %d in storage", y.dropped, y.unfinished())
	}
}

func TestAStorageThatNeverAnswersIsGivenUpAfterAnotherWeek(t *testing.T) {
	y := newYard(t)
	y.begin("a", upload.ForShares)
	y.fail("Abort", ports.ErrUnavailable)
	y.clock.Add(upload.Kept + 6*24*time.Hour)
	if n, err := y.Sweep(t.Context()); n != 0 || err == nil || !y.known("a") {
		t.Errorf("before it: %d, %v", n, err)
	}
	y.clock.Add(24*time.Hour + time.Second)
	if n, err := y.Sweep(t.Context()); n != 1 || err != nil || y.known("a") || len(y.dropped) != 1 {
		t.Errorf("after it: %d, %v", n, err)
	}
	gone := &upload.Session{ID: "b", For: upload.ForTree, StorageConfigID: "gone", UploadID: "u", Key: "k", CreatedAt: y.clock.Now().Add(-upload.Kept - time.Hour)}
	if err := y.db.Uploads().Insert(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if n, err := y.Sweep(t.Context()); n != 1 || err != nil || y.known("b") {
		t.Errorf("a config that is gone: %d, %v", n, err)
	}
}
