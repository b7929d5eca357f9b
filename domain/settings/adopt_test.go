package settings_test

import (
	"testing"
	"time"

	"pasteport/domain/settings"
	"pasteport/ports"
)

func TestAdoptedValuesObeyTheRules(t *testing.T) {
	for name, c := range map[string]struct {
		key, value, want string
		code             ports.Code // of the error when want is empty
	}{
		"a number":            {"max_upload_size", " 250 ", "250", 0},
		"a yes":               {"proxy_sign_all", "1", "true", 0},
		"a choice":            {"webdav_upload_mode", "multipart", "multipart", 0},
		"no such choice":      {"webdav_upload_mode", "by_moon", "", ports.Invalid},
		"no number":           {"max_upload_size", "much", "", ports.Invalid},
		"out of range":        {"max_upload_size", "0", "", ports.Invalid},
		"an unknown setting":  {"some_old_switch", "1", "", ports.NotFound},
		"one of the program":  {"schema_version", "17", "", ports.Invalid},
		"a list with a space": {"preview_text_types", "t x t", "", ports.Invalid},
	} {
		got, err := settings.Adopt(c.key, c.value)
		if got != c.want || (c.want == "") != ports.Is(err, c.code) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestASettingIsUntouchedUntilSomebodySetsIt(t *testing.T) {
	now := time.Now()
	seeded := settings.Setting{CreatedAt: now, UpdatedAt: now}
	set := settings.Setting{CreatedAt: now, UpdatedAt: now.Add(time.Millisecond)}
	if !seeded.Untouched() || set.Untouched() {
		t.Errorf("seeded: %t, set: %t", seeded.Untouched(), set.Untouched())
	}
}
