package forms

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

const testBoundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW"

// textForm writes a form by hand: parts are "name=value", the one named file is
// the file.
func textForm(boundary, end string, parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, name)
		if name == "file" {
			b.WriteString("; filename=\"a.bin\"\r\nContent-Type: application/octet-stream")
		}
		fmt.Fprintf(&b, "\r\n\r\n%s\r\n", value)
	}
	return b.String() + "--" + boundary + "--" + end
}

// fileOfForm reads a form up to its file, and the file when its length can be
// told.
func fileOfForm(t testing.TB, body io.Reader, boundary string, length int64) (file io.Reader, size int64, ok bool) {
	t.Helper()
	r := httptest.NewRequest("POST", "/", io.NopCloser(body))
	r.Header.Set("Content-Type", `multipart/form-data; boundary="`+boundary+`"`)
	whole := KeepFront(r)
	parts, err := r.MultipartReader()
	if err != nil {
		t.Fatal(err)
	}
	form := Reader{Parts: parts, Fields: map[string]string{}}
	if _, err := form.UntilFile(); err != nil {
		t.Fatal(err)
	}
	return whole.Last(BoundaryOf(r), form.Read, length)
}

func TestTheLengthOfAFormsFileIsKnownOnlyWhereItIsSure(t *testing.T) {
	plain := textForm(testBoundary, "\r\n", "slug=a", "file=hello")
	for name, c := range map[string]struct {
		form, boundary string
		length         int64 // 0 means the form's
		known          bool
	}{
		"a browser's form":         {plain, testBoundary, 0, true},
		"curl's":                   {textForm(strings.Repeat("-", 24)+"aB3", "\r\n", "slug=a", "file=hello"), strings.Repeat("-", 24) + "aB3", 0, true},
		"an unknown sender's":      {textForm("xyz", "\r\n", "slug=a", "file=hello"), "xyz", 0, false},
		"a length that is unknown": {plain, testBoundary, -1, false},
		"a length that is a lie":   {plain, testBoundary, 100, false},
		"a text before the form":   {"hello\r\n" + plain, testBoundary, 0, false},
		"a boundary with a space":  {strings.Replace(plain, testBoundary+"\r\nContent-Disposition: form-data; name=\"file\"", testBoundary+" \r\nContent-Disposition: form-data; name=\"file\"", 1), testBoundary, 0, false},
		"line ends of two kinds":   {strings.Replace(plain, "octet-stream\r\n\r\n", "octet-stream\n\n", 1), testBoundary, 0, false},
		"an encoded file":          {strings.Replace(plain, "Content-Type:", "Content-Transfer-Encoding: quoted-printable\r\nContent-Type:", 1), testBoundary, 0, false},
		"fields that are too long": {textForm(testBoundary, "\r\n", "slug=a", "remark="+strings.Repeat("x", 60<<10), "path="+strings.Repeat("x", 60<<10), "file=hello"), testBoundary, 0, false},
	} {
		length := c.length
		if length == 0 {
			length = int64(len(c.form))
		}
		_, size, known := fileOfForm(t, strings.NewReader(c.form), c.boundary, length)
		if known != c.known || known && size != 5 {
			t.Errorf("%s: %t, %d bytes", name, known, size)
		}
	}
}

func TestTheLastFileOfAFormIsWholeOrFails(t *testing.T) {
	long := strings.Repeat("0123456789\r\n--", 20_000)
	for name, c := range map[string]struct {
		form string
		cut  int // bytes that never come
		want string
		err  error
	}{
		"short":                            {textForm(testBoundary, "\r\n", "slug=a", "file=hello"), 0, "hello", nil},
		"empty":                            {textForm(testBoundary, "\r\n", "slug=a", "file="), 0, "", nil},
		"long":                             {textForm(testBoundary, "\r\n", "slug=a", "file="+long), 0, long, nil},
		"with an end without a line end":   {textForm(testBoundary, "", "slug=a", "file=hello"), 0, "", ErrForm},
		"with a text behind the form":      {textForm(testBoundary, "\r\nmore", "slug=a", "file=hello"), 0, "", ErrForm},
		"with a field behind":              {textForm(testBoundary, "\r\n", "slug=a", "file=hello", "remark=late"), 0, "", ErrOrder},
		"with a field far behind":          {textForm(testBoundary, "\r\n", "slug=a", "file="+long, "remark=late"), 0, "", ErrOrder},
		"with a second file":               {textForm(testBoundary, "\r\n", "slug=a", "file="+long, "file=x"), 0, "", ErrOrder},
		"cut within the file":              {textForm(testBoundary, "\r\n", "slug=a", "file="+long), 100, "", ErrCutBody},
		"cut within the end":               {textForm(testBoundary, "\r\n", "slug=a", "file="+long), 3, "", ErrCutBody},
		"empty, with a field behind":       {textForm(testBoundary, "\r\n", "slug=a", "file=", "remark=late"), 0, "", ErrOrder},
		"with a boundary that is no field": {textForm(testBoundary, "\r\n", "slug=a", "file=a\r\n--"+testBoundary+"x"), 0, "", ErrOrder},
	} {
		for reads, wrap := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "bytewise": iotest.OneByteReader, "with the end": iotest.DataErrReader,
		} {
			length := int64(len(c.form))
			file, _, ok := fileOfForm(t, wrap(strings.NewReader(c.form[:len(c.form)-c.cut])), testBoundary, length)
			if !ok {
				t.Fatalf("%s: the length is unknown", name)
			}
			got, err := io.ReadAll(file)
			if !errors.Is(err, c.err) || (err == nil && string(got) != c.want) {
				t.Errorf("%s, read %s: %d bytes, %v, want %v", name, reads, len(got), err, c.err)
			}
			if n, again := file.Read(make([]byte, 5)); n != 0 || (c.err == nil && again != io.EOF) || !errors.Is(again, c.err) && c.err != nil {
				t.Errorf("%s, read %s: behind the end %d, %v", name, reads, n, again)
			}
		}
	}
}

// The last bytes are held back until the form's end has been seen: whoever reads
// exactly the announced length learns of a broken form too.
func TestTheLastBytesOfAFormsFileComeAfterItsEnd(t *testing.T) {
	form := textForm(testBoundary, "", "slug=a", "file=hello")
	file, size, ok := fileOfForm(t, strings.NewReader(form), testBoundary, int64(len(form)))
	if !ok {
		t.Fatal("the length is unknown")
	}
	if n, err := io.ReadFull(file, make([]byte, size)); err == nil {
		t.Errorf("read %d bytes of a broken form", n)
	}
}

func TestPropertyAFormsLastFileIsWhatTheLibraryReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		for i := range rapid.IntRange(1, 4).Draw(t, "fields") {
			w.WriteField(fmt.Sprintf("f%d", i), rapid.StringMatching(`[a-z\r\n-]{0,40}`).Draw(t, "value"))
		}
		part, _ := w.CreateFormFile("file", "a.bin")
		content := rapid.SliceOfN(rapid.SampledFrom([]byte("a\r\n-\x00")), 0, 300).Draw(t, "content")
		part.Write(content)
		w.Close()
		r := httptest.NewRequest("POST", "/", io.NopCloser(iotest.HalfReader(&body)))
		length := int64(body.Len())
		r.Header.Set("Content-Type", w.FormDataContentType())
		whole := KeepFront(r)
		parts, _ := r.MultipartReader()
		form := Reader{Parts: parts, Fields: map[string]string{}}
		if _, err := form.UntilFile(); err != nil {
			t.Fatal(err)
		}
		file, size, ok := whole.Last(w.Boundary(), form.Read, length)
		if !ok || size != int64(len(content)) {
			t.Fatalf("%t, %d bytes of %d", ok, size, len(content))
		}
		buffer := make([]byte, rapid.IntRange(1, 64).Draw(t, "buffer"))
		var got bytes.Buffer
		if _, err := io.CopyBuffer(struct{ io.Writer }{&got}, file, buffer); err != nil || !bytes.Equal(got.Bytes(), content) {
			t.Fatalf("%d bytes of %d, %v", got.Len(), len(content), err)
		}
	})
}

func BenchmarkFormFile(b *testing.B) {
	const size = 64 << 20
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(rand.Uint32())
	}
	form := []byte(textForm(testBoundary, "\r\n", "slug=a", "file="+string(content)))
	buffer := make([]byte, 32<<10)
	b.SetBytes(size)
	for b.Loop() {
		file, _, ok := fileOfForm(b, bytes.NewReader(form), testBoundary, int64(len(form)))
		if !ok {
			b.Fatal("the length is unknown")
		}
		if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{file}, buffer); n != size || err != nil {
			b.Fatal(n, err)
		}
	}
}
