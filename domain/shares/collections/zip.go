package collections

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path"
	"strings"
	"time"

	"pasteport/domain/internal/objects"
	"pasteport/domain/internal/zipped"
	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/openings"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// ResumeLength is how long a ZIP file that was begun may go on without a new
// view. It opens nothing from the start, and ends with the share.
const ResumeLength = 7 * 24 * time.Hour

// leftOutName names the text about what is not in a ZIP file.
const leftOutName = "missing.txt"

// MaxZipped is how many files one ZIP file holds.
const MaxZipped = 100_000

var errTooMany = &ports.Error{Code: ports.TooLarge, Key: "too_large", Text: "archive_full"}

// sumsAtOnce is how many checksums are stored together.
const sumsAtOnce = 200

func resumeID(s *Collection) string { return "zip|" + s.ID }

// Zip is all of a collection as one ZIP file. Its length is known, and it is the
// same, byte for byte, as long as its ETag is. It belongs to one request.
type Zip struct {
	Name string // of the file
	Size int64  // bytes
	ETag string

	visits  *Visits
	layout  *zipped.Layout
	entries []zipEntry
	fare    gate.Fare
}

// zipEntry is where the bytes of an entry are.
type zipEntry struct {
	file *shares.File
	text []byte // of an entry without file
	sum  string // its name among the sums
}

// Zip opens all of a collection for a visitor, as one ZIP file. It asks
// share.download for the collection and for each item. What the rules refuse, and
// what is gone from its mount, is named in a text in its place. No view is taken
// yet: Read does that.
//
// resume is that of a Reading, folder the id of one in a shared folder; empty
// means none. Returns TooLarge for more than MaxZipped files.
//
// Returns the errors of Open.
func (c *Visits) Zip(ctx context.Context, who policy.Principal, v shares.Visit, resume, folder string) (*Zip, error) {
	ask := Shown{Folder: folder}.asked()
	ask.resume = resume
	by := openings.By{Who: who, How: openings.AsZip}
	s, admitted, err := c.enter(ctx, by, policy.ShareDownload, v, ask)
	if err != nil {
		return nil, err
	}
	if s.Protected() && !admitted {
		if err := c.unlock(ctx, by, s, v.Password); err != nil {
			return nil, err
		}
	}
	rel, err := s.folderAt(folder)
	if err != nil {
		return nil, err
	}
	items, lost, err := c.zippable(ctx, s, rel)
	if err != nil {
		return nil, err
	}
	there, err := c.present(ctx, who, s, items)
	if err == nil && !s.Live() {
		err = c.refresh(ctx, items, there)
	}
	if err != nil {
		return nil, err
	}
	z := &Zip{Name: zipName(s, rel), visits: c, fare: c.fare(by, s, c.paid(s, v))}
	z.fare.Limited = z.fare.Limited && !admitted // a download that goes on has paid
	z.fare.Download = c.downloads(s, v.Download, "zip|"+rel)
	z.lay(s, rel, items, there, lost)
	return z, nil
}

// zipName is the name of the ZIP file of a collection.
func zipName(s *Collection, rel string) string {
	const ending = ".zip"
	name := cmp.Or(s.Title, s.Slug)
	if rel != "" {
		name = path.Base(rel)
	}
	return zipped.Cut(zipped.Safe(name), zipped.MaxName-len(ending)) + ending
}

// zippable are the files of a collection, or all below a shared folder.
// lost names what of a folder as it stood is not handed out.
func (c *Visits) zippable(ctx context.Context, s *Collection, rel string) (items []shares.File, lost []string, err error) {
	if !s.Live() {
		items, err = c.d.Items.Items(ctx, s.ID)
		return items, nil, err
	}
	folders := c.foldersOf(s)
	// A walk finds nothing in a folder that is not there.
	if _, _, err := folders.List(ctx, s.Root, rel, 0, 1); err != nil {
		return nil, nil, gone(err)
	}
	if f, is := folders.(*stood); is {
		f.lost = nil // the walk finds them with their paths
	}
	err = folders.Walk(ctx, s.Root, rel, func(rel string, o objstore.Object, in objstore.Storage) error {
		if len(items) == MaxZipped {
			return errTooMany
		}
		items = append(items, s.liveFile(rel, o, in))
		return nil
	})
	if f, is := folders.(*stood); is {
		for _, l := range f.lost {
			lost = append(lost, l.Name)
		}
	}
	return items, lost, gone(err)
}

// present tells which items the visitor may have.
func (c *Visits) present(ctx context.Context, who policy.Principal, s *Collection, items []shares.File) ([]bool, error) {
	there, terms := make([]bool, len(items)), s.Seen(c.d.Clock.Now())
	for i := range items {
		on := items[i].Resource()
		on.Slug, on.Share = s.Slug, terms
		_, err := policy.Check(ctx, c.d.Decider, who, policy.ShareDownload, on)
		if there[i] = err == nil; !there[i] && !ports.Is(err, ports.Forbidden) && !ports.Is(err, ports.Unauthenticated) {
			return nil, err
		}
	}
	return there, nil
}

// refresh takes items out whose objects are gone from their mounts, and learns what
// others are now.
func (c *Visits) refresh(ctx context.Context, items []shares.File, there []bool) error {
	return objects.Each(ctx, len(items), func(ctx context.Context, i int) error {
		if !there[i] || items[i].FilePath == "" {
			return nil // the object of an upload stays as it is
		}
		opened, err := c.files.Admit(ctx, &items[i], gate.Fare{})
		if err != nil {
			return err
		}
		object, err := opened.Stat(ctx)
		if err == nil && (object.ETag != items[i].ETag || object.Size != items[i].Size) {
			if err = opened.Refresh(ctx); err == nil {
				items[i] = *opened.File
			}
		}
		there[i] = !ports.Is(err, ports.NotFound)
		if !there[i] {
			return nil
		}
		return err
	})
}

// lay arranges what is there, in its folders, and a text about what is not.
func (z *Zip) lay(s *Collection, rel string, items []shares.File, there []bool, missing []string) {
	up, folders := strings.TrimSuffix(s.at(rel), "/")+"/", map[string]string{"": ""}
	var names zipped.Names
	var laid []zipped.Entry
	tag := sha256.New()
	add := func(name string, at time.Time, size int64, e zipEntry) {
		laid, z.entries = append(laid, zipped.Entry{Name: name, Size: size, Modified: at}), append(z.entries, e)
		fmt.Fprintf(tag, "%q %d %d %s %q\n", name, size, at.Unix(), e.sum, e.text)
	}
	for i := range items {
		f := &items[i]
		if !there[i] {
			missing = append(missing, f.Filename)
			continue
		}
		in := ""
		if s.Live() {
			in = z.folderOf(&names, folders, path.Dir(strings.TrimPrefix(f.FilePath, up)), f.CreatedAt, add)
		}
		add(names.Of(in, f.Filename, false), f.CreatedAt, f.Size, zipEntry{file: f, sum: sumName(f.StorageConfigID, f.StoragePath, f.ETag, f.Size)})
	}
	if len(missing) > 0 {
		text := []byte(strings.Join(missing, "\r\n") + "\r\n")
		add(names.Of("", leftOutName, false), time.Time{}, int64(len(text)), zipEntry{text: text})
	}
	z.layout = zipped.New(laid)
	z.Size, z.ETag = z.layout.Size(), hex.EncodeToString(tag.Sum(nil)[:16])
}

// folderOf is the name in the archive of the folder dir, which becomes an entry
// before what is in it.
func (z *Zip) folderOf(names *zipped.Names, folders map[string]string, dir string, at time.Time, add func(string, time.Time, int64, zipEntry)) string {
	if dir == "." {
		return ""
	}
	if name, known := folders[dir]; known {
		return name
	}
	name := names.Of(z.folderOf(names, folders, path.Dir(dir), at, add), path.Base(dir), true)
	folders[dir] = name
	add(name, at, 0, zipEntry{})
	return name
}

// Read gives the file or a part of it, and takes a view as Opened.Read does. The
// caller closes the body.
//
// Returns the errors of Opened.Read. While reading, the body fails when an item
// is no longer what it was: nothing is cut short in silence.
func (z *Zip) Read(ctx context.Context, r objstore.Range) (*objstore.Body, error) {
	length := z.Size - r.Offset
	if r.Length > 0 {
		length = min(length, r.Length)
	}
	if err := z.answers(ctx); err != nil {
		return nil, err
	}
	if err := z.fare.Pay(ctx, r.Offset); err != nil {
		return nil, err
	}
	source := &zipSource{Zip: z, fresh: map[string]uint32{}}
	body := zipBody{source.layout.Read(ctx, source, r.Offset, length), ctx, source}
	return &objstore.Body{ReadCloser: body, Object: objstore.Object{Size: z.Size, ETag: z.ETag}, Offset: r.Offset, Length: length}, nil
}

// answers asks the storage of the first file before a view is taken.
func (z *Zip) answers(ctx context.Context) error {
	for _, e := range z.entries {
		if e.file != nil {
			opened, err := z.visits.files.Admit(ctx, e.file, gate.Fare{})
			if err == nil {
				_, err = opened.Stat(ctx)
			}
			return err
		}
	}
	return nil
}

// zipBody stores the last checksums when it is closed.
type zipBody struct {
	io.ReadCloser
	ctx    context.Context
	source *zipSource
}

func (b zipBody) Close() error {
	err := b.ReadCloser.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), 10*time.Second)
	defer cancel()
	b.source.store(ctx)
	return err
}

// zipSource has the bytes of the entries of one file.
type zipSource struct {
	*Zip
	known map[string]uint32 // nil before anybody asked
	fresh map[string]uint32 // not stored yet
}

// Open implements zipped.Source.
func (s *zipSource) Open(ctx context.Context, i int, from int64) (io.ReadCloser, error) {
	e := s.entries[i]
	if len(s.fresh) >= sumsAtOnce {
		s.store(ctx)
	}
	if e.file == nil {
		return io.NopCloser(bytes.NewReader(e.text[from:])), nil
	}
	opened, err := s.visits.files.Admit(ctx, e.file, gate.Fare{Paid: true})
	if err != nil {
		return nil, err
	}
	body, err := opened.Read(ctx, objstore.Range{Offset: from, IfMatch: e.file.ETag})
	if ports.Is(err, ports.Precondition) && e.file.Collection != "" {
		// The next request finds it as it is now, if that may be shown at all.
		s.visits.d.Tell("refresh an item", opened.Refresh(ctx))
	}
	if err != nil {
		return nil, err
	}
	return body, nil
}

// Sum implements zipped.Source.
func (s *zipSource) Sum(ctx context.Context, i int) (uint32, bool, error) {
	name := s.entries[i].sum
	if name == "" {
		return 0, false, nil
	}
	if sum, known := s.fresh[name]; known {
		return sum, true, nil
	}
	if s.known == nil {
		names := make([]string, 0, len(s.entries))
		for _, e := range s.entries {
			if e.sum != "" {
				names = append(names, e.sum)
			}
		}
		var err error
		if s.known, err = s.visits.d.Sums.Of(ctx, names); err != nil {
			return 0, false, err
		}
	}
	sum, known := s.known[name]
	return sum, known, nil
}

// Keep implements zipped.Source.
func (s *zipSource) Keep(i int, sum uint32) {
	if name := s.entries[i].sum; name != "" {
		s.fresh[name] = sum
	}
}

// store keeps what was computed. Without it a later download computes it again.
func (s *zipSource) store(ctx context.Context) {
	if len(s.fresh) == 0 {
		return
	}
	s.visits.d.Tell("store checksums", s.visits.d.Sums.Keep(ctx, s.fresh, s.visits.d.Clock.Now()))
	if s.known != nil {
		maps.Copy(s.known, s.fresh)
	}
	s.fresh = map[string]uint32{}
}
