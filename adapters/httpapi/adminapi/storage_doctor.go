package adminapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/adapters/httpapi/words"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// storageTestOps try a storage out. They answer 200 also when it fails: the
// verdict stands in the data.
func storageTestOps(a *httpapi.API, configs *storage.Configs) {
	actions := []policy.Action{policy.StorageWrite}

	httpapi.Handle(a, httpapi.Op{Name: "storage.test", Method: http.MethodPost, Path: "/api/s3-configs/{id}/test", Actions: actions, Class: httpapi.Heavy, Errors: []string{"not_found"},
		Summary: "Tries all that is done with a storage, step by step, and says what to change where something fails."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.Answer[testJSON], error) {
			report, err := configs.Test(ctx, who, in.ID, askingPage(ctx, a))
			return testAnswer(ctx, report, err)
		})

	httpapi.Handle(a, httpapi.Op{Name: "storage.try", Method: http.MethodPost, Path: "/api/s3-configs/test", Actions: actions, Body: httpapi.JSON, Class: httpapi.Heavy,
		Confirm: httpapi.ConfirmIf(func(ctx context.Context, in draftRequest) (bool, error) {
			return isOwnDisk(ctx, configs, in.ConfigID.Value, in.configRequest)
		}),
		Errors: []string{"not_found"}, Summary: "Tries a storage config before it is saved; with an id, a stored one with changes."},
		func(ctx context.Context, who policy.Principal, in draftRequest) (httpapi.Answer[testJSON], error) {
			draft, err := in.draft()
			if err != nil {
				return httpapi.Answer[testJSON]{}, err
			}
			report, err := configs.TestDraft(ctx, who, in.ConfigID.Value, draft, askingPage(ctx, a))
			return testAnswer(ctx, report, err)
		})
}

// storageRuleOps mend what the test may find.
func storageRuleOps(a *httpapi.API, configs *storage.Configs) {
	httpapi.Handle(a, httpapi.Op{Name: "storage.set_cors", Method: http.MethodPost, Path: "/api/s3-configs/{id}/cors", Actions: []policy.Action{policy.StorageWrite}, Body: httpapi.JSON,
		Class: httpapi.Heavy, Errors: []string{"not_found", "not_supported", "storage_denied", "storage_unavailable"},
		Summary: "Gives a storage the cross-origin rule that browser uploads need, where its driver can; without origins, for the page that asks."},
		func(ctx context.Context, who policy.Principal, in corsRequest) (httpapi.None, error) {
			origins := in.Origins
			if len(origins) == 0 {
				origins = []string{askingPage(ctx, a).Origin}
			}
			return httpapi.None{}, configs.EnsureCORS(ctx, who, in.ID, origins)
		})
}

type corsRequest struct {
	ID      string   `path:"id"`
	Origins []string `json:"origins"` // "https://host"
}

// draftRequest is a config that is not saved yet.
type draftRequest struct {
	configRequest
	ConfigID wire.Opt[string] `json:"id"` // of the stored config whose fields are kept
}

// askingPage is where the request comes from.
func askingPage(ctx context.Context, a *httpapi.API) storage.Page {
	scope := httpapi.ScopeOf(ctx)
	own := originOnly(scope.Origin())
	p := storage.Page{Origin: scope.Request().Header.Get("Origin"), Own: ownProber{a}}
	if p.Origin == "" {
		p.Origin = own
	}
	p.SameOrigin = p.Origin == own
	return p
}

// originOnly takes the base path off an address.
func originOnly(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// OwnProber answers requests to this server without the network.
func OwnProber(a *httpapi.API) ports.Prober { return ownProber{a} }

// ownProber answers requests to this server without the network.
type ownProber struct{ api *httpapi.API }

// Probe implements ports.Prober.
func (o ownProber) Probe(ctx context.Context, p ports.Probe) (answer ports.ProbeAnswer, err error) {
	target := o.api.Base() + p.URL
	r, err := http.NewRequestWithContext(ctx, p.Method, target, bytes.NewReader(p.Body))
	if err != nil {
		return answer, ports.ErrUnavailable.With(err)
	}
	r.RequestURI, r.Host, r.RemoteAddr = target, "localhost", "127.0.0.1:0"
	for name, values := range p.Header {
		r.Header[name] = values
	}
	w := &headWriter{header: http.Header{}}
	defer func() {
		if failure := recover(); failure != nil {
			if failure != http.ErrAbortHandler {
				panic(failure)
			}
			err = ports.ErrUnavailable
		}
	}()
	o.api.ServeHTTP(w, r)
	return ports.ProbeAnswer{Status: w.status, Header: w.header}, nil
}

// headWriter keeps the head of an answer only.
type headWriter struct {
	header http.Header
	status int
}

func (w *headWriter) Header() http.Header { return w.header }

func (w *headWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
}

func (w *headWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return io.Discard.Write(p)
}

// testJSON is the result of a test (contract §8).
type testJSON struct {
	Success bool           `json:"success"`
	Result  testResultJSON `json:"result"`
}

type testResultJSON struct {
	Read           testReadJSON    `json:"read"`
	Write          testWriteJSON   `json:"write"`
	CORS           testCORSJSON    `json:"cors"`
	FrontendSim    testBrowserJSON `json:"frontendSim"`
	ConnectionInfo testPlaceJSON   `json:"connectionInfo"`
	GlobalNote     string          `json:"globalNote"`
	Steps          []testStepJSON  `json:"steps"`
}

// testPartJSON begins each part of the old form.
type testPartJSON struct {
	Success bool    `json:"success"`
	Error   *string `json:"error"`
	Code    *string `json:"code"`
	Note    string  `json:"note"`
}

type testReadJSON struct {
	testPartJSON
	ObjectCount  int              `json:"objectCount"`
	Prefix       string           `json:"prefix"`
	FirstObjects []testObjectJSON `json:"firstObjects"`
}

type testObjectJSON struct {
	Key          string       `json:"key"`
	Size         string       `json:"size"` // in words
	LastModified wire.Instant `json:"lastModified"`
}

type testWriteJSON struct {
	testPartJSON
	UploadTime int64  `json:"uploadTime"` // ms
	TestFile   string `json:"testFile"`
	Cleaned    bool   `json:"cleaned"`
}

type testCORSJSON struct {
	testPartJSON
	AllowOrigin     *string           `json:"allowOrigin"`
	AllowMethods    *string           `json:"allowMethods"`
	AllowHeaders    *string           `json:"allowHeaders"`
	ExposeHeaders   *string           `json:"exposeHeaders"`
	MaxAge          *string           `json:"maxAge"`
	StatusCode      int               `json:"statusCode"`
	Detail          string            `json:"detail"`
	UploadSupported bool              `json:"uploadSupported"`
	ConfigGuide     *string           `json:"configGuide"` // a rule to copy
	ResponseHeaders map[string]string `json:"responseHeaders"`
}

type testBrowserJSON struct {
	testPartJSON
	Steps           testPhasesJSON `json:"steps"`
	TotalDuration   int64          `json:"totalDuration"` // ms
	TestFile        string         `json:"testFile"`
	FailedAt        *string        `json:"failedAt"`
	Troubleshooting *string        `json:"troubleshooting"`
}

type testPhasesJSON struct {
	Sign    testSignJSON    `json:"step1"`
	Put     testPutJSON     `json:"step2"`
	Inspect testInspectJSON `json:"step3"`
}

type testSignJSON struct {
	Name         string `json:"name"`
	Success      bool   `json:"success"`
	Duration     int64  `json:"duration"`     // ms
	PresignedURL string `json:"presignedUrl"` // without its signature
}

type testPutJSON struct {
	Name        string `json:"name"`
	Success     bool   `json:"success"`
	Duration    int64  `json:"duration"` // ms
	StatusCode  int    `json:"statusCode"`
	ETag        string `json:"etag"`
	UploadSpeed string `json:"uploadSpeed"`
}

type testInspectJSON struct {
	Name         string       `json:"name"`
	Success      bool         `json:"success"`
	Duration     int64        `json:"duration"` // ms
	FileSize     int64        `json:"fileSize"` // bytes
	LastModified wire.Instant `json:"lastModified"`
	ContentType  string       `json:"contentType"`
	FileCleaned  bool         `json:"fileCleaned"`
}

type testPlaceJSON struct {
	Bucket             string `json:"bucket"`
	Endpoint           string `json:"endpoint"`
	Region             string `json:"region"`
	PathStyle          string `json:"pathStyle"`
	Provider           string `json:"provider"`
	Driver             string `json:"driver"`
	DefaultFolder      string `json:"defaultFolder"`
	RootPrefix         string `json:"rootPrefix"`
	CustomHost         string `json:"customHost"`
	SignatureExpiresIn string `json:"signatureExpiresIn"`
}

// testStepJSON is one step, in words.
type testStepJSON struct {
	Name    string  `json:"name"`
	Label   string  `json:"label"`
	State   string  `json:"state"` // ok, warning, failed, skipped
	OK      bool    `json:"ok"`    // false only when it failed
	Took    int64   `json:"ms"`
	Cause   *string `json:"cause"`
	Remedy  *string `json:"remedy"`
	Detail  *string `json:"detail"` // what the log is told, in no language of ours
	Code    *string `json:"code"`
	Skipped bool    `json:"skipped"`
}

// testAnswer puts a report into words, and into the log what failed.
func testAnswer(ctx context.Context, r *storage.Report, err error) (httpapi.Answer[testJSON], error) {
	if err != nil {
		return httpapi.Answer[testJSON]{}, err
	}
	for _, s := range r.Steps {
		if !s.OK() {
			httpapi.ScopeOf(ctx).Log().LogAttrs(ctx, slog.LevelWarn, "storage test failed", slog.String("request_id", httpapi.ScopeOf(ctx).RequestID()), slog.String("config", r.Config.ID),
				slog.String("driver", r.Config.Driver), slog.String("step", s.Name), slog.String("code", s.Code), slog.String("cause", cmp.Or(s.Detail, s.Cause)))
		}
	}
	t := testWords{httpapi.ScopeOf(ctx), r}
	verdict := "doctor.verdict_" + string(r.Verdict())
	return httpapi.Answer[testJSON]{Text: verdict, Data: testJSON{Success: r.OK(), Result: testResultJSON{
		Read: t.read(), Write: t.write(), CORS: t.cors(), FrontendSim: t.browser(), ConnectionInfo: t.place(),
		GlobalNote: t.say(verdict, nil), Steps: t.steps(),
	}}}, nil
}

// testWords says in the language of the request what a report holds.
type testWords struct {
	scope httpapi.Scope
	*storage.Report
}

func (t testWords) say(key string, params map[string]any) string {
	return t.scope.Say(key, params)
}

// sayOf is say for a key that may be empty.
func (t testWords) sayOf(key string, params map[string]any) *string {
	if key == "" {
		return nil
	}
	text := t.say(key, params)
	return &text
}

// causeOf is why a step ended as it did: in the driver's words, in ours, or, of
// a text that only the driver knows, by the machine code.
func (t testWords) causeOf(s storage.Step) *string {
	key := s.Cause
	if _, known := words.Catalogue[key]; !known && key != "" {
		key = words.UnknownText(s.Code, s.Params)
	}
	if own := words.OwnWords(s.Messages, t.scope.Language()); own != "" {
		return &own
	}
	return t.sayOf(key, s.Params)
}

func (t testWords) steps() []testStepJSON {
	out := make([]testStepJSON, len(t.Steps))
	for i, s := range t.Steps {
		out[i] = testStepJSON{Name: s.Name, Label: t.say("doctor.step_"+s.Name, nil), State: string(s.Outcome), OK: s.OK(), Took: s.Took.Milliseconds(),
			Cause: t.causeOf(s), Remedy: t.sayOf(s.Remedy, s.Params), Detail: wire.TextOrNull(s.Detail), Code: wire.TextOrNull(s.Code), Skipped: s.Outcome == storage.Skipped}
	}
	return out
}

// part is the common front of a part of the old form. A skipped step counts as
// good unless there was nothing to try it on.
func (t testWords) part(name string) testPartJSON {
	s := t.Step(name)
	p := testPartJSON{Success: s.OK(), Note: t.say("doctor.step_"+name, nil)}
	if !t.Step(storage.StepConnect).OK() {
		s, p.Success = t.Step(storage.StepConnect), false
	}
	switch {
	case !p.Success:
		p.Error, p.Code = t.causeOf(s), wire.TextOrNull(s.Code)
		if s.Remedy != "" {
			p.Note = t.say(s.Remedy, s.Params)
		}
	case s.Cause != "":
		p.Note = t.say(s.Cause, s.Params)
	}
	return p
}

func (t testWords) read() testReadJSON {
	const shown = 3
	out := testReadJSON{testPartJSON: t.part(storage.StepList), ObjectCount: len(t.Objects), Prefix: t.Prefix, FirstObjects: []testObjectJSON{}}
	for _, o := range t.Objects[:min(shown, len(t.Objects))] {
		out.FirstObjects = append(out.FirstObjects, testObjectJSON{Key: o.Key, Size: words.SizeText(o.Size), LastModified: wire.Instant(o.ModTime)})
	}
	return out
}

func (t testWords) write() testWriteJSON {
	return testWriteJSON{testPartJSON: t.part(storage.StepWrite), UploadTime: t.Step(storage.StepWrite).Took.Milliseconds(), TestFile: t.Key, Cleaned: t.Cleaned}
}

func (t testWords) cors() testCORSJSON {
	c, s := t.CORS, t.Step(storage.StepCORS)
	out := testCORSJSON{testPartJSON: t.part(storage.StepCORS), AllowOrigin: wire.TextOrNull(c.AllowOrigin), AllowMethods: wire.TextOrNull(c.AllowMethods),
		AllowHeaders: wire.TextOrNull(c.AllowHeaders), ExposeHeaders: wire.TextOrNull(c.ExposeHeaders), MaxAge: wire.TextOrNull(c.MaxAge), StatusCode: c.Status,
		ResponseHeaders: map[string]string{}}
	out.Detail, out.UploadSupported = out.Note, out.Success && (s.Outcome == storage.Skipped || c.AllowsUpload())
	for name, value := range map[string]string{"Access-Control-Allow-Origin": c.AllowOrigin, "Access-Control-Allow-Methods": c.AllowMethods,
		"Access-Control-Allow-Headers": c.AllowHeaders, "Access-Control-Expose-Headers": c.ExposeHeaders, "Access-Control-Max-Age": c.MaxAge} {
		if value != "" {
			out.ResponseHeaders[name] = value
		}
	}
	if s.Remedy == "doctor.cors_remedy" {
		out.ConfigGuide = corsRuleFor(c.Origin)
	}
	return out
}

// corsRuleFor is the rule that a bucket needs, in the form of the S3 API.
func corsRuleFor(origin string) *string {
	rule, err := json.MarshalIndent([]map[string]any{{"AllowedOrigins": []string{origin}, "AllowedMethods": []string{"GET", "HEAD", "PUT"},
		"AllowedHeaders": []string{"*"}, "ExposeHeaders": []string{"ETag"}, "MaxAgeSeconds": 3600}}, "", "  ")
	if err != nil {
		return nil
	}
	text := string(rule)
	return &text
}

func (t testWords) browser() testBrowserJSON {
	b, s := t.Browser, t.Step(storage.StepBrowser)
	out := testBrowserJSON{testPartJSON: t.part(storage.StepBrowser), TotalDuration: s.Took.Milliseconds(), TestFile: b.Key,
		Steps: testPhasesJSON{
			Sign: testSignJSON{Name: t.say("doctor.phase_sign", nil), Success: b.Sign.OK, Duration: b.Sign.Took.Milliseconds(), PresignedURL: b.Address},
			Put: testPutJSON{Name: t.say("doctor.phase_put", nil), Success: b.Put.OK, Duration: b.Put.Took.Milliseconds(), StatusCode: b.Status, ETag: b.ETag,
				UploadSpeed: speed(b.Object.Size, b.Put.Took)},
			Inspect: testInspectJSON{Name: t.say("doctor.phase_inspect", nil), Success: b.Inspect.OK, Duration: b.Inspect.Took.Milliseconds(),
				FileSize: b.Object.Size, LastModified: wire.Instant(b.Object.ModTime), ContentType: b.Object.ContentType, FileCleaned: t.Cleaned},
		}}
	if out.Success {
		return out
	}
	failed := "step1"
	if b.Inspect.Took > 0 {
		failed = "step3"
	} else if b.Put.Took > 0 {
		failed = "step2"
	}
	out.FailedAt, out.Troubleshooting = &failed, t.sayOf(s.Remedy, s.Params)
	return out
}

// speed is bytes over time in words.
func speed(size int64, took time.Duration) string {
	if took <= 0 {
		return words.SizeText(0) + "/s"
	}
	return words.SizeText(int64(float64(size)/took.Seconds())) + "/s"
}

func (t testWords) place() testPlaceJSON {
	c := t.Config
	off := "doctor.off"
	if c.PathStyle {
		off = "doctor.on"
	}
	return testPlaceJSON{Bucket: c.BucketName, Endpoint: c.EndpointURL, Region: c.Region, PathStyle: t.say(off, nil), Provider: c.ProviderType,
		Driver: c.Driver, DefaultFolder: c.DefaultFolder, RootPrefix: c.RootPrefix(), CustomHost: c.CustomHost,
		SignatureExpiresIn: t.say("doctor.seconds", map[string]any{"seconds": c.SignatureExpiresIn})}
}
