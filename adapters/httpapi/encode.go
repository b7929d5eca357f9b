package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/words"
	"pasteport/ports"
)

// encode writes the result of a use case.
func (rt *route) encode(ctx context.Context, w http.ResponseWriter, result any) error {
	x := exchangeFrom(ctx)
	if done, ok := result.(encoded); ok {
		return done.write(x)
	}
	done, err := rt.body(x, result)
	if err != nil {
		return err
	}
	return done.write(x)
}

// encoded is an answer that is ready to be written.
type encoded struct {
	status int
	typ    []string
	data   []byte
}

func (e encoded) write(x *exchange) error {
	if err := e.admit(x); err != nil {
		return err
	}
	x.Header()["Content-Type"] = e.typ
	x.writeBody(e.status, e.data)
	return nil
}

// admit takes the places that a long answer needs. What a write says is not
// refused any more: it has happened.
func (e encoded) admit(x *exchange) error {
	if len(e.data) <= Streamed || x.r.Method != http.MethodGet {
		return nil
	}
	if err := x.enterStream(); err != nil {
		return err
	}
	if len(e.data) <= jsonLimit {
		return nil
	}
	return x.hold(x.api.bulky)
}

// body makes the bytes of an answer: the value alone or the envelope.
func (rt *route) body(x *exchange, result any) (encoded, error) {
	var a answer
	if w, ok := result.(answerer); ok {
		a = w.answer()
	} else {
		a.data = result
	}
	if made, ok := a.data.(linked); ok && x.wantsLink() {
		return encoded{status: http.StatusOK, typ: content.PlainText, data: []byte(made.Link() + "\n")}, nil
	}
	var value any = a.data
	if rt.op.Answer != Bare {
		value = rt.envelope(x, a)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return encoded{}, &ports.Error{Code: ports.Internal, Cause: err}
	}
	return encoded{status: http.StatusOK, typ: content.JSONHeader, data: data}, nil
}

// linked is an answer that tells of a share, whose link may be all that is wanted.
type linked interface {
	Link() string // absolute address of the page
}

// wantsLink reports whether the caller reads one line rather than JSON: at a
// door everybody who does not ask for JSON, under /api who asks for text first.
func (x *exchange) wantsLink() bool {
	accept := strings.ToLower(first(x.r.Header["Accept"]))
	if x.route.op.Door {
		return !strings.Contains(accept, "json")
	}
	return x.r.Method != http.MethodGet && x.r.Method != http.MethodHead && strings.HasPrefix(accept, "text/plain")
}

// envelope is the success envelope (contract §1.2).
func (rt *route) envelope(x *exchange, a answer) map[string]any {
	code, key := http.StatusOK, "ok"
	if rt.op.Answer == Created {
		code, key = http.StatusCreated, "created"
	}
	if a.partial {
		code, key = http.StatusAccepted, "partial"
	}
	body := make(map[string]any, 4+len(a.top))
	for name, v := range a.top {
		body[name] = v
	}
	body["code"], body["success"] = code, !a.partial
	body["message"] = words.Render(x.find(a.text, key), x.language(), a.params)
	if _, none := a.data.(None); !none {
		body["data"] = a.data
	}
	return body
}

// selfCounted is how long an answer to a GET may be, in bytes, whose length
// net/http finds by itself: it gathers 2 KiB before it sends the header. Each
// header less is a sixteenth of what a short answer costs.
const selfCounted = 2 << 10

// writeBody sends an answer whose bytes are all there, in pieces.
func (x *exchange) writeBody(status int, pieces ...[]byte) {
	length := 0
	for _, data := range pieces {
		length += len(data)
	}
	if length > selfCounted || x.r.Method != http.MethodGet || x.paced != nil {
		x.Header()["Content-Length"] = []string{strconv.Itoa(length)}
	}
	x.WriteHeader(status)
	if x.r.Method == http.MethodHead {
		return
	}
	for _, data := range pieces {
		if _, err := x.Write(data); err != nil {
			return // the client has left
		}
	}
}

// WriteBytes answers with bytes that are all there, in pieces that need not be
// joined: the fast way for small content. typ is the content type.
func WriteBytes(w http.ResponseWriter, r *http.Request, status int, typ string, pieces ...[]byte) {
	x := exchangeFrom(r.Context())
	if x.Header()["Content-Type"] == nil {
		if typ == content.JSONHeader[0] {
			x.Header()["Content-Type"] = content.JSONHeader
		} else {
			x.Header()["Content-Type"] = []string{typ}
		}
	}
	x.writeBody(status, pieces...)
}

var _ io.Writer = (*exchange)(nil)
