package boundary

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"pasteport/adapters/pluginhost"
	"pasteport/plugins/s3/s3test"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// small are bodies that are held, up to the largest.
var small = map[string]string{"empty": "", "5 bytes": "hello", "1 MiB": strings.Repeat("x", 1<<20)}

func TestASmallBodyIsSentAgain(t *testing.T) {
	f, b, direct := faulty(t, pluginhost.Timing{Start: patience})
	for what, fault := range unwell {
		for name, body := range small {
			for _, size := range []int64{int64(len(body)), -1} { // of known and of unknown length
				f.Fail(s3test.Times(2, s3test.Method(http.MethodPut), fault))
				key := what + " " + name
				if _, err := b.Write(t.Context(), key, strings.NewReader(body), objstore.WriteOptions{Size: size}); err != nil {
					t.Errorf("%s: %s, size %d, after two failures: %v", what, name, size, err)
				}
				if got, err := read(t.Context(), direct, key); got != body || err != nil {
					t.Errorf("%s: %s is stored with %d bytes, %v", what, name, len(got), err)
				}
			}
		}
		f.Fail(func(*http.Request) s3test.Fault { return fault })
		if _, err := b.Write(t.Context(), "k", strings.NewReader("hello"), objstore.WriteOptions{Size: 5}); !ports.Is(err, ports.Unavailable) {
			t.Errorf("%s: a storage that stays so: %v", what, err)
		}
		f.Fail(nil)
		m := b.Multipart()
		id, err := m.Create(t.Context(), "parts", objstore.WriteOptions{Size: -1})
		if err != nil {
			t.Fatal(err)
		}
		f.Fail(s3test.Times(2, s3test.Method(http.MethodPut), fault))
		part, err := m.WritePart(t.Context(), "parts", id, 1, strings.NewReader("hello"), 5)
		if err != nil {
			t.Fatalf("%s: a small part: %v", what, err)
		}
		if _, err := m.Complete(t.Context(), "parts", id, []objstore.Part{part}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestALargeBodyIsNotHeld(t *testing.T) {
	f, b, _ := faulty(t, pluginhost.Timing{Start: patience})
	for what, fault := range unwell {
		f.Fail(s3test.Times(1, s3test.Method(http.MethodPut), fault))
		before := f.Requests()
		_, err := b.Write(t.Context(), "k", io.LimitReader(zeros{}, 1<<20+1), objstore.WriteOptions{Size: 1<<20 + 1})
		if n := f.Requests() - before; !ports.Is(err, ports.Unavailable) || n != 1 {
			t.Errorf("%s: sent %d times, %v", what, n, err)
		}
	}
}

// A first try whose answer is lost has stored the object. The second one must not
// take it for somebody else's.
func TestAConditionalWriteKnowsItself(t *testing.T) {
	f, b, direct := faulty(t, pluginhost.Timing{Start: patience})
	only := func(body string) error {
		_, err := b.Write(t.Context(), "k "+body[:min(5, len(body))], strings.NewReader(body), objstore.WriteOptions{Size: int64(len(body)), IfNoneMatch: true})
		return err
	}
	exists := s3test.Fault{Refusal: &s3test.Refusal{Status: http.StatusPreconditionFailed, Code: "PreconditionFailed"}}
	for name, body := range small {
		f.Fail(s3test.Times(1, s3test.Method(http.MethodPut), s3test.Fault{Lose: true}))
		if err := only(body); err != nil {
			t.Errorf("%s: the answer to its own first try was lost: %v", name, err)
		}
		f.Fail(s3test.Times(1, s3test.Method(http.MethodPut), exists))
		if err := only(body); !ports.Is(err, ports.Conflict) {
			t.Errorf("%s: it stands there already: %v", name, err)
		}
		busy := s3test.Times(1, s3test.Method(http.MethodPut), unwell["503"])
		f.Fail(func(r *http.Request) s3test.Fault {
			if fault := busy(r); fault.Refusal != nil || r.Method != http.MethodPut {
				return fault
			}
			return exists
		})
		if err := only(body); !ports.Is(err, ports.Conflict) {
			t.Errorf("%s: it stands there already, and the storage was busy: %v", name, err)
		}
	}
	write(t, direct, "k other", "their own")
	f.Fail(s3test.Times(1, s3test.Method(http.MethodPut), unwell["reset"]))
	if err := only("other bytes"); !ports.Is(err, ports.Conflict) {
		t.Errorf("another object stands there: %v", err)
	}
	if got, err := read(t.Context(), direct, "k other"); got != "their own" || err != nil {
		t.Errorf("it was replaced: %q, %v", got, err)
	}

	// A storage that resets the connection each time never tells its refusal.
	puts := func(fault s3test.Fault) { f.Fail(s3test.Times(objstore.Tries, s3test.Method(http.MethodPut), fault)) }
	puts(unwell["reset"])
	if err := only("other bytes"); !ports.Is(err, ports.Conflict) {
		t.Errorf("another object stands there, and no refusal arrives: %v", err)
	}
	puts(unwell["reset"])
	if err := only("fresh bytes"); !ports.Is(err, ports.Unavailable) {
		t.Errorf("nothing stands there, and nothing arrives: %v", err)
	}
	puts(s3test.Fault{Lose: true})
	if err := only("fresh bytes"); err != nil {
		t.Errorf("each answer was lost: %v", err)
	}

	// What is too large to be held is sent once.
	large := strings.Repeat("large ", 1<<18)
	write(t, direct, "k large", "their own")
	puts(unwell["reset"])
	if err := only(large); !ports.Is(err, ports.Conflict) {
		t.Errorf("another object stands in the way of a large one, and no refusal arrives: %v", err)
	}
	if got, err := read(t.Context(), direct, "k large"); got != "their own" || err != nil {
		t.Errorf("it was replaced: %.20q, %v", got, err)
	}
	large = "absent" + large
	puts(unwell["reset"])
	if err := only(large); !ports.Is(err, ports.Unavailable) {
		t.Errorf("nothing stands in the way of a large one, and nothing arrives: %v", err)
	}
}

// An answer that says nothing of the bytes is no proof that all are there.
func TestWhatIsStoredIsLookedAtWithoutAProof(t *testing.T) {
	f, b, _ := faulty(t, pluginhost.Timing{Start: patience})
	for name, size := range map[string]int64{"small": 5, "large": 2 << 20} {
		t.Run(name, func(t *testing.T) {
			store := func() error {
				_, err := b.Write(t.Context(), name, io.LimitReader(zeros{}, size), objstore.WriteOptions{Size: size})
				return err
			}
			foreign := func(r *http.Request) s3test.Fault { // a tag that is no sum of the bytes, as encrypting storages give
				return s3test.Fault{ETag: "0123456789abcdef0123456789abcdef-kms"}
			}
			f.Fail(foreign)
			if err := store(); err != nil {
				t.Errorf("a whole object: %v", err)
			}
			f.Fail(func(r *http.Request) s3test.Fault {
				fault := foreign(r)
				if r.Method == http.MethodHead {
					fault.Short = 1
				}
				return fault
			})
			if err := store(); !ports.Is(err, ports.BadGateway) {
				t.Errorf("an object with a byte too few: %v", err)
			}
			f.Fail(nil)
			before := f.Requests()
			if err := store(); err != nil {
				t.Error(err)
			}
			want := int64(1)
			if size > 1<<20 {
				want = 2 // its bytes were not kept to be summed
			}
			if n := f.Requests() - before; n != want {
				t.Errorf("%d requests, want %d", n, want)
			}
		})
	}
}
