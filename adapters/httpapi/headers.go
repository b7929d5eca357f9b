package httpapi

// Header values that every request shares. Nobody may change them in place.
var (
	jsonType    = []string{"application/json; charset=utf-8"}
	plainText   = []string{"text/plain; charset=utf-8"}
	noStore     = []string{"no-store"}
	noCache     = []string{"no-cache"}
	noIndex     = []string{"noindex"}
	noReferrer  = []string{"no-referrer"}
	crossOrigin = []string{"cross-origin"}
	sameOrigin  = []string{"same-origin"}
	nosniff     = []string{"nosniff"}
	sandbox     = []string{sandboxPolicy}
)

// JSONType is the content type of JSON answers.
const JSONType = "application/json; charset=utf-8"

// sandboxPolicy keeps what users stored from running in the app's origin
// (security rule C1).
const sandboxPolicy = "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"
