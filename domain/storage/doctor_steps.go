package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// testContent is what the test's objects hold.
var testContent = []byte("Pasteport tests this storage. This object is removed again.\n")

// errDiffers is a storage that gives back something else than it got.
var errDiffers = &finding{outcome: Failed, cause: "doctor.differs", remedy: "doctor.differs_remedy"}

// maxSkew is how far clocks may be apart: most storages allow 15 minutes.
const maxSkew = 5 * time.Minute

// listedObjects is how many objects the listing asks for (contract §8).
const listedObjects = 10

func (e *examination) list(ctx context.Context) error {
	page, err := e.bucket.List(ctx, objstore.ListQuery{Prefix: e.report.Prefix, Limit: listedObjects})
	e.report.Objects = page.Objects
	if root := e.report.Config.RootPrefix(); err == nil && root != "" { // what mounts show
		_, err = e.bucket.List(ctx, objstore.ListQuery{Prefix: root, Limit: 1})
	}
	return err
}

func (e *examination) write(ctx context.Context) error {
	key := e.name + ".txt"
	e.left = append(e.left, key)
	e.report.Key = key
	o, err := e.bucket.Write(ctx, key, bytes.NewReader(testContent), objstore.WriteOptions{Size: int64(len(testContent)), ContentType: "text/plain"})
	if err == nil && o.Size != int64(len(testContent)) {
		return errDiffers
	}
	return err
}

// wrote returns an error when there is nothing to read back.
func (e *examination) wrote() error {
	if e.report.Step(StepWrite).Outcome != Passed {
		return skip("doctor.after_write")
	}
	return nil
}

func (e *examination) read(ctx context.Context) error {
	if err := e.wrote(); err != nil {
		return err
	}
	return e.expect(ctx, objstore.Range{}, testContent)
}

func (e *examination) readRange(ctx context.Context) error {
	if !e.info.Features.Range {
		return skip("doctor.driver_cannot")
	}
	if err := e.wrote(); err != nil {
		return err
	}
	const from, length = 10, 5
	return e.expect(ctx, objstore.Range{Offset: from, Length: length}, testContent[from:from+length])
}

// expect reads the object that was written.
func (e *examination) expect(ctx context.Context, r objstore.Range, want []byte) error {
	body, err := e.bucket.Read(ctx, e.report.Key, r)
	if err != nil {
		return err
	}
	defer body.Close()
	got, err := io.ReadAll(io.LimitReader(body, int64(len(want))+1))
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errDiffers
	}
	return nil
}

func (e *examination) multipart(ctx context.Context) error {
	m := e.bucket.Multipart()
	if m == nil || !e.info.Features.Multipart {
		return skip("doctor.driver_cannot")
	}
	key := e.name + "_parts.txt"
	id, err := m.Create(ctx, key, objstore.WriteOptions{Size: int64(len(testContent)), ContentType: "text/plain"})
	if err != nil {
		return err
	}
	e.upload = func(ctx context.Context) { _ = m.Abort(ctx, key, id) } // an unfinished one is removed with age, too
	part, err := m.WritePart(ctx, key, id, 1, bytes.NewReader(testContent), int64(len(testContent)))
	if err != nil {
		return err
	}
	parts, err := m.ListParts(ctx, key, id)
	if err != nil {
		return err
	}
	if len(parts) != 1 || parts[0].Number != 1 || parts[0].Size != int64(len(testContent)) {
		return errDiffers
	}
	e.left = append(e.left, key)
	if _, err := m.Complete(ctx, key, id, []objstore.Part{part}); err != nil {
		return err
	}
	e.upload = nil
	o, err := e.bucket.Stat(ctx, key)
	if err == nil && o.Size != int64(len(testContent)) {
		return errDiffers
	}
	return err
}

// browser uploads as a page does: by a signed request that is sent from
// elsewhere.
func (e *examination) browser(ctx context.Context) error {
	if err := e.browsers(); err != nil {
		return err
	}
	b := &e.report.Browser
	b.Key = e.name + "_browser.txt"
	start := time.Now()
	signed, err := e.bucket.Sign(ctx, e.putRequest(b.Key))
	b.Sign = Phase{err == nil, time.Since(start)}
	if err != nil {
		return err
	}
	b.Address = withoutQuery(signed.URL)
	e.left = append(e.left, b.Key)
	start = time.Now()
	err = e.put(ctx, signed)
	b.Put = Phase{err == nil, time.Since(start)}
	if err != nil {
		return err
	}
	start = time.Now()
	b.Object, err = e.bucket.Stat(ctx, b.Key)
	b.Inspect = Phase{err == nil, time.Since(start)}
	if err == nil && b.Object.Size != int64(len(testContent)) {
		b.Inspect.OK = false
		return errDiffers
	}
	return err
}

// browsers returns an error when no browser can upload to the storage, or none
// can before its config is saved.
func (e *examination) browsers() error {
	if !e.info.Features.BrowserUpload {
		return skip("doctor.no_browser")
	}
	if _, linked := e.bucket.(*linkedBucket); linked && !e.stored {
		return skip("doctor.unsaved")
	}
	return nil
}

func (e *examination) putRequest(key string) objstore.SignRequest {
	return objstore.SignRequest{Verb: objstore.VerbPut, Key: key, Audience: objstore.Browser, TTL: time.Hour}
}

// put sends a signed upload.
func (e *examination) put(ctx context.Context, signed objstore.SignedRequest) error {
	header := http.Header{"Content-Type": {"text/plain"}, "Origin": {e.page.Origin}}
	for name, values := range signed.Header {
		header[name] = values
	}
	answer, err := e.probe(ctx, ports.Probe{Method: http.MethodPut, URL: signed.URL, Header: header, Body: testContent})
	if err != nil {
		return err
	}
	e.report.Browser.Status = answer.Status
	e.report.Browser.ETag = strings.Trim(shortHeader(answer.Header.Get("ETag")), `"`)
	e.report.CORS.ExposeHeaders = shortHeader(answer.Header.Get("Access-Control-Expose-Headers"))
	if answer.Status/100 != 2 {
		return &finding{outcome: Failed, cause: "doctor.put_refused", remedy: "doctor.put_remedy", params: map[string]any{"status": answer.Status}}
	}
	return nil
}

// cors asks as a browser does before it uploads.
func (e *examination) cors(ctx context.Context) error {
	if err := e.browsers(); err != nil {
		return err
	}
	if _, linked := e.bucket.(*linkedBucket); linked && e.page.SameOrigin {
		return skip("doctor.same_origin")
	}
	signed, err := e.bucket.Sign(ctx, e.putRequest(e.name+"_browser.txt"))
	if err != nil {
		return err
	}
	answer, err := e.probe(ctx, ports.Probe{Method: http.MethodOptions, URL: signed.URL, Header: http.Header{
		"Origin": {e.page.Origin}, "Access-Control-Request-Method": {http.MethodPut}, "Access-Control-Request-Headers": {"content-type"},
	}})
	if err != nil {
		return err
	}
	c := &e.report.CORS
	c.Status = answer.Status
	c.AllowOrigin, c.AllowMethods = shortHeader(answer.Header.Get("Access-Control-Allow-Origin")), shortHeader(answer.Header.Get("Access-Control-Allow-Methods"))
	c.AllowHeaders, c.MaxAge = shortHeader(answer.Header.Get("Access-Control-Allow-Headers")), shortHeader(answer.Header.Get("Access-Control-Max-Age"))
	params := map[string]any{"origin": e.page.Origin}
	switch {
	case c.AllowOrigin != "*" && c.AllowOrigin != e.page.Origin || c.Status/100 != 2:
		return &finding{outcome: Failed, cause: "doctor.cors_refused", remedy: "doctor.cors_remedy", params: params}
	case !c.AllowsUpload():
		return &finding{outcome: Failed, cause: "doctor.cors_no_put", remedy: "doctor.cors_remedy", params: params}
	case e.report.Browser.Put.OK && !lists(c.ExposeHeaders, "etag"):
		return &finding{outcome: Warning, cause: "doctor.cors_no_etag", remedy: "doctor.cors_remedy", params: params}
	}
	return nil
}

// AllowsUpload reports whether pages may send a PUT with a content type.
func (c CORSReport) AllowsUpload() bool {
	return lists(c.AllowMethods, "put") && lists(c.AllowHeaders, "content-type")
}

// lists reports whether a header's list holds a value, in lower case, or "*".
func lists(header, value string) bool {
	return slices.ContainsFunc(strings.Split(header, ","), func(item string) bool {
		item = strings.ToLower(strings.TrimSpace(item))
		return item == value || item == "*"
	})
}

func (e *examination) remove(ctx context.Context) error {
	if len(e.left) == 0 {
		return skip("doctor.after_write")
	}
	keys := slices.Clone(e.left)
	if err := e.drop(ctx); err != nil {
		return err
	}
	if _, err := e.bucket.Stat(ctx, keys[0]); err == nil {
		e.left = keys[:1]
		return errDiffers
	} else if !ports.Is(err, ports.NotFound) {
		return err
	}
	return nil
}

// clock compares the storage's clock with ours: a signature tells the time.
func (e *examination) clock(context.Context) error {
	if e.theirs.IsZero() {
		return skip("doctor.no_clock")
	}
	skew := e.theirs.Sub(e.ours).Round(time.Second)
	if skew.Abs() > maxSkew {
		return &finding{outcome: Failed, cause: "doctor.clock_skew", remedy: "doctor.clock_remedy", params: map[string]any{"seconds": int64(skew / time.Second)}}
	}
	return nil
}

// probe sends a request to the storage, or to this server.
func (e *examination) probe(ctx context.Context, p ports.Probe) (ports.ProbeAnswer, error) {
	if strings.HasPrefix(p.URL, "/") {
		return e.page.Own.Probe(ctx, p)
	}
	answer, err := e.remote.Probe(ctx, p)
	if date, bad := http.ParseTime(answer.Header.Get("Date")); err == nil && bad == nil {
		e.theirs, e.ours = date, e.Now()
	}
	return answer, err
}

// explanations are causes and remedies by the text of a driver's error.
var explanations = map[string]struct{ cause, remedy string }{
	"storage_bucket_missing":      {"doctor.bucket", "doctor.bucket_remedy"},
	"storage_access_denied":       {"doctor.denied", "doctor.denied_remedy"},
	"storage_key_unknown":         {"doctor.key", "doctor.key_remedy"},
	"storage_secret_wrong":        {"doctor.secret", "doctor.key_remedy"},
	"storage_credentials_expired": {"doctor.credentials_over", "doctor.key_remedy"},
	"storage_credentials_missing": {"doctor.no_credentials", "doctor.machine_remedy"},
	"storage_cap_exceeded":        {"doctor.full", "doctor.full_remedy"},
	"storage_object_archived":     {"doctor.archived", "doctor.archived_remedy"},
	"storage_region_wrong":        {"doctor.region", "doctor.region_remedy"},
	"storage_clock_skew":          {"doctor.clock_skew", "doctor.clock_remedy"},
	"storage_answer_invalid":      {"storage_answer_invalid", "doctor.unexpected_remedy"},
	"driver_answer_invalid":       {"driver_answer_invalid", "doctor.author_remedy"},
	"driver_unknown":              {"driver_unknown", "doctor.driver_remedy"},
}

// byCode are causes and remedies where the text says nothing.
var byCode = map[ports.Code]struct{ cause, remedy string }{
	ports.Forbidden:   {"doctor.denied", "doctor.denied_remedy"},
	ports.BadGateway:  {"doctor.denied", "doctor.denied_remedy"},
	ports.NotFound:    {"doctor.bucket", "doctor.bucket_remedy"},
	ports.Unavailable: {"doctor.unreachable", "doctor.unreachable_remedy"},
	ports.Quota:       {"doctor.full", "doctor.full_remedy"},
}

// explain turns an error of a driver into words. Its cause is told but for the
// secrets in it: the operator alone makes tests, and the drivers for S3 keep what
// a storage writes out of it.
func (e *examination) explain(s *Step, err error) {
	s.Outcome, s.Cause, s.Remedy, s.Detail = Failed, "doctor.unexpected", "doctor.unexpected_remedy", e.hide.Replace(detailOf(err))
	if isContext(err) {
		s.Cause, s.Remedy = "doctor.slow", "doctor.unreachable_remedy"
		return
	}
	var ours *ports.Error
	if !errors.As(err, &ours) {
		return
	}
	s.Code, s.Params, s.Messages = ours.Key, ours.Params, maps.Clone(ours.Messages)
	for tag, text := range s.Messages {
		s.Messages[tag] = e.hide.Replace(text)
	}
	if known, ok := explanations[ours.Text]; ok {
		s.Cause, s.Remedy = known.cause, known.remedy
		return
	}
	switch {
	case ours.Key == ports.ErrUnavailable.Key: // BadGateway may carry it, too
		s.Cause, s.Remedy = byCode[ports.Unavailable].cause, byCode[ports.Unavailable].remedy
	case ours.Code == ports.Invalid:
		s.Cause, s.Remedy = cmp.Or(ours.Text, ours.Key), "doctor.settings_remedy"
	case ours.Code == ports.NotImplemented:
		s.Outcome, s.Cause, s.Remedy = Skipped, "doctor.driver_cannot", ""
	default:
		if known, ok := byCode[ours.Code]; ok {
			s.Cause, s.Remedy = known.cause, known.remedy
		}
		if s.Detail != "" && (e.info.StorageType != s3Type || ours.Text != "" || ours.Messages != nil) {
			s.Remedy = "doctor.detail_remedy" // what helps with S3 need not help here
		}
	}
}

// detailOf is the cause that an error carries, for the log; empty without one.
func detailOf(err error) string {
	var ours *ports.Error
	if errors.As(err, &ours) {
		if err = ours.Cause; err == nil {
			return ""
		}
	}
	const most = 2000
	return short(err.Error(), most)
}

// withoutQuery is an address without its signature.
func withoutQuery(address string) string {
	if u, err := url.Parse(address); err == nil && u.IsAbs() {
		return u.Scheme + "://" + u.Host + u.EscapedPath()
	}
	return BlobPath // the token in it is the signature
}

// maxHeader bounds a header in a report, in bytes.
const maxHeader = 200

// shortHeader bounds a header that a stranger wrote and keeps plain ASCII.
func shortHeader(header string) string {
	header = strings.Map(func(r rune) rune {
		if r > '~' {
			return -1
		}
		return r
	}, header)
	return short(header, maxHeader)
}

// short bounds a text that a stranger wrote and takes control characters out.
func short(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
