package boundary

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/pluginhost"
	"pasteport/plugins/s3/s3test"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// short are waits for tests of storages that hang.
var short = pluginhost.Timing{Start: patience, Call: 4 * time.Second, Idle: 4 * time.Second}

// patience is how long tests wait for what should come soon.
const patience = time.Minute

// reached opens a bucket that is reached through addr, and one beside it that
// leads straight to the server.
func reached(t *testing.T, timing pluginhost.Timing, addr string, bucket string) (through, direct objstore.Bucket) {
	t.Helper()
	h := pluginhost.New(pluginhost.Options{Processes: map[string]pluginhost.Command{"s3": pluginhost.Self("s3")}, Timing: timing, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { h.Close() })
	d, err := h.Driver("s3")
	if err != nil {
		t.Fatal(err)
	}
	to := func(addr string) objstore.Bucket {
		config := cloud.Config("s3", bucket)
		config.Options["endpoint_url"] = "http://" + addr
		b, err := d.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	return to(addr), to(cloud.Provider("s3").Addr())
}

// faulty opens a bucket behind a server that fails as the test says.
func faulty(t *testing.T, timing pluginhost.Timing) (f *s3test.Faulty, through, direct objstore.Bucket) {
	t.Helper()
	f = s3test.NewFaulty(t, cloud.Provider("s3").Addr())
	through, direct = reached(t, timing, f.Listener.Addr().String(), cloud.NewBucket(t, "s3"))
	return f, through, direct
}

// line opens a bucket behind a network path that the test disturbs.
func line(t *testing.T, timing pluginhost.Timing) (l *s3test.Line, through, direct objstore.Bucket) {
	t.Helper()
	l = s3test.NewLine(t, cloud.Provider("s3").Addr())
	through, direct = reached(t, timing, l.Addr, cloud.NewBucket(t, "s3"))
	return l, through, direct
}

func write(t *testing.T, b objstore.Bucket, key, content string) {
	t.Helper()
	if _, err := b.Write(t.Context(), key, strings.NewReader(content), objstore.WriteOptions{Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
}

// read reads an object to its end or its failure.
func read(ctx context.Context, b objstore.Bucket, key string) (string, error) {
	body, err := b.Read(ctx, key, objstore.Range{})
	if err != nil {
		return "", err
	}
	defer body.Close()
	var got strings.Builder
	_, err = io.Copy(&got, body)
	return got.String(), err
}

// content is long enough to be cut in the middle.
func content(seed string) string { return strings.Repeat(seed+"0123456789abcde", 4<<20/(len(seed)+15)) }

func every(*http.Request) bool { return true }

var unwell = map[string]s3test.Fault{
	"500":   {Refusal: &s3test.Refusal{Status: 500, Code: "InternalError"}},
	"503":   {Refusal: &s3test.Refusal{Status: 503, Code: "SlowDown"}},
	"reset": {Reset: true},
}

// repeatable are calls that may be sent again.
var repeatable = map[string]func(context.Context, objstore.Bucket) error{
	"Stat": func(ctx context.Context, b objstore.Bucket) error { _, err := b.Stat(ctx, "k"); return err },
	"List": func(ctx context.Context, b objstore.Bucket) error {
		_, err := b.List(ctx, objstore.ListQuery{})
		return err
	},
	"Read": func(ctx context.Context, b objstore.Bucket) error { _, err := read(ctx, b, "k"); return err },
}

func TestReliability2_3_CallsThatCanBeRepeatedAreMadeThreeTimes(t *testing.T) {
	f, b, direct := faulty(t, pluginhost.Timing{Start: patience})
	write(t, direct, "k", "hello")
	for what, fault := range unwell {
		for name, call := range repeatable {
			f.Fail(s3test.Times(2, every, fault))
			if err := call(t.Context(), b); err != nil {
				t.Errorf("%s: %s after two failures: %v", what, name, err)
			}
			f.Fail(func(*http.Request) s3test.Fault { return fault })
			before := f.Requests()
			err := call(t.Context(), b)
			n := f.Requests() - before
			if fault.Reset && n > 3 && n <= 6 { // an idle connection that broke is no try
				n = 3
			}
			if !ports.Is(err, ports.Unavailable) || n != 3 {
				t.Errorf("%s: %s was sent %d times and gave %v", what, name, n, err)
			}
		}
	}
}

func TestReliability2_3_ABodyIsSentAgainOnlyWhenItIsHeld(t *testing.T) {
	f, b, _ := faulty(t, pluginhost.Timing{Start: patience})
	stream := func(size int64) (objstore.Object, error) {
		return b.Write(t.Context(), "k", io.LimitReader(zeros{}, 9<<20), objstore.WriteOptions{Size: size})
	}
	for what, fault := range unwell {
		f.Fail(s3test.Times(1, s3test.Method(http.MethodPut), fault))
		before := f.Requests()
		if _, err := stream(9 << 20); !ports.Is(err, ports.Unavailable) {
			t.Errorf("%s: Write = %v", what, err)
		}
		if n := f.Requests() - before; n != 1 {
			t.Errorf("%s: a stream was sent %d times", what, n)
		}
		f.Fail(s3test.Times(2, s3test.Method(http.MethodPut), fault))
		if o, err := stream(-1); err != nil || o.Size != 9<<20 {
			t.Errorf("%s: parts in memory: %+v, %v", what, o, err)
		}
	}
}

func TestReliability2_3_ACutBodyGoesOnBehindTheLastByte(t *testing.T) {
	f, b, direct := faulty(t, pluginhost.Timing{Start: patience})
	want := content("a")
	write(t, direct, "k", want)
	var ranges []string
	cut := s3test.Times(2, every, s3test.Fault{Cut: 1 << 20})
	f.Fail(func(r *http.Request) s3test.Fault {
		ranges = append(ranges, r.Header.Get("Range"))
		return cut(r)
	})
	got, err := read(t.Context(), b, "k")
	if err != nil || got != want {
		t.Errorf("read %d of %d bytes, %v", len(got), len(want), err)
	}
	if len(ranges) != 3 || ranges[0] != "" || !strings.HasPrefix(ranges[1], "bytes=") || ranges[1] >= ranges[2] {
		t.Errorf("asked for %q", ranges)
	}
	part, err := b.Read(t.Context(), "k", objstore.Range{Offset: 100, Length: 3 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	f.Fail(s3test.Times(1, every, s3test.Fault{Cut: 1 << 20}))
	if got, err := io.ReadAll(part); err != nil || string(got) != want[100:100+3<<20] {
		t.Errorf("a part: %d bytes, %v", len(got), err)
	}
}

func TestReliability2_3_ABodyThatIsAlwaysCutFails(t *testing.T) {
	f, b, direct := faulty(t, pluginhost.Timing{Start: patience})
	want := content("a")
	write(t, direct, "k", want)
	f.Fail(func(*http.Request) s3test.Fault { return s3test.Fault{Cut: 10} })
	got, err := read(t.Context(), b, "k")
	if err == nil || err == io.EOF || len(got) > 100 || !strings.HasPrefix(want, got) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	if n := f.Requests(); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestReliability2_3_VersionsAreNeverMixed(t *testing.T) {
	older, newer := content("old"), content("new")
	for name, rest := range map[string]s3test.Fault{
		"the storage keeps the condition":     {},
		"the storage ignores it":              {PastConditions: true},
		"and tells an ETag that is not known": {PastConditions: true, ETag: "another"},
	} {
		f, b, direct := faulty(t, pluginhost.Timing{Start: patience})
		write(t, direct, "k", older)
		body, err := b.Read(t.Context(), "k", objstore.Range{})
		if err != nil {
			t.Fatal(err)
		}
		body.Close()
		cut := s3test.Times(1, every, s3test.Fault{Cut: 1 << 20})
		f.Fail(func(r *http.Request) s3test.Fault {
			if fault := cut(r); fault.Cut > 0 {
				return fault
			}
			write(t, direct, "k", newer)
			return rest
		})
		got, err := read(t.Context(), b, "k")
		if !ports.Is(err, ports.Precondition) || len(got) > 2<<20 || !strings.HasPrefix(older, got) {
			t.Errorf("%s: read %d bytes, %v", name, len(got), err)
		}
		f.Fail(func(*http.Request) s3test.Fault { return s3test.Fault{PastConditions: true} })
		if _, err := b.Read(t.Context(), "k", objstore.Range{IfMatch: body.Object.ETag}); !ports.Is(err, ports.Precondition) {
			t.Errorf("%s: a read of the old version gave %v", name, err)
		}
	}
}

func TestReliability2_3_AStorageThatHangsIsGivenUp(t *testing.T) {
	f, b, direct := faulty(t, short)
	write(t, direct, "k", content("a"))
	f.Fail(func(*http.Request) s3test.Fault { return s3test.Fault{Hang: true} })
	for name, call := range repeatable {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		before := f.Requests()
		if err := call(ctx, b); !ports.Is(err, ports.Unavailable) || ctx.Err() != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := f.Requests() - before; n != 1 {
			t.Errorf("%s was sent %d times", name, n)
		}
		cancel()
	}
	if _, err := b.Write(t.Context(), "k", strings.NewReader("x"), objstore.WriteOptions{Size: 1}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("Write = %v", err)
	}
	f.Fail(func(*http.Request) s3test.Fault { return s3test.Fault{Pause: 1 << 20} })
	if got, err := read(t.Context(), b, "k"); !ports.Is(err, ports.Unavailable) || len(got) > 1<<20 {
		t.Errorf("a body that stands still: %d bytes, %v", len(got), err)
	}
}

func TestReliability2_3_ARefusalIsNotTheVisitors(t *testing.T) {
	f, b, direct := faulty(t, pluginhost.Timing{Start: patience})
	write(t, direct, "k", "hello")
	for _, c := range []struct {
		refusal *s3test.Refusal
		text    string
	}{
		{&s3test.Refusal{Status: 403, Code: "AccessDenied"}, "storage_access_denied"},
		{&s3test.Refusal{Status: 403, Code: "ExpiredToken"}, "storage_credentials_expired"},
		{&s3test.Refusal{Status: 401, Code: "Unauthorized"}, "storage_access_denied"},
		{s3test.Skewed(time.Hour), "storage_clock_skew"},
		{s3test.Skewed(-2 * time.Hour), "storage_clock_skew"},
	} {
		f.Fail(func(*http.Request) s3test.Fault { return s3test.Fault{Refusal: c.refusal} })
		for name, call := range repeatable {
			before := f.Requests()
			err := call(t.Context(), b)
			var e *ports.Error
			if !errors.As(err, &e) || e.Code != ports.BadGateway || e.Key != "storage_denied" {
				t.Errorf("%s: %s gave %v", c.refusal.Code, name, err)
				continue
			}
			if n := f.Requests() - before; n > 2 {
				t.Errorf("%s: %s was sent %d times", c.refusal.Code, name, n)
			}
			if name == "Stat" { // HEAD has no body: nothing but the status is known, or the clock
				continue
			}
			if e.Text != c.text && (name != "Read" || c.text == "storage_clock_skew") {
				t.Errorf("%s: %s is explained by %q", c.refusal.Code, name, e.Text)
			}
			if skew, _ := e.Params["seconds"].(int64); c.text == "storage_clock_skew" && max(skew, -skew) < 3000 {
				t.Errorf("%s names a skew of %d s", name, skew)
			}
		}
	}
}

// TestReliability2_3_OnARealLine disturbs the connection itself.
func TestReliability2_3_OnARealLine(t *testing.T) {
	want := content("a")
	for name, c := range map[string]struct {
		disturb func(*s3test.Line) (cure func())
		stat    bool // a short call succeeds
		read    bool // a whole body arrives
		write   bool
	}{
		"slow":            {func(l *s3test.Line) func() { return l.Disturb("latency", false, map[string]int{"latency": 50}) }, true, true, true},
		"in slices":       {func(l *s3test.Line) func() { return l.Disturb("slicer", false, map[string]int{"average_size": 8000}) }, true, true, true},
		"reset":           {func(l *s3test.Line) func() { return l.Disturb("reset_peer", false, nil) }, false, false, false},
		"answers nothing": {func(l *s3test.Line) func() { return l.Disturb("timeout", false, nil) }, false, false, false},
		"takes nothing":   {func(l *s3test.Line) func() { return l.Disturb("timeout", true, nil) }, false, false, false},
		"cut short":       {func(l *s3test.Line) func() { return l.Disturb("limit_data", false, map[string]int{"bytes": 100_000}) }, true, false, true},
		"down":            {func(l *s3test.Line) func() { return l.Cut() }, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			l, b, direct := line(t, short)
			write(t, direct, "k", want)
			cure := c.disturb(l)
			ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
			defer cancel()
			check := func(call string, good bool, err error) {
				t.Helper()
				if good && err != nil || !good && (err == nil || ctx.Err() != nil) {
					t.Errorf("%s gave %v", call, err)
				}
			}
			_, err := b.Stat(ctx, "k")
			check("Stat", c.stat, err)
			got, err := read(ctx, b, "k")
			check("Read", c.read, err)
			if c.read && got != want || !strings.HasPrefix(want, got) {
				t.Errorf("read %d bytes that are not the object's", len(got))
			}
			_, err = b.Write(ctx, "new", strings.NewReader(want), objstore.WriteOptions{Size: int64(len(want))})
			check("Write", c.write, err)
			if _, err := direct.Stat(ctx, "k"); err != nil {
				t.Errorf("another way to the storage: %v", err)
			}
			cure()
			if got, err := read(ctx, b, "k"); err != nil || got != want {
				t.Errorf("afterwards: %d bytes, %v", len(got), err)
			}
		})
	}
}

func TestLinksAreUsedForHalfTheirLife(t *testing.T) {
	_, b, direct := faulty(t, pluginhost.Timing{Start: patience})
	write(t, direct, "k", "hello")
	sign := func(r objstore.SignRequest) string {
		t.Helper()
		s, err := b.Sign(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if s.Expires.Before(time.Now().Add(r.TTL / 2)) {
			t.Errorf("%+v: the link has run out by %v", r, s.Expires)
		}
		s.Header.Set("X-Of-Mine", "1") // the caller's own
		return s.URL + fmt.Sprint(len(s.Header))
	}
	get := objstore.SignRequest{Verb: objstore.VerbGet, Key: "k", Audience: objstore.Browser, TTL: time.Hour}
	first := sign(get)
	if again := sign(get); again != first {
		t.Error("a link for reading was not used again")
	}
	other := get
	other.Disposition = "attachment"
	if sign(other) == first {
		t.Error("another disposition got the same link")
	}
	for _, verb := range []objstore.Verb{objstore.VerbPut, objstore.VerbPart} {
		r := objstore.SignRequest{Verb: verb, Key: "k", Audience: objstore.Browser, TTL: time.Hour, UploadID: "u", PartNumber: 1}
		one := sign(r)
		<-time.After(1100 * time.Millisecond) // signatures hold the second
		if sign(r) == one {
			t.Errorf("a link for %s was used again", verb)
		}
	}
}
