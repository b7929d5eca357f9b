//go:build bench

package main

import (
	"database/sql"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"pasteport/adapters/httpapi/listen"
	"pasteport/plugins/local"
	"pasteport/plugins/s3"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// The floor is the smallest server that does what a row measures with the same
// libraries: net/http, gorilla/mux, SQLite, the drivers of S3 and of the disk. As
// any server in use does, it writes a line of log and counts two metrics for each
// request, and reads are views. It knows no users, rules or limits. What it is
// faster by is ours.

// floorSettings is what a floor is started with.
type floorSettings struct {
	Listen, Folder string            // of files to list
	S3             map[string]string // options of the bucket; nil: none
}

const floorVariable = "PASTEPORT_BENCH_FLOOR"

// startFloor starts a floor in a process of its own.
func startFloor(t *testing.T, s floorSettings) (url string, pid int) {
	s.Listen = portstest.FreeAddress(t)
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFloor$", "-test.timeout=2h")
	cmd.Env = append(os.Environ(), floorVariable+"="+string(text))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	url = "http://" + s.Listen
	portstest.Eventually(t, func() bool { return answers(url + "/api/paste/k1") }, "the floor starts")
	return url, cmd.Process.Pid
}

// TestFloor is the floor itself; it ends with its process.
func TestFloor(t *testing.T) {
	text := os.Getenv(floorVariable)
	if text == "" {
		t.Skip("started by a bench")
	}
	f := newFloor(t)
	if err := json.Unmarshal([]byte(text), &f.floorSettings); err != nil {
		t.Fatal(err)
	}
	t.Fatal(f.serve())
}

func newFloor(t testing.TB) *floor {
	return &floor{t: t, kept: map[string][]byte{}, views: map[string]int{}}
}

type floor struct {
	floorSettings
	t     testing.TB
	db    *sql.DB
	cloud objstore.Bucket
	disk  objstore.Bucket
	mu    sync.Mutex
	kept  map[string][]byte // rendered listings
	views map[string]int
	links sync.Map // signed addresses by key
}

func (f *floor) must(err error) {
	if err != nil {
		f.t.Error(err)
	}
}

func (f *floor) serve() (err error) {
	if f.db, err = sql.Open("sqlite", "file:"+filepath.Join(f.t.TempDir(), "floor.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate"); err != nil {
		return err
	}
	f.db.SetMaxOpenConns(1)
	if _, err = f.db.Exec("CREATE TABLE files (id TEXT PRIMARY KEY, key TEXT UNIQUE, size INTEGER, etag TEXT, pending INTEGER)"); err != nil {
		return err
	}
	if f.S3 != nil {
		if f.cloud, err = s3.Driver().Open(f.t.Context(), objstore.Config{ID: "floor", Options: f.S3}); err != nil {
			return err
		}
	}
	if f.Folder != "" {
		if f.disk, err = (local.Driver{}).Open(f.t.Context(), objstore.Config{ID: "floor", Options: map[string]string{"directory": f.Folder}}); err != nil {
			return err
		}
	}
	return http.ListenAndServe(f.Listen, f.handler())
}

func (f *floor) handler() http.Handler {
	paste, _ := json.Marshal(map[string]any{"slug": "k1", "content": text(1024), "createdAt": time.Now(), "views": 1})
	raw := []byte(text(1024))
	r := mux.NewRouter()
	r.Use(f.noted())
	r.HandleFunc("/api/paste/{slug}", func(w http.ResponseWriter, r *http.Request) { f.view(w, r, "application/json", paste) }).Methods("GET")
	r.HandleFunc("/api/raw/{slug}", func(w http.ResponseWriter, r *http.Request) { f.view(w, r, "text/plain; charset=utf-8", raw) }).Methods("GET")
	r.HandleFunc("/headers/paste/{slug}", func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), apiHeaders)
		f.view(w, r, "application/json; charset=utf-8", paste)
	}).Methods("GET")
	r.HandleFunc("/headers/raw/{slug}", func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), apiHeaders)
		maps.Copy(w.Header(), rawHeaders)
		f.view(w, r, "text/plain; charset=utf-8", raw)
	}).Methods("GET")
	r.HandleFunc("/presign", f.presign).Methods("POST")
	r.HandleFunc("/commit", f.commit).Methods("POST")
	r.HandleFunc("/file/{key}", f.download).Methods("GET")
	r.HandleFunc("/file/{key}", f.put).Methods("PUT")
	r.HandleFunc("/form", f.form).Methods("POST")
	r.HandleFunc("/list/{dir}", f.listing("application/json", jsonEntries)).Methods("GET")
	r.HandleFunc("/list/{dir}", f.listing("application/xml", xmlEntries)).Methods("PROPFIND")
	return r
}

// apiHeaders are what each of our answers has besides its type and length, and
// rawHeaders what texts have besides: net/http takes as long for them as we for the rest.
var (
	apiHeaders = http.Header{"Access-Control-Allow-Origin": {"*"}, "Cache-Control": {"no-store"}, "Referrer-Policy": {"no-referrer"},
		"X-Content-Type-Options": {"nosniff"}, "X-Request-Id": {"3d5de60c4ee41576"}, "X-Robots-Tag": {"noindex"}}
	rawHeaders = http.Header{"Content-Disposition": {`inline; filename="k1.txt"`},
		"Content-Security-Policy":      {"default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"},
		"Cross-Origin-Resource-Policy": {"cross-origin"}, "Etag": {`"01a226e8-1e11-7034-a667-071690bdca75.1"`}}
)

// noted writes a line of log for each request and counts it.
func (f *floor) noted() mux.MiddlewareFunc {
	registry := prometheus.NewRegistry()
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests_total"}, []string{"class"})
	seconds := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "seconds"})
	registry.MustRegister(requests, seconds)
	lines := listen.NewLogWriter(io.Discard)
	f.t.Cleanup(func() { lines.Close() })
	log := slog.New(slog.NewJSONHandler(lines, nil))
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begin := time.Now()
			next.ServeHTTP(w, r)
			took := time.Since(begin)
			requests.WithLabelValues("2xx").Inc()
			seconds.Observe(took.Seconds())
			log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Duration("took", took), slog.String("client", r.RemoteAddr))
		})
	}
}

// view counts a view and sends what is viewed.
func (f *floor) view(w http.ResponseWriter, r *http.Request, typ string, data []byte) {
	f.mu.Lock()
	f.views[mux.Vars(r)["slug"]]++
	f.mu.Unlock()
	send(w, typ, data)
}

func send(w http.ResponseWriter, typ string, data []byte) {
	w.Header().Set("Content-Type", typ)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.Write(data)
}

func (f *floor) presign(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Filename string `json:"filename"`
		Size     int64  `json:"size"`
	}
	f.must(json.NewDecoder(r.Body).Decode(&in))
	id := fmt.Sprintf("%016x", time.Now().UnixNano())
	_, err := f.db.Exec("INSERT INTO files VALUES (?, ?, ?, '', 1)", id, id+in.Filename, in.Size)
	f.must(err)
	link, err := f.cloud.Sign(r.Context(), objstore.SignRequest{Verb: objstore.VerbPut, Key: id + in.Filename, Audience: objstore.Browser, TTL: time.Hour})
	f.must(err)
	data, _ := json.Marshal(map[string]any{"file_id": id, "upload_url": link.URL})
	send(w, "application/json", data)
}

func (f *floor) commit(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID string `json:"file_id"`
	}
	f.must(json.NewDecoder(r.Body).Decode(&in))
	var key string
	f.must(f.db.QueryRow("SELECT key FROM files WHERE id = ?", in.ID).Scan(&key))
	object, err := f.cloud.Stat(r.Context(), key)
	f.must(err)
	_, err = f.db.Exec("UPDATE files SET size = ?, etag = ?, pending = 0 WHERE id = ?", object.Size, object.ETag, in.ID)
	f.must(err)
	data, _ := json.Marshal(map[string]any{"file_id": in.ID, "size": object.Size})
	send(w, "application/json", data)
}

// download passes on what the store answers to a signed request.
func (f *floor) download(w http.ResponseWriter, r *http.Request) {
	key := mux.Vars(r)["key"]
	address, ok := f.links.Load(key)
	if !ok {
		link, err := f.cloud.Sign(r.Context(), objstore.SignRequest{Verb: objstore.VerbGet, Key: key, Audience: objstore.Server, TTL: time.Hour})
		f.must(err)
		address = link.URL
		f.links.Store(key, address)
	}
	answer, err := floorClient.Get(address.(string))
	if err != nil {
		f.must(err)
		return
	}
	defer answer.Body.Close()
	w.Header().Set("Content-Length", strconv.FormatInt(answer.ContentLength, 10))
	w.WriteHeader(answer.StatusCode)
	io.Copy(w, answer.Body)
}

var floorClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}

func (f *floor) put(w http.ResponseWriter, r *http.Request) {
	_, err := f.cloud.Write(r.Context(), mux.Vars(r)["key"], r.Body, objstore.WriteOptions{Size: r.ContentLength})
	f.must(err)
	w.WriteHeader(http.StatusCreated)
}

// form stores the first file of a form, whose size the address tells.
func (f *floor) form(w http.ResponseWriter, r *http.Request) {
	size, _ := strconv.ParseInt(r.URL.Query().Get("size"), 10, 64)
	form, err := r.MultipartReader()
	f.must(err)
	for {
		part, err := form.NextPart()
		if err != nil {
			break
		}
		if part.FileName() != "" {
			_, err := f.cloud.Write(r.Context(), part.FileName(), part, objstore.WriteOptions{Size: size})
			f.must(err)
		}
	}
	w.WriteHeader(http.StatusOK)
}

// listing answers with a folder, rendered once unless the query says "cold".
func (f *floor) listing(typ string, render func([]objstore.Object) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		dir := mux.Vars(r)["dir"]
		f.mu.Lock()
		data := f.kept[typ+dir]
		f.mu.Unlock()
		if data == nil || r.URL.RawQuery == "cold" {
			var objects []objstore.Object
			for q := (objstore.ListQuery{Prefix: dir + "/", Delimiter: "/"}); ; {
				page, err := f.disk.List(r.Context(), q)
				f.must(err)
				objects = append(objects, page.Objects...)
				if q.Token = page.Next; q.Token == "" {
					break
				}
			}
			data = render(objects)
			f.mu.Lock()
			f.kept[typ+dir] = data
			f.mu.Unlock()
		}
		send(w, typ, data)
	}
}

// jsonEntries writes what the contract wants of a file.
func jsonEntries(objects []objstore.Object) []byte {
	type entry struct {
		Name      string    `json:"name"`
		Path      string    `json:"path"`
		Directory bool      `json:"isDirectory"`
		Size      int64     `json:"size"`
		Modified  time.Time `json:"modified"`
		ETag      string    `json:"etag"`
		Type      int       `json:"type"`
		TypeName  string    `json:"typeName"`
	}
	entries := make([]entry, len(objects))
	for i, o := range objects {
		entries[i] = entry{filepath.Base(o.Key), "/local/" + o.Key, false, o.Size, o.ModTime.Truncate(time.Millisecond), o.ETag, 4, "text"}
	}
	data, _ := json.Marshal(entries)
	return data
}

func xmlEntries(objects []objstore.Object) []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">`)
	for _, o := range objects {
		b.WriteString("<D:response><D:href>/")
		xml.EscapeText(&b, []byte(o.Key))
		fmt.Fprintf(&b, "</D:href><D:propstat><D:prop><D:resourcetype/><D:displayname>%s</D:displayname><D:getcontentlength>%d</D:getcontentlength><D:getcontenttype>text/plain</D:getcontenttype>"+
			"<D:getlastmodified>%s</D:getlastmodified><D:getetag>%q</D:getetag><D:supportedlock><D:lockentry><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry></D:supportedlock>"+
			"</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>", filepath.Base(o.Key), o.Size, o.ModTime.UTC().Format(http.TimeFormat), o.ETag)
	}
	b.WriteString("</D:multistatus>")
	return []byte(b.String())
}
