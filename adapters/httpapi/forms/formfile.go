package forms

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
)

// Body keeps the front of a form while its fields are read, so that a file
// behind them can be taken straight from the body: without a search for its end
// through small buffers, and with a length that storage is told beforehand.
type Body struct {
	body  io.ReadCloser
	front []byte // nil when it became too long to keep
}

// maxFormFront is how much of a form is kept at most, in bytes. Longer fields
// are fine; their form is read part by part to its end.
const maxFormFront = 64 << 10

// KeepFront puts a formBody in the place of the request's body.
func KeepFront(r *http.Request) *Body {
	f := &Body{body: r.Body, front: make([]byte, 0, 8<<10)}
	r.Body = f
	return f
}

func (f *Body) Read(p []byte) (int, error) {
	n, err := f.body.Read(p)
	if f.front != nil && len(f.front)+n <= maxFormFront {
		f.front = append(f.front, p[:n]...)
	} else {
		f.front = nil
	}
	return n, err
}

func (f *Body) Close() error { return f.body.Close() }

// usualEnd matches the boundaries of senders that are known to end a form with
// one line end behind the last boundary: WebKit and Chromium, Firefox, curl and
// Node's form-data, Python's libraries, Go. RFC 2046 §5.1.1 allows none and
// more, and then the length of the file cannot be told from the form's.
var usualEnd = regexp.MustCompile(`^(----WebKitFormBoundary.*|----geckoformboundary.*|-{24,}[0-9A-Za-z]+|[0-9a-f]{32}|[0-9a-f]{60})$`)

// Last returns the file that begins in the form's part number n, counted
// from 1, and its length, provided that it is the form's last part and length
// is that of the whole form. Reading fails when either is not so. ok is false
// when the length cannot be told.
func (f *Body) Last(boundary string, n int, length int64) (file io.Reader, size int64, ok bool) {
	if f.front == nil || length < 0 || !usualEnd.MatchString(boundary) {
		return nil, 0, false
	}
	start, ok := startOfPart(f.front, boundary, n)
	end := "\r\n--" + boundary + "--\r\n"
	size = length - int64(start) - int64(len(end))
	if !ok || size < 0 {
		return nil, 0, false
	}
	// Longer texts are searched for many times slower.
	delimiter := []byte("\r\n--" + boundary)
	delimiter = delimiter[:min(len(delimiter), 60)]
	return &lastFile{from: io.MultiReader(bytes.NewReader(f.front[start:]), f.body), left: size, end: end, delimiter: delimiter}, size, true
}

// startOfPart finds where the content of a part begins. It knows forms written
// as everybody writes them, and reports others as not ok.
func startOfPart(front []byte, boundary string, n int) (start int, ok bool) {
	delimiter, lineEnd := []byte("--"+boundary), []byte("\r\n")
	for ; n > 0; n-- {
		i := bytes.Index(front[start:], delimiter)
		if i < 0 || start == 0 && i > 0 { // no such part, or a text before the first
			return 0, false
		}
		if start += i + len(delimiter); !bytes.HasPrefix(front[start:], lineEnd) {
			return 0, false
		}
		delimiter = []byte("\r\n--" + boundary)
	}
	i := bytes.Index(front[start:], []byte("\r\n\r\n"))
	if i < 0 {
		return 0, false
	}
	header := front[start : start+i+4]
	if bytes.Count(header, []byte("\n")) != bytes.Count(header, lineEnd) || bytes.Contains(bytes.ToLower(header), []byte("content-transfer-encoding")) {
		return 0, false
	}
	return start + len(header), true
}

// lastFile reads a file of a known length that the end of its form must follow.
// It gives away the last bytes only when it has seen that end, so nobody can
// take a file for whole that is not.
type lastFile struct {
	from      io.Reader
	left      int64  // bytes of the file to come
	end       string // what must follow them
	delimiter []byte // what must not be in them
	tail      []byte // the last bytes read, which may begin a delimiter
	err       error  // of an earlier call
}

func (l *lastFile) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	if l.left == 0 {
		if l.err = l.finish(); l.err == nil {
			l.err = io.EOF
		}
		return 0, l.err
	}
	n, err := l.from.Read(p[:min(int64(len(p)), l.left)])
	if err == io.EOF && int64(n) < l.left {
		err = Error(io.ErrUnexpectedEOF)
	} else if err == io.EOF {
		err = nil
	} else if err != nil {
		err = Error(err)
	}
	if err == nil {
		err = l.check(p[:n])
	}
	if l.left -= int64(n); err == nil && l.left == 0 {
		if err = l.finish(); err == nil {
			l.err = io.EOF
			return n, nil
		}
	}
	if err != nil {
		l.err = err
		return 0, err
	}
	return n, nil
}

// check looks for another part within what was taken for the file.
func (l *lastFile) check(data []byte) error {
	edge := append(l.tail, data[:min(len(data), len(l.delimiter))]...)
	if bytes.Contains(edge, l.delimiter) || bytes.Contains(data, l.delimiter) {
		return ErrOrder
	}
	last := edge
	if len(data) > len(l.delimiter) {
		last = data
	}
	l.tail = append(l.tail[:0], last[max(0, len(last)-len(l.delimiter)+1):]...)
	return nil
}

// finish reads the end of the form.
func (l *lastFile) finish() error {
	end := make([]byte, len(l.end))
	if _, err := io.ReadFull(l.from, end); err != nil {
		return Error(err)
	}
	if string(end) != l.end {
		return ErrForm
	}
	return nil
}
