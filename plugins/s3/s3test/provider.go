package s3test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Provider is a server behind the proxy that makes it behave like one company's.
type Provider struct {
	Name   string
	Domain string

	gateway *Gateway
	forward *httputil.ReverseProxy

	mu         sync.Mutex
	switches   Switches
	violations []string
	partSizes  map[string]map[int]int64 // by upload id and part number
	requests   int
}

// Switches change how a server behaves.
type Switches struct {
	// Fail, when it returns a refusal, answers instead of the server.
	Fail func(r *http.Request) *Refusal
	// NativeCORS lets B2 answer browsers, as a rule set by its own tool does.
	NativeCORS bool
	// PlainListings ignores the wish for escaped keys.
	PlainListings bool
}

// Refusal is an answer in the form of S3.
type Refusal struct {
	Status  int
	Code    string
	Message string
	Header  http.Header
}

func newProvider(name, domain string, g *Gateway) *Provider {
	p := &Provider{Name: name, Domain: domain, gateway: g, partSizes: map[string]map[int]int64{}}
	p.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", g.Addr
			r.Out.Host = r.In.Host
			r.Out.URL.RawQuery = r.In.URL.RawQuery
		},
		Transport:      &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true},
		ModifyResponse: p.answered,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
	}
	return p
}

// Switch changes the behaviour until the returned function is called.
func (p *Provider) Switch(s Switches) (restore func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.switches
	p.switches = s
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.switches = before
	}
}

// Violations returns and forgets what was sent that the provider refuses.
func (p *Provider) Violations() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.violations
	p.violations = nil
	return v
}

// Requests is how many requests came so far.
func (p *Provider) Requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests++
	s := p.switches
	p.mu.Unlock()
	if s.Fail != nil {
		if refusal := s.Fail(r); refusal != nil {
			refusal.write(w)
			return
		}
	}
	if refusal := p.refuse(r); refusal != nil {
		p.mu.Lock()
		p.violations = append(p.violations, r.Method+" "+r.Host+r.URL.Path+": "+refusal.Code+" "+refusal.Message)
		p.mu.Unlock()
		refusal.write(w)
		return
	}
	if p.Name == "b2" && r.Method == http.MethodOptions && !s.NativeCORS {
		(&Refusal{Status: 403, Code: "AccessForbidden", Message: "CORSResponse: This CORS request is not allowed."}).write(w)
		return
	}
	if s.PlainListings && r.URL.Query().Has("encoding-type") {
		r = withoutEncoding(r)
		p.sign(r, nil)
	}
	if p.Name == "r2" {
		refusal, err := p.checkParts(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if refusal != nil {
			refusal.write(w)
			return
		}
	}
	if !whole(r) {
		return
	}
	p.forward.ServeHTTP(w, r)
}

// held is up to which size the proxy holds a body before it hands it on, in
// bytes: no real provider stores a body that was cut, this server does.
const held = 8 << 20

// whole reads a short body and reports whether all of it came.
func whole(r *http.Request) bool {
	if r.ContentLength <= 0 || r.ContentLength > held {
		return true
	}
	body := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true
}

func (e *Refusal) write(w http.ResponseWriter) {
	for name, values := range e.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(e.Status)
	_ = xml.NewEncoder(w).Encode(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}{Code: e.Code, Message: e.Message})
}

// refuse says what the provider does not take.
func (p *Provider) refuse(r *http.Request) *Refusal {
	if refusal := headerRefusal(p.Name, r); refusal != nil {
		return refusal
	}
	if p.Name == "aws" {
		return p.refuseAsAmazon(r)
	}
	if p.Name == "r2" {
		if region := scopeRegion(r); region != "" && region != "auto" && region != "us-east-1" {
			return &Refusal{Status: 400, Code: "InvalidRegionName", Message: "The region name '" + region + "' is not valid."}
		}
	}
	return nil
}

// headerRefusal looks for headers that the provider does not know. Amazon and
// others know more of them; no driver may need that.
func headerRefusal(provider string, r *http.Request) *Refusal {
	if strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return unsupportedHeader(provider, "x-amz-content-sha256")
	}
	bulkDelete := r.Method == http.MethodPost && r.URL.Query().Has("delete")
	names := map[string]bool{}
	for name := range r.Header {
		names[strings.ToLower(name)] = true
	}
	for name := range r.URL.Query() {
		names[strings.ToLower(name)] = true
	}
	for name := range names {
		switch {
		case strings.HasPrefix(name, "x-amz-checksum-"), name == "x-amz-sdk-checksum-algorithm", name == "x-amz-acl", strings.HasPrefix(name, "x-amz-grant-"), strings.HasPrefix(name, "x-amz-tagging"),
			strings.HasPrefix(name, "x-amz-server-side-encryption"), name == "x-amz-expected-bucket-owner", name == "x-amz-trailer":
			return unsupportedHeader(provider, name)
		}
	}
	if provider == "b2" && (r.Header.Get("If-None-Match") != "" && r.Method == http.MethodPut || bulkDelete) {
		return unsupportedHeader(provider, "if-none-match or bulk delete")
	}
	return nil
}

func unsupportedHeader(provider, name string) *Refusal {
	if provider == "r2" {
		return &Refusal{Status: 501, Code: "NotImplemented", Message: "Header '" + name + "' with value '...' not implemented"}
	}
	return &Refusal{Status: 400, Code: "InvalidArgument", Message: "Unsupported header '" + name + "' received for this API call."}
}

// refuseAsAmazon wants the bucket in the host and the right region.
func (p *Provider) refuseAsAmazon(r *http.Request) *Refusal {
	if r.Host == p.Domain {
		return &Refusal{Status: 400, Code: "InvalidRequest", Message: "path-style requests are refused"}
	}
	if region := scopeRegion(r); region != "" && region != p.gateway.Region {
		return &Refusal{
			Status: 301, Code: "PermanentRedirect", Message: "The bucket is in another region.",
			Header: http.Header{"X-Amz-Bucket-Region": {p.gateway.Region}},
		}
	}
	return nil
}

var scope = regexp.MustCompile(`[^/=]+/\d{8}/([^/]*)/s3/aws4_request`)

// scopeRegion is the region that a request is signed for, "" when it is not.
func scopeRegion(r *http.Request) string {
	credential := r.URL.Query().Get("X-Amz-Credential")
	if credential == "" {
		credential = r.Header.Get("Authorization")
	}
	if m := scope.FindStringSubmatch(credential); m != nil {
		return m[1]
	}
	return ""
}

func withoutEncoding(r *http.Request) *http.Request {
	q := r.URL.Query()
	q.Del("encoding-type")
	r = r.Clone(r.Context())
	r.URL.RawQuery = q.Encode()
	return r
}

// sign signs a request again after the proxy changed it.
func (p *Provider) sign(r *http.Request, body []byte) {
	if r.Header.Get("Authorization") == "" {
		return
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Content-Sha256", hash)
	r.Header.Del("Authorization")
	out := r.Clone(r.Context())
	out.Header = http.Header{"X-Amz-Content-Sha256": {hash}}
	out.URL.Host, out.Host = r.Host, r.Host
	out.ContentLength = int64(len(body))
	_ = v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }).SignHTTP(r.Context(),
		aws.Credentials{AccessKeyID: AccessKey, SecretAccessKey: SecretKey}, out, hash, "s3", p.gateway.Region, time.Now())
	for _, name := range []string{"Authorization", "X-Amz-Date"} {
		r.Header.Set(name, out.Header.Get(name))
	}
}

// partTag is the front of R2's ETags of parts, which are no MD5 sums.
const partTag = "r2part-"

// checkParts remembers the sizes of parts and refuses to join unequal ones.
func (p *Provider) checkParts(r *http.Request) (*Refusal, error) {
	id := r.URL.Query().Get("uploadId")
	if id == "" {
		return nil, nil
	}
	if number, err := strconv.Atoi(r.URL.Query().Get("partNumber")); err == nil && r.Method == http.MethodPut {
		size := r.ContentLength
		var first, last int64
		if n, _ := fmt.Sscanf(r.Header.Get("X-Amz-Copy-Source-Range"), "bytes=%d-%d", &first, &last); n == 2 {
			size = last - first + 1
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.partSizes[id] == nil {
			p.partSizes[id] = map[int]int64{}
		}
		p.partSizes[id][number] = size
		return nil, nil
	}
	if r.Method != http.MethodPost {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if refusal := p.unequal(id, body); refusal != nil {
		return refusal, nil
	}
	body = bytes.ReplaceAll(body, []byte(partTag), nil)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	p.sign(r, body)
	return nil, nil
}

func (p *Provider) unequal(id string, body []byte) *Refusal {
	var list struct {
		Part []struct{ PartNumber int }
	}
	if xml.Unmarshal(body, &list) != nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var sizes []int64
	for _, part := range list.Part {
		if size, ok := p.partSizes[id][part.PartNumber]; ok {
			sizes = append(sizes, size)
		}
	}
	if len(sizes) < 2 {
		return nil
	}
	front := sizes[:len(sizes)-1]
	if slices.Min(front) != slices.Max(front) || sizes[len(sizes)-1] > front[0] {
		return &Refusal{Status: 400, Code: "InvalidPart", Message: "All non-trailing parts must have the same length."}
	}
	return nil
}

var listedTag = regexp.MustCompile(`<ETag>(&#34;|&quot;|")?`)

// answered changes what the server says into what the provider would say.
func (p *Provider) answered(resp *http.Response) error {
	if p.Name == "b2" && !p.nativeCORS() {
		for name := range resp.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				resp.Header.Del(name)
			}
		}
	}
	q := resp.Request.URL.Query()
	if p.Name != "r2" || q.Get("uploadId") == "" || resp.StatusCode != http.StatusOK {
		return nil
	}
	if tag := resp.Header.Get("ETag"); tag != "" && q.Has("partNumber") {
		resp.Header.Set("ETag", `"`+partTag+strings.Trim(tag, `"`)+`"`)
	}
	copied := resp.Request.Header.Get("X-Amz-Copy-Source") != ""
	if resp.Request.Method == http.MethodGet || copied {
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		body = listedTag.ReplaceAll(body, []byte("${0}"+partTag))
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return nil
}

func (p *Provider) nativeCORS() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.switches.NativeCORS
}

// Addr is the host and port of the server itself, without the proxy: for
// measurements.
func (p *Provider) Addr() string { return p.gateway.Addr }
