package storage

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// BlobPath is the front of signed requests that this server answers itself:
// BlobPath + token + "/" + file name.
const BlobPath = "/api/blob/"

// maxLinkLife bounds signed requests, as S3 does.
const maxLinkLife = 7 * 24 * time.Hour

// linkPurpose names the key that signs links.
const linkPurpose = "blob-link"

// linkVersion is the form of the tokens' content.
const linkVersion = 1

// errLinkInvalid is the refusal of a token that is not ours, not for this, or
// over. It is Forbidden, as with S3, and says no more.
var errLinkInvalid = &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Text: "link_invalid"}

// claims is what a token allows. All of it is signed, the number of a part too:
// a link lets in one part and no more than that.
type claims struct {
	Version     int           `json:"v"`
	ConfigID    string        `json:"c"`
	Key         string        `json:"k"`
	Verb        objstore.Verb `json:"m"`
	UploadID    string        `json:"u,omitempty"`
	Size        int64         `json:"s,omitempty"` // bytes; 0 means not bound
	MaxSize     int64         `json:"x,omitempty"` // bytes; 0 means not bound
	Expires     int64         `json:"e"`           // unix milliseconds
	ContentType string        `json:"t,omitempty"`
	Disposition string        `json:"d,omitempty"`
	Awaited     string        `json:"a,omitempty"` // upload that the link ends with
	Share       string        `json:"h,omitempty"` // share that the link shows, in one version
	ShareOf     int64         `json:"n,omitempty"` // that version
	Part        int           `json:"p,omitempty"` // number of the part
	Claim       string        `json:"l,omitempty"` // reservation that the bytes count against
	Settles     bool          `json:"f,omitempty"`
}

// links signs and checks tokens.
type links struct {
	mac   ports.MAC
	clock ports.Clock
}

var token64 = base64.RawURLEncoding.Strict()

func (l *links) encode(c claims) (string, error) {
	payload, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	sum := l.mac.Sum(linkPurpose, payload)
	return token64.EncodeToString(payload) + "." + token64.EncodeToString(sum[:]), nil
}

// decode returns what a token allows. Returns Forbidden for one that is not
// ours or has expired.
func (l *links) decode(token string) (c claims, err error) {
	front, back, _ := strings.Cut(token, ".")
	payload, err1 := token64.DecodeString(front)
	sum, err2 := token64.DecodeString(back)
	want := l.mac.Sum(linkPurpose, payload)
	if !hmac.Equal(sum, want[:]) || err1 != nil || err2 != nil {
		return claims{}, errLinkInvalid
	}
	if json.Unmarshal(payload, &c) != nil || c.Version != linkVersion || l.clock.Now().UnixMilli() >= c.Expires {
		return claims{}, errLinkInvalid
	}
	return c, nil
}

// sign makes a request to this server.
func (l *links) sign(configID string, r objstore.SignRequest) (objstore.SignedRequest, error) {
	if err := checkSign(r); err != nil {
		return objstore.SignedRequest{}, err
	}
	expires := l.clock.Now().UTC().Add(r.TTL)
	token, err := l.encode(claims{
		Version: linkVersion, ConfigID: configID, Key: r.Key, Verb: r.Verb, UploadID: r.UploadID, Size: r.Size, MaxSize: r.MaxSize,
		Expires: expires.UnixMilli(), ContentType: r.ContentType, Disposition: r.Disposition, Awaited: r.Awaited,
		Part: partOf(r), Claim: r.Claim, Settles: r.Settles, Share: r.Share, ShareOf: r.ShareVersion,
	})
	if err != nil {
		return objstore.SignedRequest{}, err
	}
	signed := objstore.SignedRequest{
		Method: string(r.Verb), URL: BlobPath + token + "/" + url.PathEscape(path.Base(r.Key)), Header: http.Header{}, Expires: expires,
	}
	if r.Verb == objstore.VerbPart {
		signed.Method = http.MethodPut
		signed.URL += "?partNumber=" + strconv.Itoa(r.PartNumber)
	}
	return signed, nil
}

// partOf is the number of the part that a request is for; 0 for none.
func partOf(r objstore.SignRequest) int {
	if r.Verb != objstore.VerbPart {
		return 0
	}
	return r.PartNumber
}

func checkSign(r objstore.SignRequest) error {
	if err := objstore.CheckKey(r.Key); err != nil {
		return err
	}
	if r.TTL <= 0 || r.TTL > maxLinkLife {
		return ports.InvalidInput("link_lifetime", "expires_in")
	}
	switch r.Verb {
	case objstore.VerbGet, objstore.VerbHead, objstore.VerbPut:
		return nil
	case objstore.VerbPart:
		return checkPart(r.UploadID, r.PartNumber)
	}
	return objstore.ErrUnsupported
}

func checkPart(uploadID string, number int) error {
	if uploadID == "" || number < 1 || number > objstore.MaxPart {
		return objstore.ErrBadPart
	}
	return nil
}

// linkedBucket is a bucket whose signed requests come to this server.
type linkedBucket struct {
	objstore.Bucket
	configID string
	links    *links
}

// Sign implements objstore.Bucket.
func (b *linkedBucket) Sign(ctx context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	if err := ctx.Err(); err != nil {
		return objstore.SignedRequest{}, err
	}
	return b.links.sign(b.configID, r)
}
