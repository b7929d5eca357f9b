// Package httpapi is the HTTP edge: one registry of operations, the chain of
// checks that each request passes, the envelope of answers and errors, the
// serving of content, and the files of the web UI. It knows HTTP and nothing
// of storage, SQL or rules; use cases ask the policy themselves.
package httpapi
