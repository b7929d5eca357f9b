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
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/events"
	"pasteport/ports/event"
)

func bytes64(t *testing.T, text string) []byte {
	t.Helper()
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestRFC8291_AppendixA(t *testing.T) {
	once, err := ecdh.P256().NewPrivateKey(bytes64(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	browser := events.Browser{Key: bytes64(t, "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"), Secret: bytes64(t, "BTBZMqHH6r4Tts7J_aSIgg")}
	got, err := seal(browser, once, bytes64(t, "DGv6ra1nlYgDCS1FRnbzlw"), []byte("When I grow up, I want to be a watermelon"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if text := base64.RawURLEncoding.EncodeToString(got); text != want {
		t.Errorf("%s", text)
	}
}

// tab is a browser with a push service of its own.
type tab struct {
	key    *ecdh.PrivateKey
	secret []byte
	site   *ecdh.PrivateKey
	at     string
	status int
	got    []shown
}

func newTab(t *testing.T) *tab {
	t.Helper()
	b := &tab{secret: make([]byte, 16), status: http.StatusCreated}
	_, _ = rand.Read(b.secret)
	for _, key := range []**ecdh.PrivateKey{&b.key, &b.site} {
		made, err := ecdh.P256().GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		*key = made
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("TTL") != "259200" || r.Header.Get("Content-Encoding") != "aes128gcm" {
			t.Errorf("%s %v, %v", r.Method, r.Header, err)
		}
		b.checkProof(t, r.Header.Get("Authorization"))
		b.got = append(b.got, b.open(t, body))
		w.WriteHeader(b.status)
	}))
	t.Cleanup(service.Close)
	b.at = service.URL
	return b
}

func (b *tab) target(language string) events.Target {
	return events.Target{Type: events.Push, Address: b.at + "/push/1", Options: events.Options{Language: language}, Secrets: [][]byte{append(b.key.PublicKey().Bytes(), b.secret...)}, SiteKey: b.site}
}

// checkProof is what RFC 8292 has a push service look at.
func (b *tab) checkProof(t *testing.T, header string) {
	t.Helper()
	text, key, found := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	parts := strings.Split(text, ".")
	if !found || len(parts) != 3 || key != base64.RawURLEncoding.EncodeToString(b.site.PublicKey().Bytes()) {
		t.Errorf("%s", header)
		return
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), bytes64(t, key))
	if err != nil {
		t.Error(err)
		return
	}
	sum, signature := sha256.Sum256([]byte(parts[0]+"."+parts[1])), bytes64(t, parts[2])
	if len(signature) != 64 || !ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Errorf("the signature of %s", text)
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err := json.Unmarshal(bytes64(t, parts[1]), &claims); err != nil || claims.Aud != b.at || claims.Sub != "https://paste.example" || time.Until(time.Unix(claims.Exp, 0)) > 24*time.Hour {
		t.Errorf("%+v, %v", claims, err)
	}
}

// open decrypts a message as a browser does.
func (b *tab) open(t *testing.T, body []byte) (out shown) {
	t.Helper()
	salt, ours := body[:16], body[21:86]
	theirs, err := ecdh.P256().NewPublicKey(ours)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := b.key.ECDH(theirs)
	if err != nil {
		t.Fatal(err)
	}
	derive := func(secret, salt []byte, info string, n int) []byte {
		out, err := hkdf.Key(sha256.New, secret, salt, info, n)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	secret := derive(shared, b.secret, "WebPush: info\x00"+string(b.key.PublicKey().Bytes())+string(ours), 32)
	block, err := aes.NewCipher(derive(secret, salt, "Content-Encoding: aes128gcm\x00", 16))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gcm.Open(nil, derive(secret, salt, "Content-Encoding: nonce\x00", 12), body[86:], nil)
	if err != nil || plain[len(plain)-1] != 2 {
		t.Fatalf("%v", err)
	}
	if err := json.Unmarshal(plain[:len(plain)-1], &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestABrowserIsToldInItsLanguageAndItsPushServiceReadsNothing(t *testing.T) {
	b := newTab(t)
	s := New(poster{}, nil, Site{Title: func() string { return "Our site" }, Address: "https://paste.example"})
	for _, m := range []struct {
		language string
		message  events.Message
	}{
		{"zh", events.Message{ID: "1", Kind: event.ShareOpened, Times: 3, Data: []byte(`{"name":"report","network":"192.0.2.0/24"}`)}},
		{"en", events.Message{ID: "2", Kind: event.BackupFailed, Times: 1, Data: []byte(`{"name":"nightly","problem":"secret words"}`)}},
	} {
		m.message.Sent = time.Now()
		if out := s.Send(t.Context(), b.target(m.language), m.message); out != (events.Outcome{Status: http.StatusCreated}) {
			t.Errorf("%+v", out)
		}
	}
	want := []shown{{ID: "1", Title: "“report”被打开 (次数: 3)", Site: "Our site"}, {ID: "2", Title: "The backup “nightly” failed", Site: "Our site", Page: "/admin"}}
	if d := cmp.Diff(want, b.got); d != "" {
		t.Error(d)
	}
}

func TestAnEndedSubscriptionIsGone(t *testing.T) {
	b := newTab(t)
	s := New(poster{}, nil, Site{Address: "https://paste.example"})
	for status, want := range map[int]events.Outcome{
		404: {Status: 404, Problem: "gone", Gone: true},
		410: {Status: 410, Problem: "gone", Gone: true},
		413: {Status: 413, Problem: "status"},
		429: {Status: 429, Problem: "status", Away: true},
		403: {Status: 403, Problem: "status", Away: true},
	} {
		b.status = status
		if out := s.Send(t.Context(), b.target("en"), message()); out != want {
			t.Errorf("%d: %+v", status, out)
		}
	}
	if out := s.Send(t.Context(), events.Target{Type: events.Push, Address: b.at, SiteKey: b.site}, message()); out.Problem != "unsendable" {
		t.Errorf("without a subscription: %+v", out)
	}
}
