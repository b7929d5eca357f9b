package httpapi

import (
	"io"
)

// SmallBody is how many bytes of a JSON body, or of a block that is kept whole, are read before it takes room that
// is bounded: only who really sends as much can hold such room.
const SmallBody = 64 << 10

// bodyPlaces bound how many bodies are under way or in memory, so that slow and
// large ones starve nobody else. Visitors and callers with a credential have
// room of their own.
type bodyPlaces struct {
	visitors *places // JSON over SmallBody, by address
	callers  *places // the same, by caller
	huge     *places // JSON over jsonLimit, by caller
	blocks   *places // forms whose content is kept whole, by sender
	uploads  *places // bodies that handlers read
}

func newBodyPlaces() bodyPlaces {
	return bodyPlaces{
		visitors: newPlaces(32, 4),
		callers:  newPlaces(96, 16),
		huge:     newPlaces(6, 2),
		blocks:   newPlaces(6, 2),
		uploads:  newPlaces(512, 64),
	}
}

// sender is who a body counts for: the caller, else the address.
func (x *exchange) sender() string {
	if x.authenticated() {
		return x.who.Owner()
	}
	return x.client.key().String()
}

// takeBody reads a JSON body whole, or takes a place for a body that the
// handler reads. The places it has taken are in x.held, in case of an error too.
func (a *API) takeBody(x *exchange, op *Op) error {
	switch {
	case op.streams():
		x.paced.YieldTo(a.bodies.uploads.crowded)
		return x.hold(a.bodies.uploads)
	case x.sentAsText():
		if op.Body == BigJSON {
			return a.readBody(x, textLimit)
		}
		return a.readBody(x, SmallBody)
	case (op.Body == JSON || op.Body == BigJSON) && x.hasJSON():
		if op.Body == BigJSON {
			return a.readBody(x, BigJSONLimit)
		}
		return a.readBody(x, jsonLimit)
	}
	return nil
}

// hold is a place that is taken, and for whom.
type hold struct {
	*places
	who string
}

// hold takes a place for the sender until drop.
func (x *exchange) hold(p *places) error { return x.holdAs(p, x.sender()) }

func (x *exchange) holdAs(p *places, who string) error {
	if err := p.enter(x.ctx(), who); err != nil {
		return err
	}
	x.held = append(x.held, hold{p, who})
	return nil
}

// drop gives back all places that are held.
func (x *exchange) drop() {
	for _, p := range x.held {
		p.leave(p.who)
	}
	x.held = nil
}

// readBody reads a JSON body of at most limit bytes in steps, each of which
// needs more room than the one before.
func (a *API) readBody(x *exchange, limit int64) error {
	tooBig := errBigBody.WithParams(map[string]any{"limit": limit})
	if x.r.ContentLength > limit {
		return tooBig
	}
	more, err := x.readUpTo(SmallBody)
	if err != nil || !more {
		return err
	}
	if limit <= SmallBody {
		return tooBig
	}
	long := a.bodies.visitors
	if x.authenticated() {
		long = a.bodies.callers
	}
	if err := x.hold(long); err != nil {
		return err
	}
	x.paced.Hasten()
	if more, err = x.readUpTo(jsonLimit); err != nil || !more {
		return err
	}
	if limit > jsonLimit {
		if err := x.hold(a.bodies.huge); err != nil {
			return err
		}
		if more, err = x.readUpTo(limit); err != nil || !more {
			return err
		}
	}
	return tooBig
}

// readUpTo reads on until x.json holds size bytes or the body ends. more says
// that there are bytes behind those. The buffer grows with what comes, not with
// what was announced.
func (x *exchange) readUpTo(size int64) (more bool, err error) {
	announced := size + 1
	if length := x.r.ContentLength; length >= 0 {
		announced = min(announced, length)
	}
	for int64(len(x.json)) < announced {
		if len(x.json) == cap(x.json) {
			grown := make([]byte, len(x.json), min(announced, max(firstPiece, 4*int64(cap(x.json)))))
			copy(grown, x.json)
			x.json = grown
		}
		n, err := x.paced.Read(x.json[len(x.json):cap(x.json)])
		x.json = x.json[:len(x.json)+n]
		if err == io.EOF {
			if int64(len(x.json)) < x.r.ContentLength {
				return false, io.ErrUnexpectedEOF
			}
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return int64(len(x.json)) > size, nil
}

// firstPiece is how much memory a body gets before its first byte, in bytes.
const firstPiece = 16 << 10
