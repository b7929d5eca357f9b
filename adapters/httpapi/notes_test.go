package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
)

func TestNamesOfSecretsAreKnown(t *testing.T) {
	got := withoutSecrets("", map[string]any{
		"password": "x", "newPassword": "x", "secret_access_key": "x", "access_key_id": "x", "custom_key": "x", "totp": "x", "token": "", "clear_password": true,
		"name": "kept", "options": map[string]any{"pin": "x", "deep": map[string]any{"a": "x"}}, "list": []any{map[string]any{"key": "x"}},
	}, nil)
	text, err := json.Marshal(got)
	if err != nil || strings.Contains(string(text), `"x"`) || !strings.Contains(string(text), `"kept"`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestLongDetailsAreCutWithTheHashOfTheWhole(t *testing.T) {
	type request struct {
		Name string `json:"name"`
	}
	for _, name := range []string{strings.Repeat("x", 100<<10), strings.Repeat("\"\n\x01", 60<<10), strings.Repeat("文字", 40<<10)} {
		_, details := described(nil, request{name}, nil, nil)
		var got struct {
			Cut    string
			Size   int
			SHA256 string
		}
		if err := json.Unmarshal([]byte(details), &got); err != nil || len(details) > maxDetails {
			t.Fatalf("%d bytes, %v", len(details), err)
		}
		whole, err := json.Marshal(map[string]any{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(whole); got.Size != len(whole) || got.SHA256 != hex.EncodeToString(sum[:]) || len(got.Cut) < 8<<10 || !strings.HasPrefix(string(whole), got.Cut) {
			t.Errorf("%d of %d bytes are kept, hash %s", len(got.Cut), len(whole), got.SHA256)
		}
	}
}
