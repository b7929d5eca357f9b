package forms

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"

	"pasteport/adapters/httpapi/wire"
	"pasteport/ports"
)

// Bounds of a form.
const (
	maxFormParts = 64
	maxFormField = 64 << 10 // bytes
)

var (
	ErrCutBody = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "body_cut"}
	ErrForm    = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "form_invalid"}
	ErrFile    = ports.InvalidInput("form_file_missing", "file")
	ErrOrder   = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "form_order"}
)

// BoundaryOf is what separates the parts of a form.
func BoundaryOf(r *http.Request) string {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return params["boundary"]
}

// LastPart reads the file of a form and ends well only when nothing but the
// end of the form follows. Whoever reads on past the end gets that end again.
type LastPart struct {
	Form *Reader
	Part *multipart.Part
	end  error // nil before the end
}

func (l *LastPart) Read(p []byte) (int, error) {
	if l.end != nil {
		return 0, l.end
	}
	n, err := l.Part.Read(p)
	if err != io.EOF {
		return n, err
	}
	switch _, next := l.Form.Parts.NextPart(); {
	case next == io.EOF:
		l.end = io.EOF
	case next == nil:
		l.end = ErrOrder
	default:
		l.end = Error(next)
	}
	return n, l.end
}

// Reader reads the parts of a form one after the other.
type Reader struct {
	Parts  *multipart.Reader
	Fields map[string]string
	Read   int
}

// UntilFile reads fields until the file, which it returns unread: the field file,
// or one of any name that has a file name. At the end of
// the form it returns errFormFile.
func (f *Reader) UntilFile() (*multipart.Part, error) {
	for {
		part, err := f.Parts.NextPart()
		if err == io.EOF {
			return nil, ErrFile
		}
		if err != nil {
			return nil, Error(err)
		}
		if f.Read++; f.Read > maxFormParts {
			return nil, ErrForm
		}
		if part.FormName() == "file" || part.FileName() != "" {
			return part, nil
		}
		value, err := io.ReadAll(io.LimitReader(part, maxFormField+1))
		if err != nil {
			return nil, Error(err)
		}
		if len(value) > maxFormField || !wire.Storable(string(value)) {
			return nil, ErrForm
		}
		f.Fields[part.FormName()] = string(value)
	}
}

// FileName is the name in the file's part as it was sent. The library's own
// FileName would cut a path off; the use case refuses one instead.
func FileName(part *multipart.Part) string {
	_, params, err := parseDisposition(part.Header.Get("Content-Disposition"))
	if err != nil || params["filename"] == "" {
		return part.FileName()
	}
	return params["filename"]
}

// Error says what broke in the middle of a form: an end that came too early
// is the sender's.
func Error(err error) error {
	var own *ports.Error
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &own), errors.As(err, &tooBig), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return ErrCutBody.With(err)
	}
	return ErrForm.With(err)
}

func parseDisposition(header string) (string, map[string]string, error) {
	return mime.ParseMediaType(header)
}
