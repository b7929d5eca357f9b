package keys_test

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func TestContract2_1_Credentials(t *testing.T) {
	w := newWorld(t)
	token := w.signIn()
	reader := w.key(keys.KeyFields{Permissions: bits(policy.PermWebDAVRead), BasicPath: ptr("/team/a/"), IsGuest: ptr(true)})
	writer := w.key(keys.KeyFields{Permissions: bits(policy.PermText)})
	for _, c := range []struct {
		name string
		in   keys.Credential
		kind policy.Kind // of a success
		code ports.Code  // of a failure, with an empty kind
	}{
		{"nothing", keys.Credential{}, policy.Anonymous, 0},
		{"a session", bearer(token), policy.Admin, 0},
		{"an unknown session", bearer("x"), "", ports.Unauthenticated},
		{"a key", apiKey(reader.Value), policy.APIKey, 0},
		{"an unknown key", apiKey("pp_nobody"), "", ports.Unauthenticated},
		{"a key as a session", bearer(reader.Value), "", ports.Unauthenticated},
		{"a session as a key", apiKey(token), "", ports.Unauthenticated},
		{"a key with another case", apiKey("PP_" + reader.Value[3:]), "", ports.Unauthenticated},
		{"name and password", basic("admin", rightPassword), policy.Admin, 0},
		{"a wrong password", basic("admin", "wrong"), "", ports.Unauthenticated},
		{"an unknown name", basic("nobody", rightPassword), "", ports.Unauthenticated},
		{"a key twice with WEBDAV_READ", basic(reader.Value, reader.Value), policy.APIKey, 0},
		{"a key twice without it", basic(writer.Value, writer.Value), "", ports.Forbidden},
		{"an unknown scheme", keys.Credential{Token: "x"}, "", ports.Unauthenticated},
		{"a custom header alone", keys.Credential{CustomKey: writer.Value}, policy.APIKey, 0},
		{"a custom header behind a bad token", keys.Credential{Scheme: "bearer", Token: "x", CustomKey: writer.Value}, policy.APIKey, 0},
		{"a custom header behind a good token", keys.Credential{Scheme: "bearer", Token: token, CustomKey: "x"}, policy.Admin, 0},
		{"a wrong custom header", keys.Credential{CustomKey: "x"}, "", ports.Unauthenticated},
	} {
		who, err := w.Authenticate(w.ctx(), c.in)
		if c.kind == "" {
			wantCode(t, c.name, err, c.code)
			continue
		}
		if err != nil || who.Kind != c.kind {
			t.Errorf("%s: %+v, %v, want %s", c.name, who, err, c.kind)
		}
	}
	who, _ := w.Authenticate(w.ctx(), apiKey(reader.Value))
	want := policy.Principal{Kind: policy.APIKey, ID: reader.ID, Name: reader.Name, Permissions: policy.PermWebDAVRead, BasicPath: "/team/a", Guest: true, Role: "GENERAL"}
	if who != want {
		t.Errorf("principal of a key is %+v, want %+v", who, want)
	}
}

func TestDecision11_BasicOverPlainHTTPOnlyFromNear(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		ip        string
		tls, open bool
		want      bool
	}{
		{"127.0.0.1", false, false, true},
		{"::1", false, false, true},
		{"192.168.3.4", false, false, true},
		{"fd00::1", false, false, true},
		{"203.0.113.7", false, false, false},
		{"2001:db8::1", false, false, false},
		{"", false, false, false},
		{"203.0.113.7", true, false, true},
		{"203.0.113.7", false, true, true},
	} {
		w.site.basicOverHTTP = c.open
		ctx := policy.WithCall(t.Context(), &policy.Call{ClientIP: c.ip, TLS: c.tls})
		_, err := w.Authenticate(ctx, basic("admin", rightPassword))
		if (err == nil) != c.want || (err != nil && !ports.Is(err, ports.Forbidden)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestContract2_3_ExpiredKeyIsRefusedAndStays(t *testing.T) {
	w := newWorld(t)
	end := w.clock.Now().Add(time.Hour)
	key := w.key(keys.KeyFields{ExpiresAt: &end})
	w.clock.Add(time.Hour - time.Millisecond)
	if _, err := w.Authenticate(w.ctx(), apiKey(key.Value)); err != nil {
		t.Errorf("just before its end: %v", err)
	}
	w.clock.Add(time.Millisecond)
	_, err := w.Authenticate(w.ctx(), apiKey(key.Value))
	wantCode(t, "at its end, although it was just used", err, ports.Unauthenticated)
	all, err := w.ListKeys(w.ctx(), w.admin())
	if err != nil || len(all) != 1 || !all[0].Expired(w.clock.Now()) {
		t.Errorf("list is %v, %v", all, err)
	}
	longer := w.clock.Now().Add(time.Hour)
	if _, err := w.UpdateKey(w.ctx(), w.admin(), key.ID, keys.KeyFields{ExpiresAt: &longer}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Authenticate(w.ctx(), apiKey(key.Value)); err != nil {
		t.Errorf("after it was prolonged: %v", err)
	}
}

func TestS4_ChangesOfAKeyActAtOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(w *world, id string) error
		check  func(t *testing.T, who policy.Principal, err error)
	}{
		{"disabled", func(w *world, id string) error {
			return errorOf(w.UpdateKey(w.ctx(), w.admin(), id, keys.KeyFields{IsActive: ptr(false)}))
		}, refused},
		{"deleted", func(w *world, id string) error { return errorOf(w.DeleteKey(w.ctx(), w.admin(), id)) }, refused},
		{"rotated", func(w *world, id string) error {
			_, err := w.RotateKey(w.ctx(), w.admin(), id, keys.Rotation{})
			return err
		}, refused},
		{"narrowed", func(w *world, id string) error {
			return errorOf(w.UpdateKey(w.ctx(), w.admin(), id, keys.KeyFields{Permissions: bits(policy.PermText), BasicPath: ptr("/a")}))
		}, func(t *testing.T, who policy.Principal, err error) {
			if err != nil || who.Permissions != policy.PermText || who.BasicPath != "/a" {
				t.Errorf("%+v, %v", who, err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			key := w.key(keys.KeyFields{Permissions: bits(policy.AllPermissions)})
			if _, err := w.Authenticate(w.ctx(), apiKey(key.Value)); err != nil {
				t.Fatal(err)
			}
			if err := c.change(w, key.ID); err != nil {
				t.Fatal(err)
			}
			who, err := w.Authenticate(w.ctx(), apiKey(key.Value))
			c.check(t, who, err)
		})
	}
}

func refused(t *testing.T, _ policy.Principal, err error) {
	t.Helper()
	wantCode(t, "after the change", err, ports.Unauthenticated)
}

func TestS4_OtherNodeForgetsOnEventAndAfterAMinute(t *testing.T) {
	w := newWorld(t)
	key := w.key(keys.KeyFields{})
	other := w.access()
	see := func() error {
		_, err := other.Authenticate(w.ctx(), apiKey(key.Value))
		return err
	}
	if err := see(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.DeleteKey(w.ctx(), w.admin(), key.ID); err != nil {
		t.Fatal(err)
	}
	if got := w.invalidation.Published(); len(got) == 0 || got[len(got)-1] != keys.Changed+"/" {
		t.Errorf("published %v", got)
	}
	if err := see(); err != nil {
		t.Errorf("without the event the cache did not answer: %v", err)
	}
	w.clock.Add(time.Minute)
	wantCode(t, "after a minute", see(), ports.Unauthenticated)

	key = w.key(keys.KeyFields{})
	if err := see(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.DeleteKey(w.ctx(), w.admin(), key.ID); err != nil {
		t.Fatal(err)
	}
	other.Forget()
	wantCode(t, "after the event", see(), ports.Unauthenticated)
}

func TestSecurity4_5_LoginGuessesAreLimited(t *testing.T) {
	w := newWorld(t)
	try := func(a *keys.Access, ip, name, password string) error {
		_, err := a.Login(from(t, ip), policy.Nobody, keys.SignIn{Username: name, Password: password})
		return err
	}
	for i := range 10 {
		wantCode(t, "guess", try(w.Access, "203.0.113.7", "admin", "wrong"), ports.Unauthenticated)
		if i == 8 { // a success forgets the failures before it
			if err := try(w.Access, "203.0.113.7", "admin", rightPassword); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 9 {
		wantCode(t, "guess", try(w.Access, "203.0.113.7", "admin", "wrong"), ports.Unauthenticated)
	}
	err := try(w.Access, "203.0.113.7", "admin", rightPassword)
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != ports.RateLimited || e.RetryAfter < time.Second || e.RetryAfter > 15*time.Minute {
		t.Fatalf("the right password after ten failures: %v", err)
	}
	_, err = w.Authenticate(from(t, "203.0.113.7"), basic("admin", rightPassword))
	if ports.Is(err, ports.Unauthenticated) || err == nil {
		t.Errorf("Basic from the same address: %v", err)
	}
	wantCode(t, "after a restart", try(w.access(), "203.0.113.7", "admin", rightPassword), ports.RateLimited)
	if err := try(w.Access, "203.0.113.8", "admin", rightPassword); err != nil {
		t.Errorf("from another address: %v", err)
	}
	w.clock.Add(15 * time.Minute)
	if err := try(w.Access, "203.0.113.7", "admin", rightPassword); err != nil {
		t.Errorf("after the window: %v", err)
	}
}

func TestSecurity4_5_AddressIsLimitedOverAllNamesAndIPv6ByItsNetwork(t *testing.T) {
	w := newWorld(t)
	try := func(ip, name string) error {
		_, err := w.Login(from(t, ip), policy.Nobody, keys.SignIn{Username: name, Password: "wrong"})
		return err
	}
	for i := range 30 {
		wantCode(t, "guess", try("2001:db8:0:1::"+string(rune('a'+i%6)), "name"+string(rune('a'+i))), ports.Unauthenticated)
	}
	wantCode(t, "the 31st from the same /64", try("2001:db8:0:1:ffff::1", "other"), ports.RateLimited)
	wantCode(t, "the next /64", try("2001:db8:0:2::1", "other"), ports.Unauthenticated)
}

func TestSecurity4_5_InvalidKeysAreLimitedPerAddress(t *testing.T) {
	w := newWorld(t)
	good := w.key(keys.KeyFields{})
	ctx := from(t, "203.0.113.7")
	for i := range 30 {
		_, err := w.Authenticate(ctx, apiKey("pp_wrong"+strconv.Itoa(i)))
		wantCode(t, "guess", err, ports.Unauthenticated)
	}
	_, err := w.Authenticate(ctx, apiKey("pp_wrong"))
	wantCode(t, "the 31st", err, ports.RateLimited)
	_, err = w.Authenticate(ctx, keys.Credential{CustomKey: "pp_wrong"})
	wantCode(t, "by another header", err, ports.RateLimited)
	if _, err := w.Authenticate(from(t, "203.0.113.8"), apiKey(good.Value)); err != nil {
		t.Errorf("a good key from elsewhere: %v", err)
	}
}

func TestUnknownNameIsHashedLikeAKnownOne(t *testing.T) {
	w := newWorld(t)
	_, before := w.hasher.Calls()
	_, known := w.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: "admin", Password: "wrong"})
	_, unknown := w.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: "nobody", Password: "wrong"})
	if _, after := w.hasher.Calls(); after-before != 2 {
		t.Errorf("%d checks, want 2", after-before)
	}
	if !errors.Is(known, unknown) {
		t.Errorf("answers differ: %v, %v", known, unknown)
	}
}

func TestUseOfAKeyIsCountedByDay(t *testing.T) {
	w := newWorld(t)
	key, admin := w.key(keys.KeyFields{ExpiresAt: &keys.Never}), w.admin()
	use := func(n int) {
		t.Helper()
		for range n {
			if _, err := w.Authenticate(w.ctx(), apiKey(key.Value)); err != nil {
				t.Fatal(err)
			}
		}
	}
	use(2)
	w.clock.Add(24 * time.Hour)
	use(3)
	w.memory.FailWith(ports.ErrUnavailable)
	wantCode(t, "flush without a database", w.FlushUsage(t.Context()), ports.Unavailable)
	w.memory.FailWith(nil)
	use(1)
	if err := w.FlushUsage(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, days, err := w.KeyUse(w.ctx(), admin, key.ID)
	if err != nil || len(days) != 30 {
		t.Fatal(days, err)
	}
	today := w.clock.Now().UTC().Format(time.DateOnly)
	if days[29].Day != today || days[29].Calls != 4 || days[28].Calls != 2 || days[27].Calls != 0 || days[27].Day >= days[28].Day {
		t.Errorf("the last days: %v, today is %s", days[27:], today)
	}
	w.clock.Add(29 * 24 * time.Hour)
	if _, days, err = w.KeyUse(w.ctx(), admin, key.ID); err != nil || days[0].Calls != 4 || days[1].Calls != 0 {
		t.Errorf("29 days later: %v, %v", days[:2], err)
	}
	_, _, err = w.KeyUse(w.ctx(), admin, "missing")
	wantCode(t, "an unknown key", err, ports.NotFound)
	_, _, err = w.KeyUse(w.ctx(), key.Principal(), key.ID)
	wantCode(t, "the key itself", err, ports.Forbidden)
}

func TestLastUseIsCollectedAndFlushed(t *testing.T) {
	w := newWorld(t)
	key := w.key(keys.KeyFields{})
	used := func() *time.Time {
		k, err := w.memory.Keys().Get(t.Context(), key.ID)
		if err != nil {
			t.Fatal(err)
		}
		return k.LastUsed
	}
	for range 3 {
		if _, err := w.Authenticate(w.ctx(), apiKey(key.Value)); err != nil {
			t.Fatal(err)
		}
		w.clock.Add(time.Second)
	}
	if used() != nil {
		t.Error("a request wrote the last use by itself")
	}
	w.memory.FailWith(ports.ErrUnavailable)
	wantCode(t, "flush without a database", w.FlushUsage(t.Context()), ports.Unavailable)
	w.memory.FailWith(nil)
	if err := w.FlushUsage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := used(); got == nil || !got.Equal(w.clock.Now().Add(-time.Second)) {
		t.Errorf("last use is %v", got)
	}
}

func TestDatabaseFaultIsNoWrongCredential(t *testing.T) {
	w := newWorld(t)
	w.memory.FailWith(ports.ErrUnavailable)
	for _, c := range []keys.Credential{bearer("x"), apiKey("x"), basic("admin", "x")} {
		_, err := w.Authenticate(w.ctx(), c)
		wantCode(t, c.Scheme, err, ports.Unavailable)
	}
}

func TestSecurity4_5_BurstOfGuessesDoesNotPassTheLimit(t *testing.T) {
	w := newWorld(t)
	_, before := w.hasher.Calls()
	var refused atomic.Int32
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			_, err := w.Login(from(t, "203.0.113.7"), policy.Nobody, keys.SignIn{Username: "admin", Password: "wrong"})
			if ports.Is(err, ports.RateLimited) {
				refused.Add(1)
			}
		})
	}
	all.Wait()
	if _, after := w.hasher.Calls(); after-before != 10 || refused.Load() != 50 {
		t.Errorf("%d passwords were checked and %d refused, want 10 and 50", after-before, refused.Load())
	}
	for range 60 {
		all.Go(func() {
			_, _ = w.Authenticate(from(t, "203.0.113.7"), apiKey("pp_"+w.random.ID()))
		})
	}
	all.Wait()
	_, err := w.Authenticate(from(t, "203.0.113.7"), apiKey("pp_wrong"))
	wantCode(t, "a key after a burst", err, ports.RateLimited)
}

func BenchmarkAuthenticateAgain(b *testing.B) {
	clock := portstest.NewClock()
	memory := domaintest.NewMemory(clock)
	rules := &decider{}
	access := keys.New(keys.Deps{Keys: memory.Keys(), Admins: memory.Admins(), Sessions: memory.Sessions(), Work: memory, Guesses: memory.Guesses(),
		Hasher: &portstest.Hasher{}, MAC: portstest.MAC{}, Random: &portstest.Random{}, Clock: clock, Invalidation: &portstest.Invalidation{}, Decider: rules, Site: &site{}})
	name := "k"
	issued, err := keys.NewKeys(access).CreateKey(b.Context(), policy.Principal{Kind: policy.Admin, ID: "a"}, keys.KeyFields{Name: &name}, "")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := access.Authenticate(b.Context(), apiKey(issued.Value)); err != nil {
			b.Fatal(err)
		}
	}
}

func TestStaleKeyCountsAsOneGuessAMinute(t *testing.T) {
	w := newWorld(t)
	admin, good := w.admin(), w.key(keys.KeyFields{})
	ctx := from(t, "203.0.113.7")
	for range 100 {
		_, err := w.Authenticate(ctx, apiKey("my-custom-key"))
		wantCode(t, "a key that is not there", err, ports.Unauthenticated)
	}
	if _, err := w.Authenticate(ctx, apiKey(good.Value)); err != nil {
		t.Errorf("a good key from the same address: %v", err)
	}
	if _, err := w.CreateKey(w.ctx(), admin, keys.KeyFields{Name: ptr("late")}, "my-custom-key"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Authenticate(ctx, apiKey("my-custom-key")); err != nil {
		t.Errorf("the key once it was made: %v", err)
	}
}

func TestAKeyThatMayOnlyWriteOverWebDAVComesInThere(t *testing.T) {
	w := newWorld(t)
	writer := w.key(keys.KeyFields{Permissions: bits(policy.PermWebDAVManage)})
	other := w.key(keys.KeyFields{Permissions: bits(policy.PermMountUpload)})
	for _, c := range []struct {
		protocol, key string
		want          ports.Code
	}{
		{"webdav", writer.Value, 0},
		{"http", writer.Value, ports.Forbidden},
		{"webdav", other.Value, ports.Forbidden},
	} {
		ctx := policy.WithCall(t.Context(), &policy.Call{ClientIP: "127.0.0.1", Protocol: c.protocol})
		_, err := w.Authenticate(ctx, basic(c.key, c.key))
		if (err != nil || c.want != 0) && !ports.Is(err, c.want) {
			t.Errorf("%s: %v, want code %d", c.protocol, err, c.want)
		}
	}
}

func TestG3_WrongKeysAndPasswordsAreTold(t *testing.T) {
	w := newWorld(t)
	key := w.key(keys.KeyFields{})
	for range 3 { // of a value that was refused a moment ago, no more is told
		_, err := w.Authenticate(w.ctx(), apiKey("no such key"))
		wantCode(t, "an unknown key", err, ports.Unauthenticated)
	}
	_, err := w.Authenticate(w.ctx(), basic("admin", "wrong"))
	wantCode(t, "a wrong password", err, ports.Unauthenticated)
	_, err = w.Authenticate(w.ctx(), bearer("over"))
	wantCode(t, "a session that is over", err, ports.Unauthenticated)
	if _, err := w.Authenticate(w.ctx(), apiKey(key.Value)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"apikey unauthenticated", "basic unauthenticated"}; !slices.Equal(w.guessed, want) {
		t.Errorf("told %q, want %q", w.guessed, want)
	}
}
