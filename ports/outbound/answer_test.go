package outbound

import (
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"
)

func TestRetryAfterIsSecondsOrATime(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                               0,
		"7":                              7 * time.Second,
		" 120 ":                          2 * time.Minute,
		"-3":                             0,
		"1.5":                            0,
		"99999999999999999999":           0,
		"soon":                           0,
		"Fri, 02 Jan 2026 03:05:05 GMT":  time.Minute,
		"Friday, 02-Jan-26 03:04:15 GMT": 10 * time.Second,
		"Fri, 02 Jan 2026 03:00:00 GMT":  0, // past
	} {
		if got := RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %s", value, got)
		}
	}
}

func TestAFailedRequestDoesNotTellItsAddress(t *testing.T) {
	why := errors.New("refused")
	if got := WithoutAddress(&url.Error{Op: "Get", URL: "https://a.example/?signature=secret", Err: why}); got != why {
		t.Error(got)
	}
	if got := WithoutAddress(why); got != why {
		t.Error(got)
	}
}
