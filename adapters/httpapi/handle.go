package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	"pasteport/ports/policy"

	"github.com/go-kit/kit/endpoint"
	kithttp "github.com/go-kit/kit/transport/http"
)

// None is the request of an operation without input and the result of one
// without data; an envelope then has no "data" field.
type None struct{}

// Answer is a result that says more than its data. An operation returns it in
// place of a T when it needs one of the further fields.
type Answer[T any] struct {
	Data T
	// Partial makes the envelope say code 202 and success false.
	Partial bool
	// Top are further top-level fields of the envelope, such as "pagination".
	Top map[string]any
	// Text names the message in the catalogue; Params fill its placeholders.
	Text   string
	Params map[string]any
}

// answer is what an Answer tells the encoder.
type answer struct {
	data    any
	partial bool
	top     map[string]any
	text    string
	params  map[string]any
}

func (a Answer[T]) answer() answer {
	return answer{data: a.Data, partial: a.Partial, top: a.Top, text: a.Text, params: a.Params}
}

func (a Answer[T]) dataType() reflect.Type { return reflect.TypeFor[T]() }

// DataOf returns the type of the data in an answer: of an Answer that of its
// data, with wrapped true, else the type itself.
func DataOf(answer reflect.Type) (data reflect.Type, wrapped bool) {
	if w, ok := reflect.Zero(answer).Interface().(answerer); ok {
		return w.dataType(), true
	}
	return answer, false
}

type answerer interface {
	answer() answer
	dataType() reflect.Type
}

// Handle registers an operation that takes one value and gives one back. Req
// is a struct whose fields say where they come from: `path:"slug"`,
// `query:"limit"` (with ",lenient" an unreadable value counts as absent),
// `json:"name"`, or `json:"*"` for the whole body. Text with a NUL is refused,
// but for a value marked `nul:"keep"`. Fields without such a tag
// stay zero. Res is the data of the envelope, or an Answer of it.
func Handle[Req, Res any](a *API, op Op, use func(ctx context.Context, who policy.Principal, in Req) (Res, error)) {
	handle[Req, Res](a, op, nil, func(ctx context.Context, request any) (any, error) {
		return use(ctx, exchangeFrom(ctx).who, request.(Req))
	})
}

// HandlePlanned is Handle for an operation that answers an idempotency key
// inside a transaction, but has slow work to do, such as hashing: plan checks
// and prepares before the transaction begins, use only writes.
func HandlePlanned[Req, Plan, Res any](a *API, op Op, plan func(ctx context.Context, who policy.Principal, in Req) (Plan, error),
	use func(ctx context.Context, plan Plan) (Res, error)) {
	handle[Req, Res](a, op, func(ctx context.Context, request any) (any, error) {
		return plan(ctx, exchangeFrom(ctx).who, request.(Req))
	}, func(ctx context.Context, planned any) (any, error) {
		return use(ctx, planned.(Plan))
	})
}

// handle registers an operation of one or two steps; plan may be nil.
func handle[Req, Res any](a *API, op Op, plan, use endpoint.Endpoint) {
	decode := newDecoder[Req](op)
	rt := a.add(op, reflect.TypeFor[Req](), reflect.TypeFor[Res]())
	rt.plan = plan
	rt.handler = kithttp.NewServer(
		a.endpoint(rt, a.withAudit(rt, use)),
		func(ctx context.Context, r *http.Request) (any, error) {
			x := exchangeFrom(ctx)
			request, err := decode.request(x, r)
			if err == nil {
				err = a.confirm(x, &rt.op, request)
			}
			return request, err
		},
		rt.encode,
		kithttp.ServerErrorEncoder(func(ctx context.Context, err error, w http.ResponseWriter) {
			a.fail(exchangeFrom(ctx), err)
		}))
}

// endpoint wraps the use case in what belongs around typed calls.
func (a *API) endpoint(rt *route, use endpoint.Endpoint) endpoint.Endpoint {
	if rt.op.Idem == NoIdem || a.opts.Idempotency == nil {
		return rt.whole(use)
	}
	return a.idempotent(rt)(use)
}

// whole does both steps of an operation one after the other.
func (rt *route) whole(use endpoint.Endpoint) endpoint.Endpoint {
	if rt.plan == nil {
		return use
	}
	return func(ctx context.Context, request any) (any, error) {
		planned, err := rt.plan(ctx, request)
		if err != nil {
			return nil, err
		}
		return use(ctx, planned)
	}
}

// Stream registers an operation whose handler reads the body or writes the
// answer itself. It passes the same chain; an error it returns before writing
// becomes the error answer, one it returns afterwards ends the connection.
// Path variables come from Var.
func Stream(a *API, op Op, serve func(w http.ResponseWriter, r *http.Request, who policy.Principal) error) {
	rt := a.add(op, nil, nil)
	rt.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeFrom(r.Context())
		if err := serve(w, r, x.who); err != nil {
			a.fail(x, err)
		}
	})
}

// Describe tells the API description which types a streamed operation reads
// (its Req, nil for none) and answers (its Res), given as zero values. Where
// answers have several shapes, each is named; None means that there may be no
// data. No shape means bytes.
func Describe(a *API, name string, req any, res ...any) {
	for _, rt := range a.routes {
		if rt.op.Name == name {
			rt.req, rt.res = reflect.TypeOf(req), nil
			for _, one := range res {
				rt.res = append(rt.res, reflect.TypeOf(one))
			}
			return
		}
	}
	panic(fmt.Sprintf("httpapi: %s is not registered", name))
}

// Send answers a streamed operation the way a typed one does.
func Send(w http.ResponseWriter, r *http.Request, res any) error {
	x := exchangeFrom(r.Context())
	return x.route.encode(r.Context(), w, res)
}

// Decode reads the request of a streamed operation into a Req by the rules of
// Handle.
func Decode[Req any](r *http.Request) (Req, error) {
	x := exchangeFrom(r.Context())
	d, ok := x.route.decoders.Load(reflect.TypeFor[Req]())
	if !ok {
		d, _ = x.route.decoders.LoadOrStore(reflect.TypeFor[Req](), newDecoder[Req](x.route.op))
	}
	in, err := d.(*decoder).request(x, r)
	if err != nil {
		var zero Req
		return zero, err
	}
	return in.(Req), nil
}
