package secrets

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/crypto/argon2"

	"pasteport/ports"
)

// cost is the work of one argon2id hash.
type cost struct {
	passes  uint32
	memory  uint32 // KiB
	threads uint8
}

// today is the cost of new hashes (security rule A3).
var today = cost{passes: 2, memory: 32 << 10, threads: 1}

const (
	saltSize  = 16
	hashSize  = 32
	admission = 2 * time.Second // longest wait for a free place
	proofLife = 5 * time.Minute
	proofs    = 10_000 // remembered successes
	maxCost   = 1 << 20
)

// errBusy tells a caller that too many passwords are being checked.
var errBusy = &ports.Error{Code: ports.Unavailable, Key: "overloaded", RetryAfter: 3 * time.Second}

// Hasher keeps passwords as argon2id. At most four hashes run at once, and one
// core is left to everybody else: on two cores that made other reads four times
// as fast during a flood of guesses, and the flood no slower.
type Hasher struct {
	mac    ports.MAC
	clock  ports.Clock
	places chan struct{}
	proven *lru.Cache[[32]byte, time.Time] // keyed proof to its end
}

var _ ports.Hasher = (*Hasher)(nil)

// NewHasher returns a Hasher whose proofs are keyed by mac.
func NewHasher(mac ports.MAC, clock ports.Clock) *Hasher {
	proven, err := lru.New[[32]byte, time.Time](proofs)
	if err != nil {
		panic(err) // only for a size below one
	}
	return &Hasher{mac: mac, clock: clock, places: make(chan struct{}, min(4, max(1, runtime.NumCPU()-1))), proven: proven}
}

// Hash returns the PHC string of password.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	salt := Random{}.Bytes(saltSize)
	return encode(today, salt, today.hash(password, salt, hashSize)), nil
}

// Verify reports whether password fits hash.
func (h *Hasher) Verify(ctx context.Context, password, hash string) (bool, error) {
	if imported(hash) {
		return matchesImported(password, hash), nil
	}
	proof := h.proof(password, hash)
	if h.isProven(proof) {
		return true, nil
	}
	if err := h.enter(ctx); err != nil {
		return false, err
	}
	defer h.leave()
	if h.isProven(proof) { // somebody else has proved it while this call waited
		return true, nil
	}
	how, salt, want, err := decode(hash)
	if err != nil {
		if hash != "" {
			return false, err
		}
		today.hash(password, make([]byte, saltSize), hashSize) // an unknown name costs the same
		return false, nil
	}
	if subtle.ConstantTimeCompare(how.hash(password, salt, uint32(len(want))), want) != 1 {
		return false, nil
	}
	h.proven.Add(proof, h.clock.Now().Add(proofLife))
	return true, nil
}

// Outdated reports whether hash was made with less work than today's.
func (h *Hasher) Outdated(hash string) bool {
	how, _, _, err := decode(hash)
	return err != nil || how.passes < today.passes || how.memory < today.memory
}

// enter waits for a free place among the running hashes.
func (h *Hasher) enter(ctx context.Context) error {
	select {
	case h.places <- struct{}{}:
		return nil
	default:
	}
	timeout := time.NewTimer(admission)
	defer timeout.Stop()
	select {
	case h.places <- struct{}{}:
		return nil
	case <-timeout.C:
		return errBusy
	case <-ctx.Done():
		return errBusy.With(ctx.Err())
	}
}

func (h *Hasher) leave() { <-h.places }

// proof is what is remembered instead of the password: useless without the
// master key, and of no use for another hash.
func (h *Hasher) proof(password, hash string) [32]byte {
	return h.mac.Sum("password proof", []byte(hash+"\x00"+password))
}

func (h *Hasher) isProven(proof [32]byte) bool {
	end, ok := h.proven.Get(proof)
	return ok && h.clock.Now().Before(end)
}

func (c cost) hash(password string, salt []byte, size uint32) []byte {
	return argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.threads, size)
}

func encode(c cost, salt, hash []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.passes, c.threads, b64.EncodeToString(salt), b64.EncodeToString(hash))
}

// decode reads a PHC string. Costs beyond a bound are refused, so that a
// foreign row cannot exhaust the memory.
func decode(phc string) (c cost, salt, hash []byte, err error) {
	fields := strings.Split(phc, "$")
	if len(fields) != 6 || fields[0] != "" || fields[1] != "argon2id" || fields[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, fmt.Errorf("not an argon2id hash")
	}
	if _, err := fmt.Sscanf(fields[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.threads); err != nil {
		return c, nil, nil, fmt.Errorf("read the cost of a hash: %w", err)
	}
	if c.memory < 8 || c.memory > maxCost || c.passes < 1 || c.passes > 16 || c.threads < 1 {
		return c, nil, nil, fmt.Errorf("the cost of a hash is out of bounds")
	}
	if salt, err = base64.RawStdEncoding.DecodeString(fields[4]); err != nil {
		return c, nil, nil, fmt.Errorf("read the salt of a hash: %w", err)
	}
	if hash, err = base64.RawStdEncoding.DecodeString(fields[5]); err != nil || len(hash) < 16 {
		return c, nil, nil, fmt.Errorf("read a hash: %w", err)
	}
	return c, salt, hash, nil
}

// imported reports whether hash is the bare SHA-256 that an imported database
// holds (contract §18, W1).
func imported(hash string) bool {
	if len(hash) != 2*sha256.Size {
		return false
	}
	_, err := hex.DecodeString(hash)
	return err == nil
}

func matchesImported(password, hash string) bool {
	want, _ := hex.DecodeString(hash)
	got := sha256.Sum256([]byte(password))
	return subtle.ConstantTimeCompare(got[:], want) == 1
}
