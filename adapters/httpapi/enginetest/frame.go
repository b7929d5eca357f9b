// Package enginetest makes engines for the tests of operations: a Frame asks what
// is in memory or allows everything, a Panel real accounts and storage configs.
package enginetest

import (
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/domain/domaintest"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// Frame is an API without an operation, and a client of it. Its answers are not
// compared with the API description.
type Frame struct {
	*httpapi.API
	edgetest.Client
	Clock   *portstest.Clock
	Memory  *domaintest.Memory // of idempotency keys, and the unit of work
	Rules   *edgetest.Rules
	Decider policy.Decider // asks Rules; to be given to use cases
}

// New makes a frame. change may set further options; nil: none.
func New(t testing.TB, change func(*httpapi.Options)) *Frame {
	f := &Frame{Client: edgetest.Client{T: t, Own: true}, Clock: portstest.NewClock(), Rules: &edgetest.Rules{}}
	f.Memory, f.Decider = domaintest.NewMemory(f.Clock), httpapi.Watched(f.Rules)
	opts := httpapi.Options{Auth: &edgetest.Auth{}, Language: edgetest.InChinese, Clock: f.Clock, Idempotency: f.Memory.Idempotency(), Work: f.Memory, Decider: f.Decider}
	if change != nil {
		change(&opts)
	}
	f.API = httpapi.New(opts)
	f.Handler = f.API
	return f
}
