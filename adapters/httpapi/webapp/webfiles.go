package webapp

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"pasteport/adapters/httpapi/content"

	"pasteport/adapters/httpapi"

	"github.com/andybalholm/brotli"
)

// asset is a file of the web UI's build. One that packs well lies there in
// brotli's form only; what other clients take is made when the first of them
// asks and kept, so that the memory for it is bounded by the build's size.
type asset struct {
	packed bool
	stored func() (variant, error) // as it lies in the build
	plain  func() ([]byte, error)
	gzip   func() ([]byte, error) // for packed ones
}

// variant is a file's bytes and their hash.
type variant struct {
	data []byte
	hash string
}

// findAssets lists the files of a build by the names under which clients ask
// for them.
func findAssets(files fs.FS) (map[string]*asset, error) {
	// One asset is unpacked at a time: a stranger who asks for all of them at
	// once keeps one core busy, once.
	var unpacking sync.Mutex
	assets := map[string]*asset{}
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || file == "index.html" {
			return err
		}
		name, packed := strings.CutSuffix(file, ".br")
		stored := sync.OnceValues(func() (variant, error) {
			data, err := fs.ReadFile(files, file)
			sum := sha256.Sum256(data)
			return variant{data, hex.EncodeToString(sum[:12])}, err
		})
		once := func(unpack func(variant) ([]byte, error)) func() ([]byte, error) {
			return sync.OnceValues(func() ([]byte, error) {
				from, err := stored()
				if err != nil || !packed {
					return from.data, err
				}
				unpacking.Lock()
				defer unpacking.Unlock()
				data, err := unpack(from)
				if err != nil {
					return nil, fmt.Errorf("unpack %s of the web UI: %w", file, err)
				}
				return data, nil
			})
		}
		assets[name] = &asset{packed: packed, stored: stored, plain: once(unbrotli), gzip: once(gzipped)}
		return nil
	})
	return assets, err
}

// unbrotli unpacks a file.
func unbrotli(packed variant) ([]byte, error) {
	return io.ReadAll(brotli.NewReader(bytes.NewReader(packed.data)))
}

// gzipped packs a file of brotli's form in gzip's.
func gzipped(packed variant) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(w, brotli.NewReader(bytes.NewReader(packed.data))); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(b.Bytes()), nil // without the buffer's spare room
}

var (
	immutable = []string{"public, max-age=31536000, immutable"}
	byCoding  = []string{"Accept-Encoding"}
)

// fileTypes are the content types of the build's files.
var fileTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8", ".json": "application/json", ".webmanifest": "application/manifest+json",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".webp": "image/webp", ".woff2": "font/woff2",
	".woff": "font/woff", ".ttf": "font/ttf", ".wasm": "application/wasm", ".txt": "text/plain; charset=utf-8", ".map": "application/json",
	".bcmap": content.Octets, ".pfb": content.Octets, ".icc": content.Octets,
}

// serveAsset answers with a file of the build in the best coding that the
// client takes. Files under assets/ carry their content's hash in the name.
func (web *Web) serveAsset(w http.ResponseWriter, scope httpapi.Scope, name string) error {
	file := web.assets[name]
	from, err := file.stored()
	if err != nil {
		return err
	}
	h, r := w.Header(), scope.Request()
	h["Content-Type"] = []string{content.Octets}
	if typ, ok := fileTypes[path.Ext(name)]; ok {
		h["Content-Type"] = []string{typ}
	}
	h["Cache-Control"] = content.NoCache
	if strings.HasPrefix(name, "assets/") {
		h["Cache-Control"] = immutable
	}
	h["Cross-Origin-Resource-Policy"] = content.SameOrigin
	h["Vary"] = byCoding
	coding := file.coding(r.Header["Accept-Encoding"])
	// Each form has its own tag, known without making the form.
	tag := `"` + from.hash + coding + `"`
	h["Etag"] = []string{tag}
	if content.TagIn(content.TagsOf(r.Header, "If-None-Match"), tag, false) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	data := from.data
	switch coding {
	case "gzip":
		data, err = file.gzip()
	case "":
		data, err = file.plain()
	}
	if err != nil {
		return err
	}
	if coding != "" {
		h["Content-Encoding"] = []string{coding}
	}
	scope.Answer(http.StatusOK, data)
	return nil
}

// coding is the best one of the file that the client takes, "" for the plain
// file.
func (f *asset) coding(accepted []string) string {
	if f.packed {
		for _, coding := range []string{"br", "gzip"} {
			if accepts(accepted, coding) {
				return coding
			}
		}
	}
	return ""
}

// accepts reports whether a list of codings holds one, not with q=0.
func accepts(lines []string, coding string) bool {
	for _, line := range lines {
		for item := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(strings.TrimSpace(item), ";")
			if strings.EqualFold(strings.TrimSpace(name), coding) {
				q, err := strconv.ParseFloat(strings.TrimPrefix(strings.ReplaceAll(params, " ", ""), "q="), 64)
				return params == "" || err != nil || q > 0
			}
		}
	}
	return false
}
