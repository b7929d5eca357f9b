package httpapi

import (
	"context"
	"net/http"

	"pasteport/ports/policy"
)

// Op is a row of the registry: what one operation is called, where it is
// found, and what the chain does around it.
type Op struct {
	// Name is unique, noun.verb: "paste.create". Logs, metrics and the API
	// description use it.
	Name   string
	Method string // GET answers HEAD too
	// Path is absolute, with variables in braces: "/api/paste/{slug}". A
	// variable may carry a pattern: "{slug:[A-Za-z0-9_-]+}".
	Path string
	// Aliases are further "METHOD /path" forms of the same operation.
	Aliases []string
	// Door operations lie beside the pages and not under /api, for those who type
	// one line: "PUT /{filename}". They answer the link of what they made, and
	// failures as text, unless JSON is asked for.
	Door bool

	// Actions are what the use case asks the policy; at least one of them is
	// asked before an answer of 2xx.
	Actions []policy.Action
	// Public operations are open to everybody: a credential that does not fit
	// is ignored there. All others answer 401 for it.
	Public bool
	// Signed operations take a signed link as authority: the policy was asked
	// when it was made, by the actions named above.
	Signed bool
	// Confirm says which calls need the password of the last hour from the
	// administrator, shown by signing in or by account.confirm; others answer
	// 403 confirm_required. It is for what is as good as a shell on the server:
	// rules, scripts of the site, its disk, its keys and its backups. The zero
	// value: none.
	Confirm Confirm

	Body   BodyKind
	Answer AnswerKind
	Fail   FailKind
	Grows  Growth
	Rate   Rate
	Class  Class
	Idem   Idem

	// Text is the JSON field that a body stands for which is no JSON: a text is its
	// value; the fields of a form are fields by name, a file in one is its value.
	// Empty: such a body counts as {}.
	Text string
	// Secrets are the field names that a stored answer masks.
	Secrets []string
	// Errors are the machine codes an answer may carry, besides those of the
	// chain (CommonErrors).
	Errors []string
	// Statuses replaces the status of some machine codes for this operation:
	// {"quota_exceeded": 400}.
	Statuses map[string]int
	// Top are the further fields of the envelope that an answer may have, by
	// name, as zero values for the API description.
	Top map[string]any
	// Also are further statuses of an answer that is no error, for the API
	// description: 206, 302, 304.
	Also []int
	// Challenge is the WWW-Authenticate header of answers 401; empty means none.
	Challenge string
	// Type is the content type of a stream's answer, for the API description;
	// empty means any.
	Type string
	// Summary is one English sentence for the API description.
	Summary string
}

// Confirm chooses the calls of an operation that need a fresh password.
type Confirm struct {
	Always bool // all calls need it, and no body is read without
	when   func(ctx context.Context, request any) (bool, error)
}

// ConfirmAlways are all calls; a body is not even read without the password.
var ConfirmAlways = Confirm{Always: true}

// ConfirmIf are the calls for whose request f returns true. It is asked only when
// the password is not fresh, after the request was decoded as Req.
func ConfirmIf[Req any](f func(ctx context.Context, in Req) (bool, error)) Confirm {
	return Confirm{when: func(ctx context.Context, request any) (bool, error) { return f(ctx, request.(Req)) }}
}

// Wanted reports whether any call needs a fresh password.
func (c Confirm) Wanted() bool { return c.Always || c.when != nil }

// ContentStatuses are those of answers with stored content: a part of it, none
// because the client has it, or an address to read it from.
var ContentStatuses = []int{http.StatusPartialContent, http.StatusNotModified, http.StatusFound}

// BodyKind says what body an operation reads.
type BodyKind int

// The kinds of bodies.
const (
	NoBody   BodyKind = iota
	JSON              // at most 1 MiB; absent or not sent as JSON counts as {}
	BigJSON           // at most 64 MiB
	FormBody          // multipart/form-data, streamed by the handler
	RawBody           // bytes, streamed by the handler
)

// streams reports whether the handler reads the body itself.
func (op *Op) streams() bool { return op.Body == FormBody || op.Body == RawBody }

// AnswerKind says what a success looks like.
type AnswerKind int

// The kinds of answers.
const (
	Envelope AnswerKind = iota // code 200
	Created                    // HTTP 200 with code 201 (contract §1.2)
	Bare                       // the value alone
	Bytes                      // written by the handler
)

// FailKind says what an error looks like.
type FailKind int

// The kinds of error answers.
const (
	FailEnvelope FailKind = iota
	FailText              // text/plain, the message alone (contract §1.3)
	FailNamed             // the envelope with the message as "error" too (contract §7.15)
)

// Growth says what new content an operation stores. Such operations are refused
// before the disk is full, so that the others still work then.
type Growth int

// The kinds of new content.
const (
	GrowsNothing Growth = iota
	GrowsRecords        // in the database, where deletes make room
	GrowsFiles          // in storages, and on the way there
)

// Rate chooses the traffic limits of an operation; failed guesses are counted
// by the use cases.
type Rate int

// The classes of traffic.
const (
	NoRate      Rate = iota
	ShareRead        // anonymous reads, by address
	ShareWrite       // new shares, by key
	URLFetch         // calls to foreign hosts, by key
	RequestSend      // files that are sent to requests, by address
)

// Class bounds how many calls run at once.
type Class int

// The classes of concurrency. A call keeps its place until its answer begins; a
// long answer has one among the streams, which are counted by address.
const (
	Interactive Class = iota
	Streaming         // bodies that flow: only places of streams and uploads
	Heavy             // searches, copies
	Fetching          // calls to foreign hosts
	Packing           // long answers that cost work to the end: archives, exports
	SignIn            // sign-ins, so that nobody is locked out by the crowd
	Panel             // the administrator's interactive calls; chosen by who asks
	Vital             // signs of life
	classes
)

// Idem says how an operation keeps an Idempotency-Key.
type Idem int

// The ways to keep an idempotency key.
const (
	NoIdem        Idem = iota
	InTransaction      // the answer is stored with the write; no network inside
	Afterwards         // the answer is stored after the use case
)
