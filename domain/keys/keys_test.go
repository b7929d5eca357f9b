package keys_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
)

func TestContract5_6_CreateKeyChecksItsFields(t *testing.T) {
	w := newWorld(t)
	admin := w.admin()
	if _, err := w.CreateKey(w.ctx(), admin, keys.KeyFields{Name: ptr("taken")}, "my_Custom-Key1"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		fields keys.KeyFields
		custom string
		want   ports.Code
	}{
		{"no name", keys.KeyFields{}, "", ports.Invalid},
		{"a blank name", keys.KeyFields{Name: ptr("  ")}, "", ports.Invalid},
		{"a name of 101 characters", keys.KeyFields{Name: ptr(strings.Repeat("名", 101))}, "", ports.Invalid},
		{"a taken name", keys.KeyFields{Name: ptr(" taken ")}, "", ports.Conflict},
		{"a taken value", keys.KeyFields{Name: ptr("n")}, "my_Custom-Key1", ports.Conflict},
		{"negative bits", keys.KeyFields{Name: ptr("n"), Permissions: ptr(int64(-1))}, "", ports.Invalid},
		{"an unknown role", keys.KeyFields{Name: ptr("n"), Role: ptr("ROOT")}, "", ports.Invalid},
		{"a path without a slash", keys.KeyFields{Name: ptr("n"), BasicPath: ptr("a")}, "", ports.Invalid},
		{"an empty path", keys.KeyFields{Name: ptr("n"), BasicPath: ptr("")}, "", ports.Invalid},
		{"a path with dots", keys.KeyFields{Name: ptr("n"), BasicPath: ptr("/a/../b")}, "", ports.Invalid},
		{"a path with an empty segment", keys.KeyFields{Name: ptr("n"), BasicPath: ptr("/a//b")}, "", ports.Invalid},
		{"a path with a backslash", keys.KeyFields{Name: ptr("n"), BasicPath: ptr(`/a\b`)}, "", ports.Invalid},
		{"a path that is not text", keys.KeyFields{Name: ptr("n"), BasicPath: ptr("/a\xff")}, "", ports.Invalid},
		{"a value with a blank", keys.KeyFields{Name: ptr("n")}, "my key value", ports.Invalid},
		{"a value with other letters", keys.KeyFields{Name: ptr("n")}, "schlüssel-wert", ports.Invalid},
		{"a value of seven", keys.KeyFields{Name: ptr("n")}, "abcdefg", ports.Invalid},
		{"a well known value", keys.KeyFields{Name: ptr("n")}, "password123", ports.Invalid},
	} {
		_, err := w.CreateKey(w.ctx(), admin, c.fields, c.custom)
		wantCode(t, c.name, err, c.want)
	}
	all, err := w.ListKeys(w.ctx(), admin)
	if err != nil || len(all) != 1 {
		t.Errorf("refused keys were stored: %v, %v", all, err)
	}
}

func TestContract5_6_NewKeyHasItsDefaults(t *testing.T) {
	w := newWorld(t)
	key, err := w.CreateKey(w.ctx(), w.admin(), keys.KeyFields{Name: ptr(" k ")}, "")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^pp_[A-Za-z0-9]{32}$`).MatchString(key.Value) {
		t.Errorf("value is %q", key.Value)
	}
	if key.Name != "k" || key.Permissions != 0 || key.Role != "GENERAL" || key.BasicPath != "/" || key.IsGuest || !key.IsActive || key.LastUsed != nil {
		t.Errorf("key is %+v", key.Key)
	}
	if !key.ExpiresAt.Equal(w.clock.Now().Add(24 * time.Hour)) {
		t.Errorf("expires at %s", key.ExpiresAt)
	}
	if key.Masked != key.Value[:6]+"..." {
		t.Errorf("masked is %q", key.Masked)
	}
	if strings.Contains(key.MAC, key.Value) || len(key.MAC) != 64 {
		t.Errorf("stored value is %q", key.MAC)
	}
}

func TestBitsWithoutMeaningMakeNoKey(t *testing.T) {
	w := newWorld(t)
	admin := w.admin()
	key := w.key(keys.KeyFields{Permissions: bits(policy.AllPermissions)})
	if key.Permissions != policy.AllPermissions {
		t.Errorf("permissions are %d", key.Permissions)
	}
	for bit := range 63 {
		value := int64(1) << bit
		_, err := w.CreateKey(w.ctx(), admin, keys.KeyFields{Name: ptr(fmt.Sprint("bit ", bit)), Permissions: ptr(value | 1)}, "")
		_, change := w.UpdateKey(w.ctx(), admin, key.ID, keys.KeyFields{Permissions: ptr(value | 1)})
		if known := policy.Permission(value)&policy.AllPermissions != 0; known != (err == nil) || known != (change == nil) {
			t.Errorf("bit %d: %v, %v", bit, err, change)
		}
	}
}

func TestContract5_6_UpdateKeepsWhatIsAbsent(t *testing.T) {
	w := newWorld(t)
	admin := w.admin()
	other := w.key(keys.KeyFields{})
	key := w.key(keys.KeyFields{Permissions: bits(policy.PermText), BasicPath: ptr("/a"), IsGuest: ptr(true), Role: ptr("GUEST")})
	wantCode(t, "nothing to change", errorOf(w.UpdateKey(w.ctx(), admin, key.ID, keys.KeyFields{})), ports.Invalid)
	wantCode(t, "an unknown key", errorOf(w.UpdateKey(w.ctx(), admin, "x", keys.KeyFields{Name: ptr("n")})), ports.NotFound)
	wantCode(t, "a taken name", errorOf(w.UpdateKey(w.ctx(), admin, key.ID, keys.KeyFields{Name: &other.Name})), ports.Conflict)
	wantCode(t, "a bad role", errorOf(w.UpdateKey(w.ctx(), admin, key.ID, keys.KeyFields{Role: ptr("")})), ports.Invalid)
	w.clock.Add(time.Second)
	if _, err := w.UpdateKey(w.ctx(), admin, key.ID, keys.KeyFields{Name: ptr("renamed"), ExpiresAt: &keys.Never}); err != nil {
		t.Fatal(err)
	}
	got, err := w.memory.Keys().Get(t.Context(), key.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := key.Key
	want.Name, want.ExpiresAt, want.UpdatedAt = "renamed", keys.Never, w.clock.Now()
	if *got != want {
		t.Errorf("key is %+v, want %+v", *got, want)
	}
}

func TestContract5_6_DeleteKey(t *testing.T) {
	w := newWorld(t)
	admin, key := w.admin(), w.key(keys.KeyFields{})
	if _, err := w.DeleteKey(w.ctx(), admin, key.ID); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "again", errorOf(w.DeleteKey(w.ctx(), admin, key.ID)), ports.NotFound)
}

func TestRotationGivesANewValueToTheSameKey(t *testing.T) {
	w := newWorld(t)
	admin, key := w.admin(), w.key(keys.KeyFields{})
	fresh, err := w.RotateKey(w.ctx(), admin, key.ID, keys.Rotation{})
	if err != nil {
		t.Fatal(err)
	}
	if fresh.Value == key.Value || fresh.ID != key.ID || fresh.Masked != fresh.Value[:6]+"..." {
		t.Errorf("rotated to %+v", fresh)
	}
	who, err := w.Authenticate(w.ctx(), apiKey(fresh.Value))
	if err != nil || who.ID != key.ID {
		t.Errorf("the new value: %+v, %v", who, err)
	}
	_, err = w.RotateKey(w.ctx(), admin, "x", keys.Rotation{})
	wantCode(t, "an unknown key", err, ports.NotFound)
	_, err = w.RotateKey(w.ctx(), admin, key.ID, keys.Rotation{Custom: "short"})
	wantCode(t, "a short value", err, ports.Invalid)
}

func TestAnOldValueWorksUntilTheTimeThatItsRotationNames(t *testing.T) {
	w := newWorld(t)
	admin := w.admin()
	key, err := w.CreateKey(w.ctx(), admin, keys.KeyFields{Name: ptr("k"), ExpiresAt: &keys.Never}, "my-first-value")
	if err != nil {
		t.Fatal(err)
	}
	works := func(value string) bool {
		who, err := w.Authenticate(w.ctx(), apiKey(value))
		return err == nil && who.ID == key.ID
	}
	until := w.clock.Now().Add(time.Hour)
	second, err := w.RotateKey(w.ctx(), admin, key.ID, keys.Rotation{Until: until})
	if err != nil {
		t.Fatal(err)
	}
	if second.Former.Masked != key.Masked || !second.Former.Until.Equal(until) || second.Former.At(w.clock.Now()) != second.Former {
		t.Errorf("rotated to %+v", second.Key)
	}
	if !works(key.Value) || !works(second.Value) {
		t.Error("one of both values does not work")
	}
	// No other key gets a value that works, be it the old one.
	_, err = w.CreateKey(w.ctx(), admin, keys.KeyFields{Name: ptr("other")}, key.Value)
	wantCode(t, "an old value for another key", err, ports.Conflict)
	_, err = w.RotateKey(w.ctx(), admin, key.ID, keys.Rotation{Custom: key.Value})
	wantCode(t, "back to the old value", err, ports.Conflict)
	_, err = w.RotateKey(w.ctx(), admin, key.ID, keys.Rotation{Until: w.clock.Now()})
	wantCode(t, "an end that has come", err, ports.Invalid)

	w.clock.Add(time.Hour)
	if works(key.Value) || !works(second.Value) || second.Former.At(w.clock.Now()) != (keys.Former{}) {
		t.Error("the old value works at the time of its end, or the new one no longer")
	}
	if _, err := w.CreateKey(w.ctx(), admin, keys.KeyFields{Name: ptr("other")}, key.Value); err != nil {
		t.Errorf("a value that has ended is not free: %v", err)
	}

	// A second rotation ends the value before the last one, and one without an
	// overlap the last one too.
	third, err := w.RotateKey(w.ctx(), admin, key.ID, keys.Rotation{Until: w.clock.Now().Add(time.Hour)})
	if err != nil || !works(second.Value) {
		t.Fatalf("the overlap of a second rotation: %v", err)
	}
	if err := w.EndFormer(w.ctx(), admin, key.ID); err != nil || works(second.Value) || !works(third.Value) {
		t.Errorf("an old value that was ended: %v", err)
	}
	fourth, err := w.RotateKey(w.ctx(), admin, key.ID, keys.Rotation{Until: w.clock.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.RotateKey(w.ctx(), admin, key.ID, keys.Rotation{}); err != nil || works(third.Value) || works(fourth.Value) {
		t.Errorf("a rotation without an overlap: %v", err)
	}
	wantCode(t, "an unknown key", w.EndFormer(w.ctx(), admin, "x"), ports.NotFound)
	wantCode(t, "a key", w.EndFormer(w.ctx(), key.Principal(), key.ID), ports.Forbidden)
}

func TestK5_KeysCannotTouchKeysOrTheAccount(t *testing.T) {
	w := newWorld(t)
	key := w.key(keys.KeyFields{Permissions: bits(policy.AllPermissions), Role: ptr("ADMIN")})
	for _, who := range []struct {
		policy.Principal
		want ports.Code
	}{{key.Principal(), ports.Forbidden}, {policy.Nobody, ports.Unauthenticated}} {
		_, list := w.ListKeys(w.ctx(), who.Principal)
		_, create := w.CreateKey(w.ctx(), who.Principal, keys.KeyFields{Name: ptr("n")}, "")
		_, rotate := w.RotateKey(w.ctx(), who.Principal, key.ID, keys.Rotation{})
		for name, err := range map[string]error{
			"list": list, "create": create, "rotate": rotate,
			"update":  errorOf(w.UpdateKey(w.ctx(), who.Principal, key.ID, keys.KeyFields{Permissions: bits(policy.AllPermissions)})),
			"delete":  errorOf(w.DeleteKey(w.ctx(), who.Principal, key.ID)),
			"account": w.ChangeAccount(w.ctx(), who.Principal, keys.AccountChange{CurrentPassword: rightPassword, NewUsername: "x"}),
			"test":    w.TestAdmin(w.ctx(), who.Principal),
		} {
			wantCode(t, name+" as "+string(who.Kind), err, who.want)
		}
	}
}

func TestExpiryOfKeysIsReadInTheUsualForms(t *testing.T) {
	for _, c := range []struct {
		text, want string // want is empty for a refusal
	}{
		{"never", "9999-12-31T23:59:59.000Z"},
		{"", "9999-12-31T23:59:59.000Z"},
		{"2030-01-02T03:04:05.678Z", "2030-01-02T03:04:05.678Z"},
		{"2030-01-02T03:04:05+02:00", "2030-01-02T01:04:05.000Z"},
		{"2030-01-02T03:04", "2030-01-02T03:04:00.000Z"},
		{"2030-01-02 03:04:05", "2030-01-02T03:04:05.000Z"},
		{"2030-01-02", "2030-01-02T00:00:00.000Z"},
		{"tomorrow", ""},
		{"2030-02-30", ""},
		{"0001-01-01", ""},
	} {
		got, err := keys.ParseExpiry(c.text)
		if c.want == "" {
			wantCode(t, c.text, err, ports.Invalid)
			continue
		}
		if err != nil || got.Format("2006-01-02T15:04:05.000Z") != c.want {
			t.Errorf("%q: %s, %v, want %s", c.text, got, err, c.want)
		}
	}
}
