package pluginhost

import (
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"pasteport/ports/bulk"
)

// sink takes in pieces, each within a time.
type sink struct {
	net.Conn
	takes  time.Duration
	got    bytes.Buffer
	pieces []int
}

func (s *sink) Write(p []byte) (int, error) {
	time.Sleep(s.takes)
	s.pieces = append(s.pieces, len(p))
	return s.got.Write(p)
}

func TestBodiesGoInLargePiecesBetweenFastSides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := bytes.Repeat([]byte("0123456789abcdef"), (2*bulk.Large)/16)
		for name, c := range map[string]struct {
			src   io.Reader
			takes time.Duration
			most  int
		}{
			"fast":         {bytes.NewReader(body), 0, bulk.Large},
			"slow storage": {bytes.NewReader(body), fastPiece, bulk.Small},
			"slow sender":  {iotest.HalfReader(bytes.NewReader(body)), 0, bulk.Small / 2},
		} {
			s := &sink{takes: c.takes}
			n, err := newBulkConn(s).ReadFrom(c.src)
			if err != nil || n != int64(len(body)) || !bytes.Equal(s.got.Bytes(), body) {
				t.Errorf("%s: %d bytes, %v", name, n, err)
			}
			if got := slices.Max(s.pieces); got != c.most {
				t.Errorf("%s: pieces of %d bytes, want %d", name, got, c.most)
			}
		}
		failed := errors.New("cut")
		if _, err := newBulkConn(&sink{}).ReadFrom(iotest.ErrReader(failed)); !errors.Is(err, failed) {
			t.Errorf("a sender that fails: %v", err)
		}
	})
}
