package core_test

import (
	"net/http"
	"strings"
	"testing"

	"pasteport/plugins/s3/s3test"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// fail makes the provider answer one method with a refusal.
func fail(method string, refusal s3test.Refusal) s3test.Switches {
	return s3test.Switches{Fail: func(r *http.Request) *s3test.Refusal {
		if method != "" && r.Method != method {
			return nil
		}
		return &refusal
	}}
}

func TestErrorsOfProvidersGetTheirCode(t *testing.T) {
	region := http.Header{"X-Amz-Bucket-Region": {"eu-west-1"}}
	for _, c := range []struct {
		name    string
		refusal s3test.Refusal
		code    ports.Code
		text    string // Text, or Key when the error has no text
	}{
		{"no such key", s3test.Refusal{Status: 404, Code: "NoSuchKey"}, ports.NotFound, "not_found"},
		{"no such bucket", s3test.Refusal{Status: 404, Code: "NoSuchBucket"}, ports.BadGateway, "storage_bucket_missing"},
		{"access denied", s3test.Refusal{Status: 403, Code: "AccessDenied"}, ports.BadGateway, "storage_access_denied"},
		{"unknown key", s3test.Refusal{Status: 403, Code: "InvalidAccessKeyId"}, ports.BadGateway, "storage_key_unknown"},
		{"wrong secret", s3test.Refusal{Status: 403, Code: "SignatureDoesNotMatch"}, ports.BadGateway, "storage_secret_wrong"},
		{"expired token", s3test.Refusal{Status: 400, Code: "ExpiredToken"}, ports.BadGateway, "storage_credentials_expired"},
		{"clock", s3test.Refusal{Status: 403, Code: "RequestTimeTooSkewed"}, ports.BadGateway, "storage_clock_skew"},
		{"wrong region, moved", s3test.Refusal{Status: 301, Code: "PermanentRedirect", Header: region}, ports.BadGateway, "storage_region_wrong"},
		{"wrong region, malformed", s3test.Refusal{Status: 400, Code: "AuthorizationHeaderMalformed", Header: region}, ports.BadGateway, "storage_region_wrong"},
		{"B2's cap by its code", s3test.Refusal{Status: 403, Code: "storage_cap_exceeded"}, ports.Quota, "storage_cap_exceeded"},
		{"B2's cap by its message", s3test.Refusal{Status: 403, Code: "AccessDenied", Message: "Cannot upload files, storage cap exceeded. See the Caps & Alerts page."}, ports.Quota, "storage_cap_exceeded"},
		{"quota", s3test.Refusal{Status: 403, Code: "QuotaExceeded"}, ports.Quota, "storage_cap_exceeded"},
		{"full", s3test.Refusal{Status: 507, Code: "Odd"}, ports.Quota, "storage_cap_exceeded"},
		{"archived", s3test.Refusal{Status: 403, Code: "InvalidObjectState"}, ports.BadGateway, "storage_object_archived"},
		{"range", s3test.Refusal{Status: 416, Code: "InvalidRange"}, ports.Range, "range_invalid"},
		{"changed", s3test.Refusal{Status: 412, Code: "PreconditionFailed"}, ports.Precondition, "precondition_failed"},
		{"busy", s3test.Refusal{Status: 503, Code: "SlowDown", Header: http.Header{"Retry-After": {"7"}}}, ports.Unavailable, "storage_unavailable"},
		{"broken", s3test.Refusal{Status: 500, Code: "InternalError"}, ports.Unavailable, "storage_unavailable"},
		{"broken without a code", s3test.Refusal{Status: 502}, ports.Unavailable, "storage_unavailable"},
		{"not made", s3test.Refusal{Status: 501, Code: "NotImplemented"}, ports.NotImplemented, "not_supported"},
		{"unknown refusal", s3test.Refusal{Status: 400, Code: "SomethingNew"}, ports.BadGateway, "storage_unavailable"},
		{"unknown refusal of rights", s3test.Refusal{Status: 403, Code: "SomethingNew"}, ports.BadGateway, "storage_access_denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := drivers["s3"]
			d.Profile.Tries = 1
			b := open(t, d)
			defer cloud.Provider("s3").Switch(fail(http.MethodGet, c.refusal))()
			_, err := b.Read(t.Context(), "secret-key-name", objstore.Range{})
			e, ok := err.(*ports.Error)
			if !ok || e.Code != c.code || e.Text != c.text && (e.Text != "" || e.Key != c.text) {
				t.Fatalf("Read gave %#v, want code %d and %q", err, c.code, c.text)
			}
			if strings.Contains(err.Error(), "://") || strings.Contains(err.Error(), s3test.SecretKey) {
				t.Errorf("the error tells an address or a secret: %v", err)
			}
			if c.refusal.Header.Get("Retry-After") != "" && e.RetryAfter.Seconds() != 7 {
				t.Errorf("RetryAfter = %v", e.RetryAfter)
			}
		})
	}
}

func TestACallThatCanBeRepeatedSurvivesShortOutages(t *testing.T) {
	for name, d := range drivers {
		t.Run(name, func(t *testing.T) {
			b := open(t, d)
			left := d.Profile.Tries - 1
			restore := cloud.Provider(name).Switch(s3test.Switches{Fail: func(*http.Request) *s3test.Refusal {
				if left--; left >= 0 {
					return &s3test.Refusal{Status: 503, Code: "ServiceUnavailable"}
				}
				return nil
			}})
			defer restore()
			if _, err := b.List(t.Context(), objstore.ListQuery{}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAStreamedBodyIsNeverSentTwice(t *testing.T) {
	b := open(t, drivers["s3"])
	puts := 0
	defer cloud.Provider("s3").Switch(s3test.Switches{Fail: func(r *http.Request) *s3test.Refusal {
		puts++
		return &s3test.Refusal{Status: 503, Code: "ServiceUnavailable"}
	}})()
	body := struct{ *strings.Reader }{strings.NewReader("x")}
	_, err := b.Write(t.Context(), "k", onlyReader{body}, objstore.WriteOptions{Size: 1})
	if !ports.Is(err, ports.Unavailable) || puts != 1 {
		t.Errorf("Write gave %v after %d tries", err, puts)
	}
}

func TestAClockThatIsOffIsNamedInSeconds(t *testing.T) {
	b := open(t, drivers["s3"])
	defer cloud.Provider("s3").Switch(fail("", s3test.Refusal{
		Status: 403, Code: "RequestTimeTooSkewed", Header: http.Header{"Date": {"Mon, 02 Jan 2006 15:04:05 GMT"}},
	}))()
	_, err := b.List(t.Context(), objstore.ListQuery{})
	e, ok := err.(*ports.Error)
	if !ok || e.Text != "storage_clock_skew" {
		t.Fatalf("List gave %v", err)
	}
	if seconds, ok := e.Params["seconds"].(int64); !ok || seconds > -600_000_000 {
		t.Errorf("Params = %v", e.Params)
	}
}
