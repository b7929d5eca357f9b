// Package httpapi is the engine of the HTTP edge: one registry of operations, the
// chain of checks that each request passes, the envelope of answers and errors.
// The operations themselves stand in packages of their own (shareapi, treeapi,
// adminapi), which routes puts together. It knows HTTP and nothing of storage,
// SQL or rules; use cases ask the policy themselves.
package httpapi
