// Package keys knows who is asking: API keys, the admin account and its
// sessions. It is the only code that sees a raw credential.
package keys
