package content

import (
	"context"
	"net/http"
	"strconv"

	"pasteport/ports"
)

// ServePicture answers with a small picture, which is made when the client does not
// have the one with this tag, written without quotes; then with 304. vary names the
// headers that decide what may be seen.
func ServePicture(w http.ResponseWriter, r *http.Request, tag string, draw func(context.Context) (ports.Picture, error), vary string) error {
	tag = `"` + tag + `"`
	h := w.Header()
	if none := TagsOf(r.Header, "If-None-Match"); none != "" && TagIn(none, tag, false) {
		pictureHeaders(h, tag, vary)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	picture, err := draw(r.Context())
	if err != nil {
		return err
	}
	pictureHeaders(h, tag, vary)
	h["Content-Type"] = []string{picture.Type}
	h["Content-Length"] = []string{strconv.Itoa(len(picture.Bytes))}
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_, _ = w.Write(picture.Bytes) // who has left needs no answer
	return nil
}

func pictureHeaders(h http.Header, tag, vary string) {
	Safety(h, true)
	h["Etag"] = []string{tag}
	h["Cache-Control"] = []string{"private, no-cache"}
	h.Add("Vary", vary)
}
