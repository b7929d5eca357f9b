package archive

import (
	"archive/zip"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// packer writes the entries of an archive.
type packer struct {
	*Archive
	zip *zip.Writer
	out *outlet
	say func(error) string

	taken   map[string]bool // top names, folded: systems differ in case
	entries int
	buffer  []byte

	reports []string // what could not be read, a line each
	more    int      // further ones, of which no line is kept
}

// Bounds of what an archive says about failures.
const maxReports = 1000

// reportName names the text about what is missing.
const reportName = "pasteport-errors.txt"

// Errors of single entries.
var (
	errCutShort = &ports.Error{Code: ports.Unavailable, Key: "storage_unavailable", Text: "archive_cut_short"}
	errBadName  = &ports.Error{Code: ports.Invalid, Key: "path_invalid"}
	errFull     = &ports.Error{Code: ports.TooLarge, Key: "too_large", Text: "archive_full"}
)

// errPacked ends the packing of a full archive.
var errPacked = errors.New("archive is full")

func newPacker(a *Archive, w io.Writer, say func(error) string) *packer {
	p := &packer{Archive: a, out: &outlet{w: w}, say: say, taken: map[string]bool{}, buffer: make([]byte, 64<<10)}
	p.zip = zip.NewWriter(p.out)
	var press *flate.Writer // entries come one after the other
	p.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		if press == nil {
			var err error
			press, err = flate.NewWriter(w, flate.BestSpeed)
			return press, err
		}
		press.Reset(w)
		return press, nil
	})
	return p
}

// outlet remembers that writing failed: that is the end of the archive, unlike
// failures of single files.
type outlet struct {
	w   io.Writer
	err error
}

func (o *outlet) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	o.err = err
	return n, err
}

// add packs what is at one path of the selection.
func (p *packer) add(ctx context.Context, path string) error {
	found, err := packed(ctx, p.tree, p.snapshot, p.ticket.Who, path)
	if err == nil {
		top := p.name(found.Name, found.Folder)
		if found.Folder {
			err = p.folder(ctx, found, top+"/")
		} else {
			err = p.file(ctx, found.place, objstore.Object{Key: found.place.Key(), Size: found.Size, ModTime: moment(found.ModTime)}, found.Path, top)
		}
	}
	if errors.Is(err, errPacked) && p.goesOn(ctx) == nil {
		return nil
	}
	return p.failed(ctx, path, err)
}

// name makes a name for the top of the archive that nothing else there has.
func (p *packer) name(name string, folder bool) string {
	if name == "" {
		name = allFiles
	}
	if len(name) > 1 && name[1] == ':' { // some systems would take it for a drive
		name = name[:1] + "_" + name[2:]
	}
	free := name
	for n := 1; p.taken[strings.ToLower(free)]; n++ {
		free = mounts.Numbered(name, folder, n)
	}
	p.taken[strings.ToLower(free)] = true
	return free
}

// goesOn returns why the archive cannot be gone on with, nil when it can.
func (p *packer) goesOn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	return p.out.err
}

// failed notes the failure of a path, unless it ends the whole archive.
func (p *packer) failed(ctx context.Context, path string, err error) error {
	if err == nil {
		return nil
	}
	if end := p.goesOn(ctx); end != nil {
		return end
	}
	if len(p.reports) == maxReports {
		p.more++
		return nil
	}
	p.reports = append(p.reports, printable(path)+": "+p.say(err))
	return nil
}

// printable is a path as it can stand in a text.
func printable(path string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(path, string(unicode.ReplacementChar)))
}

// end writes what could not be read, and the directory of the archive.
func (p *packer) end() error {
	if len(p.reports) > 0 {
		text := strings.Join(p.reports, "\r\n") + "\r\n"
		if p.more > 0 {
			text += fmt.Sprintf("... +%d\r\n", p.more)
		}
		w, err := p.zip.CreateHeader(&zip.FileHeader{Name: p.name(reportName, false), Method: zip.Deflate, Modified: p.tree.Clock.Now()})
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			return err
		}
	}
	return p.zip.Close()
}

// folder packs all below a folder: what is in its storage, and the mounts that
// the caller can use there. out is its name in the archive.
func (p *packer) folder(ctx context.Context, top packable, out string) error {
	below := p.snapshot.Below(p.ticket.Who, top.Path)
	ways := map[string]bool{} // folders on the way to those mounts, and whether they are entries yet
	for _, m := range below {
		for at := m.Path; at != top.Path; at = mounts.Parent(at) {
			ways[at] = false
		}
	}
	if err := p.directory(ctx, out, moment(top.ModTime)); err != nil {
		return err
	}
	if top.place != nil {
		w := storageWalk{packer: p, place: top.place, ways: ways, levels: []level{{"", out}}, numbered: map[string]bool{}}
		if err := p.failedBelow(ctx, top.Path, w.pack(ctx)); err != nil {
			return err
		}
	}
	slices.SortStableFunc(below, func(a, b *mounts.Active) int { return strings.Compare(a.Path, b.Path) })
	for _, m := range below {
		at := out + strings.TrimPrefix(strings.TrimPrefix(m.Path, top.Path), "/") + "/"
		if err := p.wayTo(ctx, ways, top.Path, m.Path, out); err != nil {
			return err
		}
		p.tree.Touch(m.ID)
		w := storageWalk{packer: p, place: m.Place(m.Path), ways: ways, levels: []level{{"", at}}, numbered: map[string]bool{}}
		if err := p.failedBelow(ctx, m.Path, w.pack(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// failedBelow is failed for a whole storage, where a full archive is the end.
func (p *packer) failedBelow(ctx context.Context, path string, err error) error {
	if errors.Is(err, errPacked) {
		return err
	}
	return p.failed(ctx, path, err)
}

// wayTo writes the folders between a folder and a mount below it that are no
// entries yet.
func (p *packer) wayTo(ctx context.Context, ways map[string]bool, top, mount, out string) error {
	for at := top; at != mount; {
		name := mounts.Step(at, mount)
		at = mounts.Join(at, name)
		out += name + "/"
		if ways[at] {
			continue
		}
		ways[at] = true
		if err := p.directory(ctx, out, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// entry counts an entry. A full archive says so and ends.
func (p *packer) entry(ctx context.Context, name string) error {
	if err := p.goesOn(ctx); err != nil {
		return err
	}
	if p.entries++; p.entries <= MaxEntries {
		return nil
	}
	if p.entries == MaxEntries+1 {
		if err := p.failed(ctx, name, errFull); err != nil {
			return err
		}
	}
	return errPacked
}

// directory writes the entry of a folder; out ends in "/".
func (p *packer) directory(ctx context.Context, out string, modified time.Time) error {
	if err := p.entry(ctx, out); err != nil {
		return err
	}
	_, err := p.zip.CreateHeader(&zip.FileHeader{Name: out, Method: zip.Store, Modified: modified})
	return err
}

// storageWalk is the storage of one place on its way into the archive. Its keys come
// in ascending order, so all keys of a folder come one after the other.
type storageWalk struct {
	*packer
	place  *mounts.Place
	ways   map[string]bool
	levels []level  // the folder of the last key and those above it
	files  []string // files of which the last key is a continuation: "a" before "a/b"

	numbered map[string]bool // keys so far that end in ")"
}

// level is an open folder: its keys below the place, and its name in the archive.
type level struct{ sub, out string }

func (w *storageWalk) pack(ctx context.Context) error {
	bucket, err := w.tree.Bucket(ctx, w.place)
	if err != nil {
		return err
	}
	prefix := w.place.Prefix()
	return objects.Walk(ctx, bucket, prefix, func(page []objstore.Object) error {
		for _, o := range page {
			if err := w.object(ctx, o, strings.TrimPrefix(o.Key, prefix)); err != nil {
				return err
			}
		}
		return nil
	})
}

// object packs one object; sub is its key below the place.
func (w *storageWalk) object(ctx context.Context, o objstore.Object, sub string) error {
	if sub == "" {
		return nil // the marker of the place itself
	}
	path, marker := strings.CutSuffix(mounts.Join(w.place.Path, sub), "/")
	if w.shadowed(path) || !marker && w.isWay(path) {
		return nil
	}
	if _, _, err := mounts.Clean(path); err != nil {
		return w.failed(ctx, path, errBadName)
	}
	if err := w.enter(ctx, sub, o.ModTime); err != nil || marker {
		return err
	}
	w.files = append(w.files, sub)
	w.keep(sub)
	return w.file(ctx, w.place, o, path, w.levels[len(w.levels)-1].out+mounts.Base(path))
}

// shadowed reports whether a mount below the place takes the path away from its
// storage, whoever may use that mount.
func (w *storageWalk) shadowed(path string) bool {
	m := w.snapshot.Find(path)
	return m != nil && m.ID != w.place.Mount.ID
}

func (w *storageWalk) isWay(path string) bool {
	_, is := w.ways[path]
	return is
}

// enter opens the folders of a key that are not open yet. One that has the name
// of a file beside it gets another.
func (w *storageWalk) enter(ctx context.Context, sub string, modified time.Time) error {
	for len(w.files) > 0 && !strings.HasPrefix(sub, w.files[len(w.files)-1]) {
		w.files = w.files[:len(w.files)-1]
	}
	for len(w.levels) > 1 && !strings.HasPrefix(sub, w.levels[len(w.levels)-1].sub) {
		w.levels = w.levels[:len(w.levels)-1]
	}
	for {
		up := w.levels[len(w.levels)-1]
		name, rest, deeper := strings.Cut(sub[len(up.sub):], "/")
		if !deeper {
			return nil
		}
		next := level{up.sub + name + "/", up.out + name + "/"}
		if slices.Contains(w.files, up.sub+name) {
			next.out = up.out + w.beside(up, name) + "/"
		}
		w.keep(next.sub)
		at := time.Time{}
		if rest == "" {
			at = modified
		}
		path := mounts.Join(w.place.Path, strings.TrimSuffix(next.sub, "/"))
		if err := w.directory(ctx, next.out, at); err != nil {
			return err
		}
		if w.isWay(path) {
			w.ways[path] = true
		}
		w.levels = append(w.levels, next)
	}
}

// keep remembers a key that may have the name of a folder that is to get another.
func (w *storageWalk) keep(sub string) {
	if sub = strings.TrimSuffix(sub, "/"); strings.HasSuffix(sub, ")") {
		w.numbered[sub] = true
	}
}

// beside is another name for a folder that has that of a file. What has such a name
// of its own has come before: "a(1)" stands before "a/".
func (w *storageWalk) beside(up level, name string) string {
	for n := 1; ; n++ {
		if free := mounts.FitName(name, fmt.Sprintf("(%d)", n), ""); !w.numbered[up.sub+free] {
			return free
		}
	}
}

// file packs a file under the name out.
func (p *packer) file(ctx context.Context, at *mounts.Place, o objstore.Object, path, out string) error {
	if err := p.entry(ctx, out); err != nil {
		return err
	}
	bucket, err := p.tree.Bucket(ctx, at)
	if err != nil {
		return p.failed(ctx, path, err)
	}
	source := &resumed{ctx: ctx, bucket: bucket, key: o.Key}
	defer source.close()
	if err := source.open(); err != nil {
		return p.failed(ctx, path, err)
	}
	method := zip.Store
	if o.Size > 0 && compressible(mounts.ContentTypeOf(mounts.Base(path))) {
		method = zip.Deflate
	}
	w, err := p.zip.CreateHeader(&zip.FileHeader{Name: out, Method: method, Modified: o.ModTime})
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{source}, p.buffer)
	if err == nil {
		return nil
	}
	if end := p.goesOn(ctx); end != nil {
		return end
	}
	return p.failed(ctx, path, errCutShort.With(err))
}

// compressible reports whether content of a type is worth the work of compressing.
func compressible(contentType string) bool {
	kind, sub, _ := strings.Cut(contentType, "/")
	switch {
	case kind == "text", strings.HasSuffix(sub, "+xml"), strings.HasSuffix(sub, "+json"):
		return true
	}
	return slices.Contains([]string{"application/json", "application/xml", "application/javascript", "application/sql", "application/x-sh", "application/rtf",
		"application/wasm", "application/x-tar", "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint",
		"image/bmp", "image/x-ms-bmp", "image/tiff", "image/vnd.microsoft.icon", "audio/wav", "audio/x-wav", "font/ttf", "font/otf"}, contentType)
}

// resumeTries is how often a broken read is taken up again.
const resumeTries = 3

// resumed reads an object and, when the connection breaks, goes on behind the
// last byte, as long as it is the same version.
type resumed struct {
	ctx    context.Context
	bucket objstore.Bucket
	key    string
	body   *objstore.Body
	read   int64
	size   int64
	tries  int
}

func (r *resumed) open() error {
	body, err := r.bucket.Read(r.ctx, r.key, objstore.Range{})
	if err != nil {
		return err
	}
	r.body, r.size = body, body.Length
	return nil
}

func (r *resumed) close() {
	if r.body != nil {
		_ = r.body.Close()
	}
}

func (r *resumed) Read(b []byte) (int, error) {
	n, err := r.body.Read(b)
	r.read += int64(n)
	if r.read >= r.size {
		return n, io.EOF
	}
	if err == nil {
		return n, nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, r.again(err)
}

// again opens the rest of the object; nil means that reading can go on.
func (r *resumed) again(cause error) error {
	etag := r.body.Object.ETag
	if r.tries++; r.tries > resumeTries || etag == "" || r.ctx.Err() != nil {
		return cause
	}
	body, err := r.bucket.Read(r.ctx, r.key, objstore.Range{Offset: r.read, IfMatch: etag})
	if err != nil {
		return cause
	}
	r.close()
	r.body = body
	return nil
}

// moment is the zero time for one that nobody knows.
func moment(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}
