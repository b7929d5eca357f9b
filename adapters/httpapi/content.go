package httpapi

// sandboxPolicy keeps what users stored from running in the app's origin
// (security rule C1).
const sandboxPolicy = "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"
