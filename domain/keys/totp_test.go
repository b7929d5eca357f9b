package keys

import "testing"

// The codes of RFC 6238, appendix B, cut to six digits.
func TestRFC6238_CodesAreThoseOfTheStandard(t *testing.T) {
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130"} {
		if got := totpCode([]byte("12345678901234567890"), at/totpStep); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
}

// CodeAt lets the tests outside be an app.
func CodeAt(secret []byte, unix int64) string { return totpCode(secret, unix/totpStep) }
