package notify

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pasteport/domain/events"
)

const (
	recordSize  = 4096               // of RFC 8188; a push service takes no more
	keptForPush = 3 * 24 * time.Hour // by a push service, for a browser that is away
	provenFor   = 12 * time.Hour     // RFC 8292 §2: at most 24 hours
)

// shown is what the service worker is told (webui/src/pwa/sw.ts): a sentence and a page
// of this site.
type shown struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Site  string `json:"site"`
	Page  string `json:"page,omitempty"` // from the root of the site
}

// webPush writes a message for a browser, encrypted so that its push service learns
// nothing but when it comes and how long it is: RFC 8030, 8188, 8291 and 8292.
func (s *Sender) webPush(to events.Target, m events.Message) (http.Header, []byte, error) {
	browser, ok := to.Browser()
	if !ok || to.SiteKey == nil {
		return nil, nil, errors.New("no subscription")
	}
	t := s.compose(to.Options.Language, m)
	plain, err := json.Marshal(shown{m.ID, t.Brief, t.Site, t.Page})
	if err != nil {
		return nil, nil, err
	}
	once, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	body, err := seal(browser, once, salt, plain)
	if err != nil {
		return nil, nil, err
	}
	proof, err := prove(to.SiteKey, to.Address, s.site.Address, m.Sent)
	if err != nil {
		return nil, nil, err
	}
	header := http.Header{"Content-Type": {"application/octet-stream"}, "Content-Encoding": {"aes128gcm"}, "Authorization": {proof}, "Urgency": {"normal"}}
	header.Set("Ttl", strconv.Itoa(int(keptForPush/time.Second)))
	return header, body, nil
}

// seal encrypts a text for a browser with a key that is used once (RFC 8291 §3.4), as
// one record (RFC 8188 §2).
func seal(browser events.Browser, once *ecdh.PrivateKey, salt, plain []byte) ([]byte, error) {
	theirs, err := ecdh.P256().NewPublicKey(browser.Key)
	if err != nil {
		return nil, err
	}
	shared, err := once.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	ours := once.PublicKey().Bytes()
	secret, err := hkdf.Key(sha256.New, shared, browser.Secret, "WebPush: info\x00"+string(browser.Key)+string(ours), 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	out := append([]byte{}, salt...)
	out = binary.BigEndian.AppendUint32(out, recordSize)
	out = append(append(out, byte(len(ours))), ours...)
	if len(plain)+1+gcm.Overhead() > recordSize-len(out) {
		return nil, errors.New("too long for a push service")
	}
	return gcm.Seal(out, nonce, append(plain, 2), nil), nil // 2 ends the last record
}

// prove is the Authorization by which a push service knows the site again: a JWT for
// this service alone, signed by ES256 (RFC 8292 §3).
func prove(key *ecdh.PrivateKey, endpoint, site string, now time.Time) (string, error) {
	to, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	contact := site
	if !strings.HasPrefix(contact, "https://") {
		contact = "mailto:webmaster@pasteport.example" // §2.1 wants one, and nobody has told it
	}
	claims, err := json.Marshal(map[string]any{"aud": to.Scheme + "://" + to.Host, "exp": now.Add(provenFor).Unix(), "sub": contact})
	if err != nil {
		return "", err
	}
	in64 := base64.RawURLEncoding.EncodeToString
	text := in64([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + in64(claims)
	signer, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), key.Bytes())
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	r, sig, err := ecdsa.Sign(rand.Reader, signer, sum[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	sig.FillBytes(signature[32:])
	return "vapid t=" + text + "." + in64(signature) + ", k=" + in64(key.PublicKey().Bytes()), nil
}
