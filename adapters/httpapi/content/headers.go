package content

// Header values that every request shares. Nobody may change them in place.
var (
	JSONHeader  = []string{"application/json; charset=utf-8"}
	PlainText   = []string{"text/plain; charset=utf-8"}
	NoStore     = []string{"no-store"}
	NoCache     = []string{"no-cache"}
	NoIndex     = []string{"noindex"}
	NoReferrer  = []string{"no-referrer"}
	crossOrigin = []string{"cross-origin"}
	inBytes     = []string{"bytes"}
	SameOrigin  = []string{"same-origin"}
	Nosniff     = []string{"nosniff"}
	Sandbox     = []string{SandboxPolicy}
)

// JSONType is the content type of JSON answers.
const JSONType = "application/json; charset=utf-8"

// SandboxPolicy keeps what users stored from running in the app's origin
// (security rule C1).
const SandboxPolicy = "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"
