package requests_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"pasteport/domain/requests"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// held is a body of which nothing comes until it is let go.
type held struct {
	reads chan struct{} // closed with the first read
	end   chan error
}

func newHeld() *held { return &held{make(chan struct{}), make(chan error)} }

func (h *held) Read([]byte) (int, error) {
	close(h.reads)
	return 0, <-h.end // and is not read again
}

// sent is what became of a body.
type sent struct {
	file *requests.File
	err  error
}

// send sends "abcd" as a file, and a body that is held before that.
func (f *fixture) send(r *requests.Request, visit, id string, before *held) <-chan sent {
	body, out := io.Reader(strings.NewReader("abcd")), make(chan sent, 1)
	if before != nil {
		body = io.MultiReader(before, body)
	}
	go func() {
		file, err := f.Store(context.WithoutCancel(f.t.Context()), policy.Nobody, r.Slug, visit, id, requests.Content{Body: body, Size: 4})
		out <- sent{file, err}
	}()
	return out
}

// Of a process that dies while it takes a content nothing comes any more, and if it
// comes back it has lost: the file is stored, counted and told of once.
func TestAContentThatSomebodyDiedAtIsTakenByTheNext(t *testing.T) {
	for name, late := range map[string]error{"who comes back late": io.EOF, "whose body is cut late": errors.New("cut")} {
		t.Run(name, func(t *testing.T) {
			out := &owners{marks: map[string]time.Time{}}
			f := newFixtureWith(t, func(d *requests.Deps) { d.Outbox, d.Refusals = out, out })
			r, visit := f.make(nil)
			a, err := f.begin(r, visit, "a.txt", 4)
			if err != nil {
				t.Fatal(err)
			}
			dead := newHeld()
			first := f.send(r, visit, a.ID, dead)
			<-dead.reads
			f.clock.Add(89 * time.Second)
			second := <-f.send(r, visit, a.ID, nil)
			var refused *ports.Error
			if !ports.Is(second.err, ports.Conflict) || !errors.As(second.err, &refused) || refused.RetryAfter != time.Second {
				t.Fatalf("while it may live: %+v", second.err)
			}
			if err := f.Cancel(t.Context(), policy.Nobody, r.Slug, visit, a.ID); !ports.Is(err, ports.Conflict) {
				t.Errorf("given up while it may live: %v", err)
			}
			f.clock.Add(time.Second)
			again := newHeld()
			third := f.send(r, visit, a.ID, again)
			<-again.reads
			dead.end <- late
			if back := <-first; !ports.Is(back.err, ports.Conflict) && late == io.EOF || back.err == nil {
				t.Errorf("%+v, %v", back.file, back.err)
			}
			if fourth := <-f.send(r, visit, a.ID, nil); !ports.Is(fourth.err, ports.Conflict) {
				t.Errorf("while the next is at it: %v", fourth.err)
			}
			again.end <- io.EOF
			if now := <-third; now.err != nil || now.file.State != requests.Stored {
				t.Fatalf("the next: %+v, %v", now.file, now.err)
			}
			if fifth := <-f.send(r, visit, a.ID, nil); fifth.err != nil || fifth.file.State != requests.Stored {
				t.Errorf("repeated after that: %+v, %v", fifth.file, fifth.err)
			}
			if f.counted(r, 1, 4); len(f.box.stored) != 1 || len(out.told) != 1 {
				t.Errorf("%d files are stored, %d events told", len(f.box.stored), len(out.told))
			}
		})
	}
}

func TestWhoTakesAContentForLongKeepsIt(t *testing.T) {
	var files requests.FileRepository
	f := newFixtureWith(t, func(d *requests.Deps) { d.Beat, files = time.Millisecond, d.Files })
	r, visit := f.make(nil)
	a, err := f.begin(r, visit, "a.txt", 4)
	if err != nil {
		t.Fatal(err)
	}
	slow := newHeld()
	first := f.send(r, visit, a.ID, slow)
	<-slow.reads
	for range 3 {
		f.clock.Add(time.Minute)
		portstest.Eventually(t, func() bool {
			now, err := files.Get(t.Context(), a.ID)
			return err == nil && now.TakenUntil.Equal(f.clock.Now().Add(90*time.Second))
		}, "it is said that the work goes on")
	}
	if second := <-f.send(r, visit, a.ID, nil); !ports.Is(second.err, ports.Conflict) {
		t.Errorf("meanwhile: %v", second.err)
	}
	if n, err := f.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	slow.end <- io.EOF
	if done := <-first; done.err != nil || done.file.State != requests.Stored {
		t.Errorf("%+v, %v", done.file, done.err)
	}
}

// What somebody died at is as if nobody had begun: it may be given up, and gives its
// place back by itself.
func TestWhatSomebodyDiedAtGivesItsPlaceBack(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		do    func(f *fixture, r *requests.Request, visit, id string) error
	}{
		"its sender": {90 * time.Second, func(f *fixture, r *requests.Request, visit, id string) error {
			return f.Cancel(f.t.Context(), policy.Nobody, r.Slug, visit, id)
		}},
		"the sweep": {time.Hour, func(f *fixture, _ *requests.Request, _, _ string) error {
			_, err := f.Sweep(f.t.Context())
			return err
		}},
		"its owner": {90 * time.Second, func(f *fixture, r *requests.Request, _, _ string) error {
			_, err := f.End(f.t.Context(), boss, r.ID)
			return err
		}},
		"its sender, after a start": {0, func(f *fixture, r *requests.Request, visit, id string) error {
			if err := f.Start(f.t.Context(), true); err != nil {
				return err
			}
			return f.Cancel(f.t.Context(), policy.Nobody, r.Slug, visit, id)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			r, visit := f.make(func(d *requests.Draft) { d.MaxFiles = 1 })
			a, err := f.begin(r, visit, "a.txt", 4)
			if err != nil {
				t.Fatal(err)
			}
			dead := newHeld()
			gone := f.send(r, visit, a.ID, dead)
			<-dead.reads
			f.clock.Add(c.after)
			if err := c.do(f, r, visit, a.ID); err != nil {
				t.Error(err)
			}
			f.counted(r, 0, 0)
			dead.end <- io.EOF
			if back := <-gone; back.err == nil || len(f.box.stored) != 0 {
				t.Errorf("who comes back: %+v, %v, %d files", back.file, back.err, len(f.box.stored))
			}
		})
	}
}

func TestAnotherNodeEndsNoTurnWhenItStarts(t *testing.T) {
	f := newFixture(t)
	r, visit := f.make(nil)
	a, err := f.begin(r, visit, "a.txt", 4)
	if err != nil {
		t.Fatal(err)
	}
	slow := newHeld()
	first := f.send(r, visit, a.ID, slow)
	<-slow.reads
	if err := f.Start(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if second := <-f.send(r, visit, a.ID, nil); !ports.Is(second.err, ports.Conflict) {
		t.Errorf("meanwhile: %v", second.err)
	}
	slow.end <- io.EOF
	if done := <-first; done.err != nil {
		t.Error(done.err)
	}
}
