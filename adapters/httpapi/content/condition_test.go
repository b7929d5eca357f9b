package content

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// A list may stand on several lines of a header (RFC 9110 §5.3).
func TestEntityTagsOnSeveralLinesAreOneList(t *testing.T) {
	for name, want := range map[string]int{"If-Match": http.StatusOK, "If-None-Match": http.StatusNotModified} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.Header[name] = []string{`"e2"`, `"e3", "e1"`}
		err := Serve(w, r, Content{ETag: "e1", Size: 1, Open: func(context.Context, objstore.Range) (*objstore.Body, error) {
			return &objstore.Body{ReadCloser: io.NopCloser(strings.NewReader("x")), Length: 1}, nil
		}})
		if err != nil || w.Code != want {
			t.Errorf("%s: %d, %v", name, w.Code, err)
		}
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	r.Header["If-None-Match"] = []string{`"other"`, `"tag"`}
	err := ServePicture(w, r, "tag", func(context.Context) (ports.Picture, error) { return ports.Picture{}, nil }, "Cookie")
	if err != nil || w.Code != http.StatusNotModified {
		t.Errorf("a picture: %d, %v", w.Code, err)
	}
}
