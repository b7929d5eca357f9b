package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/ports"
)

func newTestVault(t testing.TB) (*Vault, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret.key")
	v, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	return v, path
}

func TestKeyFileIsPrivateAndNeverReplaced(t *testing.T) {
	_, path := newTestVault(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode is %o, want 600", got)
	}
	if _, err := Create(path); err == nil {
		t.Error("a second Create replaced the key")
	}
}

func TestOpenReadsTheKeyThatCreateWrote(t *testing.T) {
	made, path := newTestVault(t)
	opened, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if opened.KeyID() != made.KeyID() {
		t.Error("the key changed on its way through the file")
	}
	if opened.Sum("a", []byte("x")) != made.Sum("a", []byte("x")) {
		t.Error("keyed hashes differ")
	}
}

func TestOpenRefusesMissingAndBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, ErrNoKey) {
		t.Errorf("missing file gave %v", err)
	}
	for name, text := range map[string]string{
		"empty":    "",
		"comments": "# nothing else\n",
		"short":    "v1 AAAA\n",
		"version":  "v9 " + strings.Repeat("A", 43) + "=\n",
		"no text":  "v1 ???\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || errors.Is(err, ErrNoKey) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}

func TestSealedValueOpensOnlyInItsPlaceUnderItsKey(t *testing.T) {
	v, _ := newTestVault(t)
	other, _ := newTestVault(t)
	sealed, err := v.Seal([]byte("secret"), "storage/1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Open(sealed, "storage/1"); err != nil || string(got) != "secret" {
		t.Errorf("Open = %q, %v", got, err)
	}
	if _, err := v.Open(sealed, "storage/2"); err == nil {
		t.Error("opened in another place")
	}
	if _, err := other.Open(sealed, "storage/1"); err == nil {
		t.Error("opened with another key")
	}
	for i := range sealed {
		bent := append([]byte(nil), sealed...)
		bent[i] ^= 1
		if _, err := v.Open(bent, "storage/1"); err == nil {
			t.Errorf("opened with byte %d changed", i)
		}
		if _, err := v.Open(sealed[:i], "storage/1"); err == nil {
			t.Errorf("opened when cut to %d bytes", i)
		}
	}
	again, _ := v.Seal([]byte("secret"), "storage/1")
	if string(again) == string(sealed) {
		t.Error("two seals of the same text are equal")
	}
}

func TestAddedKeySealsAndOldValuesStillOpen(t *testing.T) {
	old, path := newTestVault(t)
	sealed, _ := old.Seal([]byte("x"), "p")
	added, err := Add(path)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Open(path)
	if err != nil || read.KeyID() != added.KeyID() {
		t.Fatalf("the file does not hold the added key: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, both := range []*Vault{added, read} {
		if got, err := both.Open(sealed, "p"); err != nil || string(got) != "x" {
			t.Errorf("old value: %q, %v", got, err)
		}
		if both.KeyID() == old.KeyID() || both.Current(sealed) || !old.Current(sealed) {
			t.Error("the added key does not seal")
		}
		if both.Sum("m", nil) != old.Sum("m", nil) {
			t.Error("keyed hashes changed with an added key")
		}
	}
	fresh, _ := added.Seal([]byte("y"), "p")
	if !read.Current(fresh) || read.Current(nil) || read.Current(fresh[:4]) {
		t.Error("Current does not tell the key of a value")
	}
	if _, err := old.Open(fresh, "p"); err == nil {
		t.Error("a new value opens without the new key")
	}
	if _, err := Add(path + "x"); err == nil {
		t.Error("a key was added to no file")
	}
}

func TestSumDependsOnPurposeAndData(t *testing.T) {
	v, _ := newTestVault(t)
	if v.Sum("a", []byte("x")) == v.Sum("b", []byte("x")) || v.Sum("a", []byte("x")) == v.Sum("a", []byte("y")) {
		t.Error("sums coincide")
	}
}

func TestRandomTextHasOnlyLettersAndDigitsWithoutBias(t *testing.T) {
	if got := (Random{}).Text(0); got != "" {
		t.Errorf("Text(0) = %q", got)
	}
	const n = 62 * 2000
	counts := map[rune]int{}
	for _, r := range (Random{}).Text(n) {
		counts[r]++
	}
	if len(counts) != 62 {
		t.Fatalf("%d different characters, want 62", len(counts))
	}
	// Each is binomial around 2000 with a deviation of 44; a modulo bias would
	// lift the first eight by a quarter.
	for r, c := range counts {
		if c < 1700 || c > 2300 {
			t.Errorf("%q came %d times, want about 2000", r, c)
		}
	}
	if id := (Random{}).ID(); !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("ID = %s, want a UUIDv7", id)
	}
	if a, b := (Random{}).ID(), (Random{}).ID(); a >= b {
		t.Errorf("ids are not in order: %s, %s", a, b)
	}
}

func newTestHasher(t testing.TB) (*Hasher, *time.Time) {
	t.Helper()
	v, _ := newTestVault(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return NewHasher(v, ports.ClockFunc(func() time.Time { return now })), &now
}

func TestHashIsSaltedArgon2idOfTodaysCost(t *testing.T) {
	h, _ := newTestHasher(t)
	a, err := h.Hash(t.Context(), "pass word")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := h.Hash(t.Context(), "pass word")
	if a == b {
		t.Error("two hashes of one password are equal")
	}
	if !strings.HasPrefix(a, "$argon2id$v=19$m=32768,t=2,p=1$") {
		t.Errorf("hash is %s", a)
	}
	if h.Outdated(a) {
		t.Error("a fresh hash is outdated")
	}
}

func TestVerify(t *testing.T) {
	h, _ := newTestHasher(t)
	hash, err := h.Hash(t.Context(), "密码 ok")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("old"))
	bare := hex.EncodeToString(sum[:])
	for _, c := range []struct {
		name, password, hash string
		want, fails          bool
	}{
		{"the right password", "密码 ok", hash, true, false},
		{"the right password again", "密码 ok", hash, true, false},
		{"a wrong password", "wrong", hash, false, false},
		{"a password with a blank more", "密码 ok ", hash, false, false},
		{"an unknown name", "any", "", false, false},
		{"an imported hash", "old", bare, true, false},
		{"an imported hash in capitals", "old", strings.ToUpper(bare), true, false},
		{"an imported hash, wrong password", "new", bare, false, false},
		{"a broken hash", "any", "$argon2id$v=19$m=32768$x", false, true},
		{"a hash that would take a terabyte", "any", "$argon2id$v=19$m=1073741824,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", false, true},
	} {
		got, err := h.Verify(t.Context(), c.password, c.hash)
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %t, %v", c.name, got, err)
		}
	}
	if !h.Outdated(bare) || !h.Outdated("$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") {
		t.Error("a weak hash is not outdated")
	}
}

func TestRepeatedProofNeedsNoPlaceAndEndsAfterFiveMinutes(t *testing.T) {
	h, now := newTestHasher(t)
	hash, err := h.Hash(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := h.Verify(t.Context(), "p", hash); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for range cap(h.places) {
		h.places <- struct{}{} // every place taken: only the proof can answer
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if ok, err := h.Verify(stopped, "p", hash); !ok || err != nil {
		t.Errorf("repeated password: %t, %v", ok, err)
	}
	if _, err := h.Verify(stopped, "q", hash); !ports.Is(err, ports.Unavailable) {
		t.Errorf("another password without a place: %v, want Unavailable", err)
	}
	*now = now.Add(proofLife)
	if _, err := h.Verify(stopped, "p", hash); !ports.Is(err, ports.Unavailable) {
		t.Errorf("old proof: %v, want a new check", err)
	}
}

func TestFullHasherAnswersUnavailableWithRetryAfter(t *testing.T) {
	h, _ := newTestHasher(t)
	for range cap(h.places) {
		h.places <- struct{}{}
	}
	begin := time.Now()
	_, err := h.Hash(t.Context(), "p")
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != ports.Unavailable || e.RetryAfter <= 0 {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begin); took < admission {
		t.Errorf("waited %s, want at least %s", took, admission)
	}
}

func TestParallelChecksOfOnePasswordHashOncePerPlace(t *testing.T) {
	h, _ := newTestHasher(t)
	hash, err := h.Hash(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			ok, err := h.Verify(t.Context(), "p", hash)
			for ports.Is(err, ports.Unavailable) { // the first one takes long on a busy machine
				ok, err = h.Verify(t.Context(), "p", hash)
			}
			if !ok || err != nil {
				t.Errorf("%t, %v", ok, err)
			}
		})
	}
	all.Wait()
	runtime.ReadMemStats(&after)
	hashes := (after.TotalAlloc - before.TotalAlloc) / (uint64(today.memory) << 10)
	if hashes > uint64(cap(h.places)) {
		t.Errorf("%d hashes were computed for 16 calls, want at most %d", hashes, cap(h.places))
	}
}
