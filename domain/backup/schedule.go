package backup

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Shelf is where scheduled backups are kept.
type Shelf struct {
	Bucket objstore.Bucket
	Prefix string       // of the keys; empty or with a "/" at the end
	Close  func() error // nil when there is nothing to close
}

func (s Shelf) close() error {
	if s.Close == nil {
		return nil
	}
	return s.Close()
}

// Site is what a schedule needs of this node.
type Site interface {
	// Plan says what is wanted now.
	Plan() ports.BackupPlan
	// Shelf opens where the backups of a storage config are kept, the backup folder
	// for an empty id. Returns Conflict for a storage that others can look into.
	Shelf(ctx context.Context, storage string) (Shelf, error)
	// Disks are the storages whose files go along, by the id of their config.
	Disks(ctx context.Context) (map[string]objstore.Bucket, error)
	// Prove proves a backup as a restore would, without taking it.
	Prove(ctx context.Context, r io.Reader) (Manifest, error)
	// Spool opens a file for a backup under way; done removes it.
	Spool() (f *os.File, done func() error, err error)
	// Note notes a round in the audit log: failed is nil for a good one.
	Note(ctx context.Context, name string, failed error)
}

// Notes keeps small values. Get returns NotFound for a name without one.
type Notes interface {
	Get(ctx context.Context, name string) ([]byte, error)
	Put(ctx context.Context, name string, value []byte) error
}

// ScheduleDeps are what a Schedule needs.
type ScheduleDeps struct {
	Decider policy.Decider
	Keeper  Keeper
	Site    Site
	Notes   Notes
	Clock   ports.Clock
	Work    ports.UnitOfWork
	Outbox  event.Outbox // told of rounds that failed; nil: nobody is
	Report  func(doing string, err error)
}

// Schedule makes backups by itself, proves each after writing and removes old
// ones. What it did is kept in the database, so that all nodes know it.
type Schedule struct{ d ScheduleDeps }

// NewSchedule returns a Schedule.
func NewSchedule(d ScheduleDeps) *Schedule { return &Schedule{d} }

// Round is one try to make a backup.
type Round struct {
	Name    string    `json:"name"`
	Storage string    `json:"storage"` // empty: the backup folder
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"` // zero while it is under way
	Bytes   int64     `json:"bytes"` // with the files beside it
	// Problem is why it failed, as the log has it; Text is what it is called in the
	// words of the product, empty where those have no name for it.
	Problem string `json:"problem,omitempty"`
	Text    string `json:"text,omitempty"`
}

// Good reports whether the round ended with a proven backup.
func (r *Round) Good() bool { return r != nil && !r.Ended.IsZero() && r.Problem == "" }

// Record is what the schedule knows of itself.
type Record struct {
	Asked bool   `json:"-"` // somebody wants one now
	asked string // what was asked for last
	// Answered is what was asked for before the last round began.
	Answered string `json:"answered,omitempty"`
	Last     *Round `json:"last,omitempty"`
	Good     *Round `json:"good,omitempty"` // the last that was good
	// Made are the backups that may be removed by the plan, the newest last: what
	// else lies on the shelf was put there by others.
	Made []Round `json:"made,omitempty"`
}

// Kept is a backup on the shelf.
type Kept struct {
	Name      string
	CreatedAt time.Time
	Bytes     int64 // of the backup
	FileBytes int64 // of the files beside it; 0 without
}

const (
	recordName = "backup_schedule"
	askedName  = "backup_asked" // its own, so that who asks writes nothing that a round writes
	suffix     = ".backup"
	beside     = ".files"
	stamp      = "20060102-150405"
	mostMade   = 1000
	// retryAfter is the longest wait for another try after a failed one.
	retryAfter = time.Hour
	// inParts is the size from which a backup is sent in parts.
	inParts = 64 << 20
)

var keptName = regexp.MustCompile(`^pasteport-(\d{8}-\d{6})\.backup$`)

// NameAt is what a backup of a time is called.
func NameAt(t time.Time) string { return "pasteport-" + t.UTC().Format(stamp) + suffix }

var (
	errNoBackup    = &ports.Error{Code: ports.NotFound, Key: "not_found"}
	errInterrupted = errors.New("the server ended while the backup was made")
)

// Record tells what the schedule did. It asks nobody: it is for metrics and
// those who have asked.
func (s *Schedule) Record(ctx context.Context) (r Record, err error) {
	text, err := s.d.Notes.Get(ctx, recordName)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil && !ports.Is(err, ports.NotFound) {
		return r, err
	}
	asked, err := s.d.Notes.Get(ctx, askedName)
	if ports.Is(err, ports.NotFound) {
		err = nil
	}
	r.asked = string(asked)
	r.Asked = r.asked != "" && r.asked != r.Answered
	return r, err
}

func (s *Schedule) save(ctx context.Context, r Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.d.Notes.Put(ctx, recordName, text)
}

// Plan is what is wanted now.
func (s *Schedule) Plan() ports.BackupPlan { return s.d.Site.Plan() }

// Next is when the next round is due, zero for never.
func (r Record) Next(plan ports.BackupPlan, now time.Time) time.Time {
	switch {
	case r.Asked, plan.Every > 0 && r.Last == nil:
		return now
	case plan.Every <= 0:
		return time.Time{}
	case !r.Last.Good():
		return r.Last.Began.Add(min(plan.Every, retryAfter))
	}
	return r.Last.Began.Add(plan.Every)
}

// Overdue reports whether there should be a newer good backup: the last is older
// than two rounds and an hour.
func (r Record) Overdue(plan ports.BackupPlan, now time.Time) bool {
	return plan.Every > 0 && r.Last != nil && (r.Good == nil && r.Last.Problem != "" || r.Good != nil && now.Sub(r.Good.Began) > 2*plan.Every+time.Hour)
}

// Work makes a backup when one is due. Only one node may be in it at a time.
// Failures are reported, noted, and told by Record.
func (s *Schedule) Work(ctx context.Context) {
	if err := s.work(ctx); err != nil && ctx.Err() == nil {
		s.d.Report("make a backup", err)
	}
}

func (s *Schedule) work(ctx context.Context) error {
	record, err := s.Record(ctx)
	if err != nil {
		return err
	}
	plan, now := s.d.Site.Plan(), s.d.Clock.Now()
	if record.Last != nil && record.Last.Ended.IsZero() {
		if err := s.end(ctx, &record, errInterrupted); err != nil {
			return err
		}
	}
	if due := record.Next(plan, now); due.IsZero() || due.After(now) {
		return nil
	}
	record.Answered = record.asked
	record.Last = &Round{Name: NameAt(now), Storage: plan.Storage, Began: now}
	if err := s.save(ctx, record); err != nil {
		return err
	}
	bytes, failed := s.round(ctx, plan, record.Last.Name, &record)
	record.Last.Bytes = bytes
	return errors.Join(failed, s.end(context.WithoutCancel(ctx), &record, failed))
}

// end stores how the last round ended.
func (s *Schedule) end(ctx context.Context, r *Record, failed error) error {
	r.Last.Ended = s.d.Clock.Now()
	if failed != nil {
		r.Last.Problem = failed.Error()
		if e := (*ports.Error)(nil); errors.As(failed, &e) {
			r.Last.Text = cmp.Or(e.Text, e.Key)
		}
	} else {
		done := *r.Last
		r.Good = &done
		r.Made = append(r.Made, done)
		r.Made = r.Made[max(0, len(r.Made)-mostMade):]
	}
	s.d.Site.Note(ctx, r.Last.Name, failed)
	if failed == nil || s.d.Outbox == nil {
		return s.save(ctx, *r)
	}
	return s.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.save(ctx, *r); err != nil {
			return err
		}
		return s.d.Outbox.Happened(ctx, event.Event{Kind: event.BackupFailed, Subject: "backup", Data: r.Last})
	})
}

// round makes a backup on the shelf, proves it there and removes old ones.
func (s *Schedule) round(ctx context.Context, plan ports.BackupPlan, name string, record *Record) (bytes int64, err error) {
	shelf, err := s.d.Site.Shelf(ctx, plan.Storage)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, shelf.close()) }()
	if bytes, err = s.put(ctx, shelf, plan, name); err == nil {
		err = s.proveKept(ctx, shelf, name)
	}
	if err != nil {
		return bytes, errors.Join(err, shelf.remove(context.WithoutCancel(ctx), name))
	}
	// A backup is there; that an old one stays is no failure of it.
	if err := s.tidy(ctx, shelf, plan, record); err != nil {
		s.d.Report("remove old backups", err)
	}
	return bytes, nil
}

func (s *Schedule) put(ctx context.Context, shelf Shelf, plan ports.BackupPlan, name string) (bytes int64, err error) {
	f, done, err := s.d.Site.Spool()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	files := func(context.Context) (*File, error) { return nil, nil }
	if plan.Files {
		files = func(ctx context.Context) (*File, error) { return s.putFiles(ctx, shelf, besideOf(name), &bytes) }
	}
	if err := s.d.Keeper.Make(ctx, f, files); err != nil {
		return bytes, err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return bytes, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return bytes, err
	}
	bytes += size
	if size > inParts {
		size = -1
	}
	_, err = shelf.Bucket.Write(ctx, shelf.Prefix+name, f, objstore.WriteOptions{Size: size, ContentType: "application/gzip"})
	return bytes, err
}

func besideOf(name string) string { return strings.TrimSuffix(name, suffix) + beside }

// putFiles writes the files of the local disks beside a backup, as they come.
func (s *Schedule) putFiles(ctx context.Context, shelf Shelf, name string, bytes *int64) (*File, error) {
	disks, err := s.d.Site.Disks(ctx)
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(packDisks(ctx, w, disks)) }()
	count := &summed{r: r, sum: sha256.New()}
	_, err = shelf.Bucket.Write(ctx, shelf.Prefix+name, count, objstore.WriteOptions{Size: -1, ContentType: "application/gzip"})
	_ = r.CloseWithError(cmp.Or(err, io.ErrClosedPipe))
	if err != nil {
		return nil, err
	}
	*bytes += count.n
	return &File{Name: name, Size: count.n, SHA256: hex.EncodeToString(count.sum.Sum(nil))}, nil
}

// summed counts and sums what is read of it.
type summed struct {
	r   io.Reader
	n   int64
	sum hash.Hash
}

// Read implements io.Reader.
func (s *summed) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	s.sum.Write(p[:n])
	return n, err
}

// packDisks writes a gzipped tar file of the objects of buckets, each under the
// id of its config.
func packDisks(ctx context.Context, w io.Writer, disks map[string]objstore.Bucket) error {
	packed := gzip.NewWriter(w)
	archive := tar.NewWriter(packed)
	for id, bucket := range disks {
		if err := packBucket(ctx, archive, id, bucket); err != nil {
			return fmt.Errorf("files of storage %s: %w", id, err)
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

func packBucket(ctx context.Context, archive *tar.Writer, id string, bucket objstore.Bucket) error {
	for query := (objstore.ListQuery{}); ; {
		page, err := bucket.List(ctx, query)
		if err != nil {
			return err
		}
		for _, o := range page.Objects {
			if err := packObject(ctx, archive, id, bucket, o.Key); err != nil && !ports.Is(err, ports.NotFound) {
				return err // one that was deleted meanwhile is none any more
			}
		}
		if page.Next == "" {
			return nil
		}
		query.Token = page.Next
	}
}

func packObject(ctx context.Context, archive *tar.Writer, id string, bucket objstore.Bucket, key string) error {
	body, err := bucket.Read(ctx, key, objstore.Range{})
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	head := tar.Header{Name: id + "/" + key, Mode: 0o600, Size: body.Length, ModTime: body.Object.ModTime, Format: tar.FormatPAX}
	if strings.HasSuffix(key, "/") {
		head.Typeflag = tar.TypeDir
	}
	if err := archive.WriteHeader(&head); err != nil {
		return err
	}
	if n, err := io.Copy(archive, body); err != nil || n != body.Length {
		return fmt.Errorf("%s: read %d of %d bytes: %w", key, n, body.Length, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	return nil
}

// UnpackDisks writes the objects of a backup's files into buckets by the id of
// their config, over what has their keys. Those of other configs are passed
// over. It returns how many were written.
func UnpackDisks(ctx context.Context, r io.Reader, disks map[string]objstore.Bucket) (n int, err error) {
	packed, err := gzip.NewReader(r)
	if err != nil {
		return 0, broken("the files: %w", err)
	}
	archive := tar.NewReader(packed)
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, packed)
			return n, err
		}
		if err != nil {
			return n, broken("the files: %w", err)
		}
		id, key, _ := strings.Cut(head.Name, "/")
		bucket := disks[id]
		if bucket == nil {
			continue
		}
		if err := objstore.CheckKey(key); err != nil {
			return n, broken("the files: %q: %w", head.Name, err)
		}
		if _, err := bucket.Write(ctx, key, archive, objstore.WriteOptions{Size: head.Size}); err != nil {
			return n, fmt.Errorf("%s: %w", head.Name, err)
		}
		n++
	}
}

// ProveFiles reads the files beside a backup and compares them with what its
// manifest says.
func ProveFiles(r io.Reader, want File) error {
	got := &summed{r: r, sum: sha256.New()}
	if _, err := io.Copy(io.Discard, got); err != nil {
		return err
	}
	if sum := hex.EncodeToString(got.sum.Sum(nil)); got.n != want.Size || sum != want.SHA256 {
		return broken("%s is not as it was written: %d bytes with the checksum %s, want %d with %s", want.Name, got.n, sum, want.Size, want.SHA256)
	}
	return nil
}

// proveKept reads a backup on the shelf as a restore would.
func (s *Schedule) proveKept(ctx context.Context, shelf Shelf, name string) (err error) {
	m, err := readKept(ctx, shelf, name, func(r io.Reader) (Manifest, error) { return s.d.Site.Prove(ctx, r) })
	if err != nil || m.Beside == nil {
		return err
	}
	_, err = readKept(ctx, shelf, m.Beside.Name, func(r io.Reader) (Manifest, error) { return m, ProveFiles(r, *m.Beside) })
	return err
}

func readKept(ctx context.Context, shelf Shelf, name string, read func(io.Reader) (Manifest, error)) (m Manifest, err error) {
	body, err := shelf.Bucket.Read(ctx, shelf.Prefix+name, objstore.Range{})
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	return read(body)
}

func (s Shelf) remove(ctx context.Context, name string) error {
	failed, err := s.Bucket.Delete(ctx, s.Prefix+name, s.Prefix+besideOf(name))
	for key, e := range failed {
		err = errors.Join(err, fmt.Errorf("%s: %w", key, e))
	}
	return err
}

// tidy removes what the plan keeps no longer, of what the schedule made itself on
// this shelf. The newest, which is the one just made, always stays.
func (s *Schedule) tidy(ctx context.Context, shelf Shelf, plan ports.BackupPlan, r *Record) error {
	now, more := s.d.Clock.Now(), 1 // the one just made is not in Made yet
	var stay []Round
	var errs []error
	for _, made := range slices.Backward(r.Made) {
		if made.Storage == plan.Storage {
			if more++; more > max(plan.Keep, 1) || plan.MaxAge > 0 && now.Sub(made.Began) > plan.MaxAge {
				err := shelf.remove(ctx, made.Name)
				if err == nil {
					continue
				}
				errs = append(errs, err)
			}
		}
		stay = append(stay, made)
	}
	slices.Reverse(stay)
	r.Made = stay
	return errors.Join(errs...)
}

func (s *Schedule) may(ctx context.Context, who policy.Principal) error {
	_, err := policy.Check(ctx, s.d.Decider, who, policy.BackupWrite, policy.Resource{Kind: policy.KindBackup})
	return err
}

// Ask has a backup made within a minute or so. Asks admin.backup.write.
func (s *Schedule) Ask(ctx context.Context, who policy.Principal) error {
	if err := s.may(ctx, who); err != nil {
		return err
	}
	record, err := s.Record(ctx)
	if err != nil {
		return err
	}
	asked := s.d.Clock.Now().UTC().Format(time.RFC3339Nano)
	if asked == record.Answered {
		asked += "+"
	}
	return s.d.Notes.Put(ctx, askedName, []byte(asked))
}

// List lists the backups on the shelf of the plan, newest first. Asks
// admin.backup.write.
func (s *Schedule) List(ctx context.Context, who policy.Principal) (list []Kept, err error) {
	err = s.onShelf(ctx, who, func(shelf Shelf) error {
		list, err = shelf.list(ctx)
		return err
	})
	return list, err
}

func (s *Schedule) onShelf(ctx context.Context, who policy.Principal, do func(Shelf) error) (err error) {
	if err := s.may(ctx, who); err != nil {
		return err
	}
	shelf, err := s.d.Site.Shelf(ctx, s.d.Site.Plan().Storage)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shelf.close()) }()
	return do(shelf)
}

func (s Shelf) list(ctx context.Context) (list []Kept, err error) {
	files := map[string]int64{}
	for query := (objstore.ListQuery{Prefix: s.Prefix, Delimiter: "/"}); ; {
		page, err := s.Bucket.List(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, o := range page.Objects {
			name := strings.TrimPrefix(o.Key, s.Prefix)
			files[name] = o.Size
			if parts := keptName.FindStringSubmatch(name); parts != nil {
				if at, err := time.Parse(stamp, parts[1]); err == nil {
					list = append(list, Kept{Name: name, CreatedAt: at, Bytes: o.Size})
				}
			}
		}
		if page.Next == "" {
			break
		}
		query.Token = page.Next
	}
	for i := range list {
		list[i].FileBytes = files[besideOf(list[i].Name)]
	}
	slices.SortFunc(list, func(a, b Kept) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return list, nil
}

// Read gives a backup of the shelf to read, its files for files. Asks
// admin.backup.write. Returns NotFound for a name that none has.
func (s *Schedule) Read(ctx context.Context, who policy.Principal, name string, files bool, read func(*objstore.Body) error) error {
	return s.onShelf(ctx, who, func(shelf Shelf) (err error) {
		if !keptName.MatchString(name) {
			return errNoBackup
		}
		if files {
			name = besideOf(name)
		}
		body, err := shelf.Bucket.Read(ctx, shelf.Prefix+name, objstore.Range{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, body.Close()) }()
		return read(body)
	})
}

// Restore keeps a backup of the shelf for the next start, as Backups.Stage does.
func (s *Schedule) Restore(ctx context.Context, who policy.Principal, name string) (m Manifest, err error) {
	err = s.Read(ctx, who, name, false, func(body *objstore.Body) error {
		m, err = s.d.Keeper.Stage(ctx, body, false)
		return err
	})
	return m, err
}

// Delete removes a backup of the shelf and the files beside it. Asks
// admin.backup.write.
func (s *Schedule) Delete(ctx context.Context, who policy.Principal, name string) error {
	return s.onShelf(ctx, who, func(shelf Shelf) error {
		if !keptName.MatchString(name) {
			return errNoBackup
		}
		if _, err := shelf.Bucket.Stat(ctx, shelf.Prefix+name); err != nil {
			return err
		}
		return shelf.remove(ctx, name)
	})
}
