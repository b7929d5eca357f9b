package adminapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/enginetest"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// tried is a test's answer as the tests look at it.
type tried struct {
	Success bool
	Result  struct {
		Read struct {
			Success      bool
			Error, Code  *string
			ObjectCount  int
			Prefix       string
			FirstObjects []struct{ Key, Size, LastModified string }
		}
		Write struct {
			Success, Cleaned bool
			Error            *string
			TestFile         string
		}
		CORS struct {
			Success, UploadSupported bool
			Error, AllowOrigin       *string
			StatusCode               int
			ConfigGuide              *string
		}
		FrontendSim struct {
			Success         bool
			Error, FailedAt *string
			Troubleshooting *string
			TestFile        string
			Steps           struct{ Step1, Step2, Step3 triedPhase }
			TotalDuration   int64
		}
		ConnectionInfo struct{ Bucket, Endpoint, DefaultFolder, PathStyle string }
		GlobalNote     string
		Steps          []triedStep
	}
}

type triedStep struct {
	Name, Label, State    string
	OK, Skipped           bool
	MS                    int64
	Cause, Remedy, Detail *string
	Code                  *string
}

type triedPhase struct {
	Name                            string
	Success, FileCleaned            bool
	StatusCode                      int
	FileSize                        int64
	PresignedURL, ETag, ContentType string
}

// states joins the states of the steps, in their order.
func (r tried) states() string {
	var all []string
	for _, s := range r.Result.Steps {
		all = append(all, s.Name+"="+s.State)
	}
	return strings.Join(all, " ")
}

// cause is why a step did not pass.
func (r tried) cause(name string) (cause, remedy string) {
	for _, s := range r.Result.Steps {
		if s.Name == name && s.Cause != nil {
			if s.Remedy != nil {
				remedy = *s.Remedy
			}
			return *s.Cause, remedy
		}
	}
	return "", ""
}

const pageOrigin = "https://paste.example"

func (h *house) try(admin, path, body string) tried {
	h.T.Helper()
	a := h.Call("POST", path, body, "Authorization", admin, "Origin", pageOrigin, "Accept-Language", "en")
	var r tried
	if h.data(a, &r); !a.Success || a.Code != 200 || a.Message != r.Result.GlobalNote {
		h.T.Errorf("envelope %s", a.Body)
	}
	return r
}

func TestContract8_TestOfAStorageThatWorks(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	id := h.makeConfig(admin, wholeConfig)["id"].(string)
	h.drivers.cors, h.drivers.date = openCORS, h.Clock.Now().Format(http.TimeFormat)
	for _, name := range []string{"1", "2", "3", "4"} {
		h.drivers.buckets[id].Put("up/x/"+name, strings.Repeat("x", 1024))
	}
	h.Clock.Add(time.Second)
	r := h.try(admin, "/api/s3-configs/"+id+"/test", "")
	if want := "connect=ok list=ok write=ok read=ok range=ok multipart=ok browser=ok cors=ok delete=ok clock=ok"; r.states() != want {
		t.Errorf("got %s", r.states())
	}
	x := r.Result
	if !r.Success || !x.Read.Success || x.Read.ObjectCount != 4 || x.Read.Prefix != "up/x/" || len(x.Read.FirstObjects) != 3 || x.Read.FirstObjects[0].Size != "1.00 KB" {
		t.Errorf("read: %+v", x.Read)
	}
	if !x.Write.Success || !x.Write.Cleaned || !strings.HasPrefix(x.Write.TestFile, "up/x/__test_") {
		t.Errorf("write: %+v", x.Write)
	}
	if !x.CORS.Success || !x.CORS.UploadSupported || *x.CORS.AllowOrigin != "*" || x.CORS.StatusCode != 200 || x.CORS.ConfigGuide != nil {
		t.Errorf("cors: %+v", x.CORS)
	}
	s := x.FrontendSim.Steps
	if !x.FrontendSim.Success || !s.Step1.Success || !s.Step2.Success || s.Step2.StatusCode != 200 || s.Step2.ETag == "" || !s.Step3.Success ||
		s.Step3.FileSize == 0 || !s.Step3.FileCleaned || s.Step1.PresignedURL == "" || strings.Contains(s.Step1.PresignedURL, "?") {
		t.Errorf("frontendSim: %+v", x.FrontendSim)
	}
	if x.ConnectionInfo.Bucket != "bkt" || x.ConnectionInfo.Endpoint != "https://acc.r2.example" || x.ConnectionInfo.PathStyle != "on" {
		t.Errorf("connectionInfo: %+v", x.ConnectionInfo)
	}
	if left := h.drivers.buckets[id].Keys(); len(left) != 4 {
		t.Errorf("the test left %v", left)
	}
	if got := h.readConfig(admin, id)["last_used"]; got != "2026-11-21T08:00:01.000Z" {
		t.Errorf("last_used = %v", got)
	}
	if d := cmp.Diff(h.readConfig(admin, id)["tested"], any(map[string]any{"at": "2026-11-21T08:00:01.000Z", "verdict": "full"})); d != "" {
		t.Error("the last test: got -, want +\n" + d)
	}
	h.Want("a change", h.Call("PUT", "/api/s3-configs/"+id, `{"name":"other"}`, "Authorization", admin), 200, "")
	if got := h.readConfig(admin, id)["tested"]; got != nil {
		t.Errorf("after a change nothing was tried: %v", got)
	}
	h.Want("an unknown one", h.Call("POST", "/api/s3-configs/nosuch/test", "", "Authorization", admin), 404, "not_found")
}

func TestContract8_TestOfALocalDisk(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	r := h.try(admin, "/api/s3-configs/public/test", "")
	if want := "connect=ok list=ok write=ok read=ok range=ok multipart=ok browser=ok cors=ok delete=ok clock=skipped"; r.states() != want || !r.Success {
		t.Errorf("from elsewhere: %s", r.states())
	}
	if address := r.Result.FrontendSim.Steps.Step1.PresignedURL; address != "/api/blob/" {
		t.Errorf("the address tells %q", address)
	}
	if keys := h.drivers.buckets["public"].Keys(); len(keys) != 0 {
		t.Errorf("the test left %v", keys)
	}
	a := h.Call("POST", "/api/s3-configs/public/test", "", "Authorization", admin)
	var own tried
	if h.data(a, &own); !strings.Contains(own.states(), "cors=skipped") || !own.Success || !own.Result.CORS.Success || !own.Result.CORS.UploadSupported {
		t.Errorf("from our own page: %s", own.states())
	}
	r = h.try(admin, "/api/s3-configs/test", `{"name":"n","driver":"local","options":{"directory":"new"}}`)
	if want := "connect=ok list=ok write=ok read=ok range=ok multipart=ok browser=skipped cors=skipped delete=ok clock=skipped"; r.states() != want {
		t.Errorf("before it is saved: %s", r.states())
	}
}

func TestContract8_TestNamesCauseAndRemedy(t *testing.T) {
	denied := &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Text: "storage_secret_wrong"}
	failing := func(method string, err error) func(*houseDrivers) {
		return func(d *houseDrivers) {
			d.fail = func(called, _ string) error {
				if called == method {
					return err
				}
				return nil
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(*houseDrivers)
		states []string // that must be among the states
		step   string
		cause  string
		remedy string
		ok     bool
	}{
		{"a wrong secret", failing("List", denied), []string{"list=failed", "write=ok"}, "list", "signature is wrong", "Enter access key", false},
		{"a missing bucket", failing("List", ports.ErrNotFound), []string{"list=failed"}, "list", "no bucket", "Check the bucket", false},
		{"a hang", failing("List", context.DeadlineExceeded), []string{"list=failed"}, "list", "in time", "endpoint address", false},
		{"a full storage", failing("Write", &ports.Error{Code: ports.Quota, Key: "quota_exceeded"}),
			[]string{"write=failed", "read=skipped", "range=skipped", "multipart=ok", "delete=ok"}, "write", "full", "Free some space", false},
		{"no multipart", failing("Create", objstore.ErrUnsupported), []string{"multipart=skipped"}, "multipart", "does not offer", "", true},
		{"no right to delete", failing("Delete", &ports.Error{Code: ports.Forbidden, Key: "permission_denied"}), []string{"delete=failed"}, "delete", "refused", "Let this access key", true},
		{"a refused upload", func(d *houseDrivers) { d.refuse = 403 }, []string{"browser=failed", "cors=ok"}, "browser", "status 403", "right to write", false},
		{"no rules", func(d *houseDrivers) { d.cors = nil }, []string{"cors=failed", "browser=ok"}, "cors", pageOrigin, "CORS rule", false},
		{"another origin", func(d *houseDrivers) {
			d.cors = openCORS.Clone()
			d.cors.Set("Access-Control-Allow-Origin", "https://other.example")
		}, []string{"cors=failed"}, "cors", pageOrigin, "CORS rule", false},
		{"no PUT", func(d *houseDrivers) { d.cors = openCORS.Clone(); d.cors.Set("Access-Control-Allow-Methods", "GET") }, []string{"cors=failed"}, "cors", "PUT", "CORS rule", false},
		{"a hidden ETag", func(d *houseDrivers) { d.cors = openCORS.Clone(); d.cors.Del("Access-Control-Expose-Headers") }, []string{"cors=warning"}, "cors", "ETag", "exposes ETag", true},
		{"a clock that is wrong", func(d *houseDrivers) { d.date = "Sat, 21 Nov 2026 08:10:00 GMT" }, []string{"clock=failed"}, "clock", "600 seconds", "NTP", true},
		{"a clock that is a little wrong", func(d *houseDrivers) { d.date = "Sat, 21 Nov 2026 08:01:00 GMT" }, []string{"clock=ok"}, "clock", "", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			admin := h.SignIn()
			h.drivers.cors = openCORS
			id := h.makeConfig(admin, planConfig)["id"].(string)
			c.change(&h.drivers)
			r := h.try(admin, "/api/s3-configs/"+id+"/test", "")
			for _, state := range c.states {
				if !strings.Contains(r.states()+" ", state+" ") {
					t.Errorf("%s is not in %s", state, r.states())
				}
			}
			cause, remedy := r.cause(c.step)
			if !strings.Contains(cause, c.cause) || !strings.Contains(remedy, c.remedy) || c.remedy == "" && remedy != "" {
				t.Errorf("cause %q, remedy %q", cause, remedy)
			}
			if r.Success != c.ok {
				t.Errorf("success = %t", r.Success)
			}
			if guide := r.Result.CORS.ConfigGuide; (c.step == "cors") != (guide != nil) || guide != nil && !strings.Contains(*guide, pageOrigin) {
				t.Errorf("the rule to copy is %v", guide)
			}
			if h.drivers.fail = nil; c.name != "no right to delete" && len(h.drivers.buckets[id].Keys()) != 0 {
				t.Errorf("the test left %v", h.drivers.buckets[id].Keys())
			}
		})
	}
}

// TestADriversOwnWordsReachTheOperator lets a driver refuse with a text that only
// it knows: once with its own messages, once with nothing but the cause.
func TestADriversOwnWordsReachTheOperator(t *testing.T) {
	refusal := (&ports.Error{Code: ports.BadGateway, Key: "storage_denied", Text: "host_key_wrong"}).With(errors.New("the host key is SHA256:abc"))
	for _, c := range []struct {
		name, language string
		err            error
		cause          string
	}{
		{"in English", "en", refusal.Saying(map[string]string{"en": "Another host answers.", "zh": "另一台主机在应答。"}), "Another host answers."},
		{"in Chinese", "zh", refusal.Saying(map[string]string{"en": "Another host answers.", "zh": "另一台主机在应答。"}), "另一台主机在应答。"},
		{"in the one language it has", "zh", refusal.Saying(map[string]string{"en": "Another host answers."}), "Another host answers."},
		{"without words", "en", refusal, "The storage refused this step"},
		{"a setting", "en", ports.InvalidInput("host_key_wrong", "host_key").With(errors.New("the host key is SHA256:abc")), "The field host_key is not valid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			admin := h.SignIn()
			h.drivers.cors = openCORS
			id := h.makeConfig(admin, planConfig)["id"].(string)
			h.drivers.fail = func(called, _ string) error {
				if called == "List" {
					return c.err
				}
				return nil
			}
			h.log.Reset()
			var r tried
			h.data(h.Call("POST", "/api/s3-configs/"+id+"/test", "", "Authorization", admin, "Origin", pageOrigin, "Accept-Language", c.language), &r)
			cause, remedy := r.cause("list")
			if cause != c.cause || remedy == "" || strings.Contains(remedy, "console") {
				t.Errorf("cause %q, remedy %q", cause, remedy)
			}
			i := slices.IndexFunc(r.Result.Steps, func(s triedStep) bool { return s.Name == "list" })
			if detail := r.Result.Steps[i].Detail; detail == nil || *detail != "the host key is SHA256:abc" {
				t.Errorf("detail %v", detail)
			}
			if !strings.Contains(h.log.String(), "the host key is SHA256:abc") || !strings.Contains(h.log.String(), "step=list") {
				t.Errorf("the log says %s", h.log.String())
			}
		})
	}
}

func TestAFieldThatADriverRefusesIsNamed(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	a := h.Call("POST", "/api/s3-configs", `{"name":"n","driver":"local","options":{"directory":"../out"}}`, "Authorization", admin, "Accept-Language", "en")
	var told struct{ Field, Message string }
	if err := json.Unmarshal(a.Body.Bytes(), &told); err != nil || a.Code != 400 || told.Field != "directory" || !strings.Contains(told.Message, "directory") {
		t.Errorf("got %s, %v", a.Body, err)
	}
	a = h.Call("POST", "/api/s3-configs", strings.Replace(wholeConfig, "TOKEN-SECRET", "wrong host key", 1), "Authorization", admin, "Accept-Language", "en")
	if err := json.Unmarshal(a.Body.Bytes(), &told); err != nil || a.Code != 400 || told.Field != "api_token" || told.Message != "The field api_token is not valid" {
		t.Errorf("got %s, %v", a.Body, err)
	}
}

func TestTheRuleThatTheTestMissesCanBeSet(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	id := h.makeConfig(admin, planConfig)["id"].(string)
	path := "/api/s3-configs/" + id
	if before := h.try(admin, path+"/test", ""); !strings.Contains(before.states(), "cors=failed") {
		t.Fatalf("without a rule: %s", before.states())
	}
	if a := h.Call("POST", path+"/cors", "", "Authorization", admin, "Origin", pageOrigin); a.Code != 200 || a.Data != nil {
		t.Fatalf("set: %s", a.Body)
	}
	if after := h.try(admin, path+"/test", ""); !strings.Contains(after.states(), "cors=ok") || !after.Success {
		t.Errorf("with a rule: %s", after.states())
	}
	for _, bad := range []string{`["*"]`, `["https://a/b"]`, `["ftp://a"]`, `["https://"]`, `["https://*.example"]`, `["https://a, https://b"]`, `["https://u@a"]`} {
		h.Want(bad, h.Call("POST", path+"/cors", `{"origins":`+bad+`}`, "Authorization", admin), 400, "invalid_argument")
	}
	h.Want("a local disk", h.Call("POST", "/api/s3-configs/public/cors", "", "Authorization", admin), 501, "not_supported")
	h.Want("an unknown one", h.Call("POST", "/api/s3-configs/nosuch/cors", "", "Authorization", admin), 404, "not_found")
	h.drivers.fail = func(string, string) error { return &ports.Error{Code: ports.BadGateway, Key: "storage_denied"} }
	h.Want("no right", h.Call("POST", path+"/cors", "", "Authorization", admin), 502, "storage_denied")
}

func TestContract8_TestOfAConfigThatCannotBeOpened(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	r := h.try(admin, "/api/s3-configs/private/test", "") // its credentials cannot be unsealed
	if r.Success || r.Result.Read.Success || r.Result.FrontendSim.Success || r.Result.CORS.Success || r.Result.CORS.UploadSupported {
		t.Errorf("got %+v", r)
	}
	if !strings.HasPrefix(r.states(), "connect=failed list=skipped write=skipped") {
		t.Errorf("got %s", r.states())
	}
	if cause, remedy := r.cause("connect"); cause == "" || remedy == "" {
		t.Errorf("cause %q, remedy %q", cause, remedy)
	}
	if good := h.try(admin, "/api/s3-configs/public/test", ""); !good.Success {
		t.Errorf("another config: %s", good.states())
	}
}

func TestATestBeforeSavingKeepsStoredSecretsAndStoresNothing(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	h.drivers.cors = openCORS
	id := h.makeConfig(admin, planConfig)["id"].(string)
	before := h.readConfig(admin, id)
	r := h.try(admin, "/api/s3-configs/test", `{"id":"`+id+`","region":"eu-1","default_folder":"f"}`)
	if !r.Success || r.Result.ConnectionInfo.DefaultFolder != "f" {
		t.Errorf("got %s", r.states())
	}
	if last := h.drivers.last().Options; last["secret_access_key"] != "TOP-SECRET" || last["region"] != "eu-1" {
		t.Error("the driver was not given the change and the stored secret")
	}
	if after := h.readConfig(admin, id); after["region"] != before["region"] || after["default_folder"] != before["default_folder"] {
		t.Errorf("stored: %v", after)
	}
	h.Want("bad fields", h.Call("POST", "/api/s3-configs/test", `{"driver":"s3","name":"n"}`, "Authorization", admin), 400, "invalid_argument")
	h.Want("an unknown id", h.Call("POST", "/api/s3-configs/test", `{"id":"nosuch"}`, "Authorization", admin), 404, "not_found")
}

func TestTheServerReachesItselfBelowABasePath(t *testing.T) {
	for base, origin := range map[string]string{"": "http://localhost", "https://me.example/share": "https://me.example"} {
		f := enginetest.New(t, func(o *httpapi.Options) { o.PublicURL = base })
		httpapi.Stream(f.API, httpapi.Op{Name: "upload.raw", Method: "PUT", Path: "/api/upload-direct/{filename}", Actions: []policy.Action{policy.PasteCreate}, Body: httpapi.RawBody, Class: httpapi.Streaming, Summary: "Upload."},
			func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
				if _, err := policy.Check(r.Context(), f.Decider, who, policy.PasteCreate, policy.Resource{Kind: "paste"}); err != nil {
					return err
				}
				_, err := io.Copy(w, r.Body)
				return err
			})
		got, err := ownProber{f.API}.Probe(t.Context(), ports.Probe{Method: "PUT", URL: "/api/upload-direct/x?a=1", Header: http.Header{"Authorization": {edgetest.AsAdmin}}, Body: []byte("x")})
		if err != nil || got.Status != 200 {
			t.Errorf("%q: %d, %v", base, got.Status, err)
		}
		if got, err = (ownProber{f.API}).Probe(t.Context(), ports.Probe{Method: "GET", URL: "/api/nothing"}); err != nil || got.Status != 404 {
			t.Errorf("%q: %d, %v", base, got.Status, err)
		}
		if got := originOnly(origin + "/share"); got != origin {
			t.Errorf("origin %q", got)
		}
	}
}
