package secrets

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"pasteport/ports"
)

// keySize is the length of a master key in bytes.
const keySize = 32

// ErrNoKey is returned by Open when there is no key file.
var ErrNoKey = errors.New("the master key file does not exist")

// errSealed is the answer to every value that does not open; it does not say why.
var errSealed = errors.New("a sealed value does not open with this master key")

// Vault holds the master keys of a key file. It seals values and makes keyed
// hashes. It is safe for concurrent use.
type Vault struct {
	root    []byte // the first key of the file: keyed hashes stay stable when keys are added
	current [4]byte
	sealers map[[4]byte]cipher.AEAD

	macs sync.Map // purpose to a pool of mac
}

var (
	_ ports.Sealer = (*Vault)(nil)
	_ ports.MAC    = (*Vault)(nil)
)

// Create makes a new master key and writes it to path with mode 0600. It
// refuses to replace an existing file.
func Create(path string) (*Vault, error) {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the master key: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the master key file: %w", err)
	}
	text := "# Master key of Pasteport. Keep it secret, and keep a copy apart from the database.\nv1 " + base64.StdEncoding.EncodeToString(key) + "\n"
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
		return nil, fmt.Errorf("write the master key file: %w", err)
	}
	return newVault([][]byte{key})
}

// Open reads the key file at path. Returns ErrNoKey when there is none.
func Open(path string) (*Vault, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoKey
	}
	if err != nil {
		return nil, fmt.Errorf("read the master key file: %w", err)
	}
	keys, err := parseKeys(text)
	if err != nil {
		return nil, err
	}
	return newVault(keys)
}

// Add makes a further master key, appends it to the key file at path and
// returns the vault that seals with it. The older keys stay: they open what
// they have sealed, and the first one makes the keyed hashes. A crash leaves
// the old file or the new one.
func Add(path string) (*Vault, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the master key file: %w", err)
	}
	keys, err := parseKeys(text)
	if err != nil {
		return nil, err
	}
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	text = append(text, "v1 "+base64.StdEncoding.EncodeToString(key)+"\n"...)
	if err := replaceFile(path, text); err != nil {
		return nil, fmt.Errorf("write the master key file: %w", err)
	}
	return newVault(append(keys, key))
}

// replaceFile puts text in the place of a file, as a whole and on the disk.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	if runtime.GOOS == "windows" { // whose file system writes renames down by itself
		return nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// parseKeys reads lines of the form "v1 <base64 of 32 bytes>", oldest first.
func parseKeys(text []byte) ([][]byte, error) {
	var keys [][]byte
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		version, value, _ := strings.Cut(line, " ")
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(value))
		if version != "v1" || err != nil || len(key) != keySize {
			return nil, fmt.Errorf("line %d of the master key file is not a key", n)
		}
		keys = append(keys, key)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the master key file: %w", err)
	}
	if len(keys) == 0 {
		return nil, errors.New("the master key file holds no key")
	}
	return keys, nil
}

// newVault takes the keys of a file; the last one seals, all of them open.
func newVault(keys [][]byte) (*Vault, error) {
	v := &Vault{root: keys[0], sealers: map[[4]byte]cipher.AEAD{}}
	for _, key := range keys {
		block, err := aes.NewCipher(derive(key, "seal"))
		if err != nil {
			return nil, err
		}
		gcm, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		v.current = [4]byte(derive(key, "key id"))
		v.sealers[v.current] = gcm
	}
	return v, nil
}

// derive makes the key of one purpose (HKDF-SHA-256).
func derive(master []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, master, nil, "pasteport/"+purpose, keySize)
	if err != nil {
		panic(err) // only for a length that SHA-256 cannot give
	}
	return key
}

// KeyID names the key that seals new values, in hex. It tells nothing about
// the key itself.
func (v *Vault) KeyID() string { return hex.EncodeToString(v.current[:]) }

// Current reports whether sealed was made with the key that seals now.
func (v *Vault) Current(sealed []byte) bool {
	return len(sealed) >= 5 && sealed[0] == 1 && [4]byte(sealed[1:5]) == v.current
}

// Seal encrypts plain for one place: AES-256-GCM under a random nonce. The
// result is a version byte, the key's id, the nonce and the ciphertext.
func (v *Vault) Seal(plain []byte, place string) ([]byte, error) {
	gcm := v.sealers[v.current]
	sealed := make([]byte, 0, 5+gcm.NonceSize()+len(plain)+gcm.Overhead())
	sealed = append(append(sealed, 1), v.current[:]...)
	nonce := make([]byte, gcm.NonceSize())
	_, _ = rand.Read(nonce)
	sealed = append(sealed, nonce...)
	return gcm.Seal(sealed, nonce, plain, []byte(place)), nil
}

// Open decrypts what Seal made for the same place.
func (v *Vault) Open(sealed []byte, place string) ([]byte, error) {
	if len(sealed) < 5 || sealed[0] != 1 {
		return nil, errSealed
	}
	gcm, known := v.sealers[[4]byte(sealed[1:5])]
	body := sealed[5:]
	if !known || len(body) < gcm.NonceSize() {
		return nil, errSealed
	}
	plain, err := gcm.Open(nil, body[:gcm.NonceSize()], body[gcm.NonceSize():], []byte(place))
	if err != nil {
		return nil, errSealed
	}
	return plain, nil
}

// Sum returns the HMAC-SHA-256 of data under the key of purpose.
func (v *Vault) Sum(purpose string, data []byte) (sum [32]byte) {
	pool, known := v.macs.Load(purpose)
	if !known {
		key := derive(v.root, "mac/"+purpose)
		pool, _ = v.macs.LoadOrStore(purpose, &sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, key)} }})
	}
	m := pool.(*sync.Pool).Get().(*mac)
	defer pool.(*sync.Pool).Put(m)
	m.Reset()
	m.Write(data)
	m.Sum(m.sum[:0])
	return m.sum
}

// mac is a keyed hash that is used again, with room for its result.
type mac struct {
	hash.Hash
	sum [sha256.Size]byte
}
