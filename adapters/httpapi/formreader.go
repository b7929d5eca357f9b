package httpapi

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"

	"pasteport/ports"
)

// Bounds of a form.
const (
	maxFormParts = 64
	maxFormField = 64 << 10 // bytes
)

var (
	errForm      = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "form_invalid"}
	errFormFile  = ports.InvalidInput("form_file_missing", "file")
	errFormOrder = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "form_order"}
)

// boundaryOf is what separates the parts of a form.
func boundaryOf(r *http.Request) string {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return params["boundary"]
}

// lastPart reads the file of a form and ends well only when nothing but the
// end of the form follows. Whoever reads on past the end gets that end again.
type lastPart struct {
	form *formReader
	part *multipart.Part
	end  error // nil before the end
}

func (l *lastPart) Read(p []byte) (int, error) {
	if l.end != nil {
		return 0, l.end
	}
	n, err := l.part.Read(p)
	if err != io.EOF {
		return n, err
	}
	switch _, next := l.form.parts.NextPart(); {
	case next == io.EOF:
		l.end = io.EOF
	case next == nil:
		l.end = errFormOrder
	default:
		l.end = formError(next)
	}
	return n, l.end
}

// formReader reads the parts of a form one after the other.
type formReader struct {
	parts  *multipart.Reader
	fields map[string]string
	read   int
}

// untilFile reads fields until the file, which it returns unread. At the end of
// the form it returns errFormFile.
func (f *formReader) untilFile() (*multipart.Part, error) {
	for {
		part, err := f.parts.NextPart()
		if err == io.EOF {
			return nil, errFormFile
		}
		if err != nil {
			return nil, formError(err)
		}
		if f.read++; f.read > maxFormParts {
			return nil, errForm
		}
		if part.FormName() == "file" {
			return part, nil
		}
		value, err := io.ReadAll(io.LimitReader(part, maxFormField+1))
		if err != nil {
			return nil, formError(err)
		}
		if len(value) > maxFormField || !storable(string(value)) {
			return nil, errForm
		}
		f.fields[part.FormName()] = string(value)
	}
}

// fileName is the name in the file's part as it was sent. The library's own
// FileName would cut a path off; the use case refuses one instead.
func fileName(part *multipart.Part) string {
	_, params, err := parseDisposition(part.Header.Get("Content-Disposition"))
	if err != nil || params["filename"] == "" {
		return part.FileName()
	}
	return params["filename"]
}

// formError says what broke in the middle of a form: an end that came too early
// is the sender's.
func formError(err error) error {
	var own *ports.Error
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &own), errors.As(err, &tooBig), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errCutBody.With(err)
	}
	return errForm.With(err)
}

func parseDisposition(header string) (string, map[string]string, error) {
	return mime.ParseMediaType(header)
}
