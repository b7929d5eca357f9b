package keys_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func TestContract5_1_Login(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, user, password string
		want                 ports.Code
	}{
		{"no name", "", rightPassword, ports.Invalid},
		{"no password", "admin", "", ports.Invalid},
		{"a wrong password", "admin", "wrong", ports.Unauthenticated},
		{"a password with a blank more", "admin", rightPassword + " ", ports.Unauthenticated},
		{"another case of the name", "Admin", rightPassword, ports.Unauthenticated},
		{"a name that nobody has", "root", rightPassword, ports.Unauthenticated},
	} {
		_, err := w.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: c.user, Password: c.password})
		wantCode(t, c.name, err, c.want)
	}
	in, err := w.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: "admin", Password: rightPassword, UserAgent: strings.Repeat("码", 200)})
	if err != nil {
		t.Fatal(err)
	}
	if in.Username != "admin" || len(in.Token) != 43 || !in.ExpiresAt.Equal(w.clock.Now().Add(24*time.Hour)) {
		t.Errorf("signed in as %+v", in)
	}
	stored, err := w.ListSessions(w.ctx(), w.admin())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stored {
		if strings.Contains(s.ID, in.Token) || len(s.UserAgent) > 256 {
			t.Errorf("stored session %+v", s)
		}
	}
}

func TestDecision36_SessionEndsAfterADayAndTheEleventhEndsTheOldest(t *testing.T) {
	w := newWorld(t)
	token := w.signIn()
	w.clock.Add(24*time.Hour - time.Second)
	if _, err := w.Authenticate(w.ctx(), bearer(token)); err != nil {
		t.Errorf("just before its end: %v", err)
	}
	w.clock.Add(time.Second)
	_, err := w.Authenticate(w.ctx(), bearer(token))
	wantCode(t, "after a day", err, ports.Unauthenticated)

	var tokens []string
	for range 11 {
		tokens = append(tokens, w.signIn())
		w.clock.Add(time.Millisecond)
	}
	for i, token := range tokens {
		if _, err := w.Authenticate(w.ctx(), bearer(token)); (err == nil) != (i > 0) {
			t.Errorf("session %d of 11: %v", i+1, err)
		}
	}
}

func TestContract5_2_LogoutEndsTheSessionAtOnceAndNeverFails(t *testing.T) {
	w := newWorld(t)
	token := w.signIn()
	who, err := w.Authenticate(w.ctx(), bearer(token))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range []string{"", "Bearer", "Bearer nothing", "ApiKey " + token, "Basic eDp5"} {
		if err := w.Logout(w.ctx(), policy.Nobody, header); err != nil {
			t.Errorf("logout with %q: %v", header, err)
		}
	}
	if _, err := w.Authenticate(w.ctx(), bearer(token)); err != nil {
		t.Fatalf("the session ended by somebody else's logout: %v", err)
	}
	if err := w.Logout(w.ctx(), who, "bearer "+token); err != nil {
		t.Fatal(err)
	}
	_, err = w.Authenticate(w.ctx(), bearer(token))
	wantCode(t, "after logout", err, ports.Unauthenticated)
}

func TestSessionsCanBeListedAndEnded(t *testing.T) {
	w := newWorld(t)
	first := w.signIn()
	w.clock.Add(time.Second)
	admin := w.admin()
	sessions, err := w.ListSessions(w.ctx(), admin)
	if err != nil || len(sessions) != 2 {
		t.Fatal(sessions, err)
	}
	id := keys.SessionID("Bearer " + first)
	if sessions[1].ID != id || sessions[1].ClientIP != "127.0.0.1" {
		t.Errorf("the older session is %+v", sessions[1])
	}
	if err := w.EndSession(w.ctx(), admin, id); err != nil {
		t.Fatal(err)
	}
	_, err = w.Authenticate(w.ctx(), bearer(first))
	wantCode(t, "an ended session", err, ports.Unauthenticated)
	wantCode(t, "ending it again", w.EndSession(w.ctx(), admin, id), ports.NotFound)
	key := w.key(keys.KeyFields{Permissions: bits(policy.AllPermissions)})
	_, err = w.ListSessions(w.ctx(), key.Principal())
	wantCode(t, "a key that lists sessions", err, ports.Forbidden)
}

func TestContract5_4_ChangeAccount(t *testing.T) {
	for _, c := range []struct {
		name string
		in   keys.AccountChange
		want ports.Code
	}{
		{"no current password", keys.AccountChange{NewPassword: "another river"}, ports.Invalid},
		{"nothing new", keys.AccountChange{CurrentPassword: rightPassword, NewUsername: "  "}, ports.Invalid},
		{"a wrong current password", keys.AccountChange{CurrentPassword: "wrong", NewPassword: "another river"}, ports.Unauthenticated},
		{"the same password", keys.AccountChange{CurrentPassword: rightPassword, NewPassword: rightPassword}, ports.Invalid},
		{"a short password", keys.AccountChange{CurrentPassword: rightPassword, NewPassword: "1234567"}, ports.Invalid},
		{"a name with a colon", keys.AccountChange{CurrentPassword: rightPassword, NewUsername: "a:b"}, ports.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			admin := w.admin()
			wantCode(t, "change", w.ChangeAccount(w.ctx(), admin, c.in), c.want)
			w.signIn() // the old password still holds
		})
	}
}

func TestContract5_4_ChangeEndsAllSessions(t *testing.T) {
	w := newWorld(t)
	token := w.signIn()
	who, err := w.Authenticate(w.ctx(), bearer(token))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Authenticate(w.ctx(), basic("admin", rightPassword)); err != nil {
		t.Fatal(err)
	}
	if err := w.ChangeAccount(w.ctx(), who, keys.AccountChange{CurrentPassword: rightPassword, NewPassword: "another river", NewUsername: " boss "}); err != nil {
		t.Fatal(err)
	}
	for _, old := range []keys.Credential{bearer(token), basic("admin", rightPassword)} {
		_, err := w.Authenticate(w.ctx(), old)
		wantCode(t, "an old credential", err, ports.Unauthenticated)
	}
	if _, err := w.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: "boss", Password: "another river"}); err != nil {
		t.Errorf("the new account: %v", err)
	}
}

func TestContract5_4_TakenNameIsAConflict(t *testing.T) {
	w := newWorld(t)
	admin := w.admin()
	if err := w.memory.Admins().Insert(t.Context(), &keys.Admin{ID: "2", Username: "second"}); err != nil {
		t.Fatal(err)
	}
	err := w.ChangeAccount(w.ctx(), admin, keys.AccountChange{CurrentPassword: rightPassword, NewUsername: "second"})
	wantCode(t, "a taken name", err, ports.Conflict)
}

func TestA2_Passwords(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, password string
		want           bool
	}{
		{"a sentence", "correct horse battery staple", true},
		{"eight characters", "xk2mw9qz", true},
		{"eight Chinese characters", "春江花月夜思故人", true},
		{"seven characters", "xk2mw9q", false},
		{"256 characters", strings.Repeat("xk2mw9qz", 32), true},
		{"257 characters", strings.Repeat("xk2mw9qz", 32) + "x", false},
		{"a well known one", "Password123", false},
		{"a well known one with marks", "qwerty!!!!", false},
		{"one character again and again", "aaaaaaaaaa", false},
		{"the name of the site", "my-mysite-2026", false},
		{"the name of the user", "the-boss-is-here", false},
		{"blanks around it", "  xk2mw9qz  ", true},
	} {
		_, _, err := w.ResetAdmin(t.Context(), "boss", c.password)
		if (err == nil) != c.want || (err != nil && !ports.Is(err, ports.Invalid)) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if _, err := w.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: "boss", Password: c.password}); (err == nil) != c.want {
			t.Errorf("%s: login gave %v", c.name, err)
		}
	}
}

func TestFirstAdminIsCreatedOnceAndResetEndsSessions(t *testing.T) {
	w := newWorld(t)
	if made, err := w.FirstAdmin(t.Context(), "other", "another river"); made != nil || err != nil {
		t.Errorf("a second first admin: %v, %v", made, err)
	}
	token := w.signIn()
	name, password, err := w.ResetAdmin(t.Context(), "", "")
	if err != nil || name != "admin" || len(password) < 20 {
		t.Fatal(name, len(password), err)
	}
	_, err = w.Authenticate(w.ctx(), bearer(token))
	wantCode(t, "a session after the reset", err, ports.Unauthenticated)
	if _, err := w.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: name, Password: password}); err != nil {
		t.Error(err)
	}
}

func TestW1_ImportedHashIsRenewedAtLogin(t *testing.T) {
	w := newWorld(t)
	page, err := w.memory.Admins().List(t.Context(), keys.AdminFilter{})
	if err != nil {
		t.Fatal(err)
	}
	// The fake hasher calls every hash outdated that it did not make, and
	// accepts none of them; a proved one is needed to see the renewal.
	hasher := outdated{w.hasher}
	access := keys.New(keys.Deps{Keys: w.memory.Keys(), Admins: w.memory.Admins(), Sessions: w.memory.Sessions(), Work: w.memory,
		Guesses: w.memory.Guesses(), Hasher: hasher, MAC: portstest.MAC{}, Random: w.random, Clock: w.clock, Invalidation: w.invalidation, Decider: w.decider, Site: w.site})
	hashes, _ := w.hasher.Calls()
	if _, err := access.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: page.Items[0].Username, Password: rightPassword}); err != nil {
		t.Fatal(err)
	}
	if after, _ := w.hasher.Calls(); after != hashes+1 {
		t.Errorf("%d new hashes, want 1", after-hashes)
	}
}

// outdated calls every hash outdated.
type outdated struct{ ports.Hasher }

func (outdated) Outdated(string) bool { return true }

func TestDecision32_EachCallAsksItsAction(t *testing.T) {
	w := newWorld(t)
	admin := w.admin()
	key := w.key(keys.KeyFields{})
	ctx := w.ctx()
	for _, c := range []struct {
		want policy.Action
		call func() error
	}{
		{policy.SessionOpen, func() error { _, err := w.Login(ctx, policy.Nobody, keys.SignIn{}); return err }},
		{policy.SessionClose, func() error { return w.Logout(ctx, policy.Nobody, "") }},
		{policy.SessionsWrite, func() error { _, err := w.ListSessions(ctx, admin); return err }},
		{policy.SessionsWrite, func() error { return w.EndSession(ctx, admin, "x") }},
		{policy.AccountWrite, func() error { return w.ChangeAccount(ctx, admin, keys.AccountChange{}) }},
		{policy.AccountWrite, func() error { return w.TestAdmin(ctx, admin) }},
		{policy.KeySelf, func() error { _, err := w.TestKey(ctx, key.Principal()); return err }},
		{policy.KeysRead, func() error { _, err := w.ListKeys(ctx, admin); return err }},
		{policy.KeysWrite, func() error { _, err := w.CreateKey(ctx, admin, keys.KeyFields{}, ""); return err }},
		{policy.KeysWrite, func() error { return errorOf(w.UpdateKey(ctx, admin, "x", keys.KeyFields{})) }},
		{policy.KeysWrite, func() error { _, err := w.RotateKey(ctx, admin, "x", keys.Rotation{}); return err }},
		{policy.KeysWrite, func() error { return errorOf(w.DeleteKey(ctx, admin, "x")) }},
	} {
		w.decider.asked = nil
		_ = c.call() // the answer does not matter, only what was asked
		if !slices.Equal(w.decider.asked, []policy.Action{c.want}) {
			t.Errorf("asked %v, want %s", w.decider.asked, c.want)
		}
	}
}

func TestAPasswordIsFreshForAnHour(t *testing.T) {
	w := newWorld(t)
	token := "Bearer " + w.signIn()
	admin := w.admin()
	confirmed := func() error { return w.Confirmed(w.ctx(), admin, token) }
	w.clock.Add(time.Hour)
	if err := confirmed(); err != nil {
		t.Errorf("after an hour: %v", err)
	}
	w.clock.Add(time.Second)
	if err := confirmed(); ports.CodeOf(err) != ports.Forbidden {
		t.Errorf("later: %v", err)
	}
	wantCode(t, "a wrong password", w.Confirm(w.ctx(), admin, token, "wrong", ""), ports.Invalid)
	wantCode(t, "no session", w.Confirm(w.ctx(), admin, "Basic abc", rightPassword, ""), ports.NotFound)
	wantCode(t, "an unknown session", w.Confirm(w.ctx(), admin, "Bearer x", rightPassword, ""), ports.NotFound)
	if err := confirmed(); ports.CodeOf(err) != ports.Forbidden {
		t.Errorf("after a wrong password: %v", err)
	}
	if err := errors.Join(w.Confirm(w.ctx(), admin, token, rightPassword, ""), confirmed()); err != nil {
		t.Errorf("after the password: %v", err)
	}
	if err := w.Confirmed(w.ctx(), admin, "Basic abc"); ports.CodeOf(err) != ports.Forbidden {
		t.Errorf("who shows the password each time: %v", err)
	}
	wantCode(t, "a session that is over", w.Confirmed(w.ctx(), admin, "Bearer x"), ports.Forbidden)
}
