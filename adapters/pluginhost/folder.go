package pluginhost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// State is what the lock file and the folder together say about a driver
// program of others.
type State string

// The states. Only approved programs are ever started.
const (
	Approved    State = "approved"
	NotApproved State = "not_approved" // in the folder, not in the lock file
	Changed     State = "changed"      // its bytes are not those that were approved
	Missing     State = "missing"      // in the lock file, not in the folder
	Refused     State = "refused"      // its name, file or folder may not be used
)

// Program is a driver program that was not built with the server.
type Program struct {
	Name   string // of the file and of the driver
	Path   string
	State  State
	Digest string // SHA-256 of the file, in hex; "" when it was not read
	// Entry is what was approved under this name; nil when nothing was.
	Entry *Entry
	// Err is why it is not started; nil when it is Approved.
	Err error
}

// Folder is the folder of driver programs and its lock file. It is safe for
// concurrent use.
type Folder struct {
	dir      string
	reserved map[string]bool
	logger   *slog.Logger

	mu   sync.Mutex
	sums map[string]knownSum
}

// knownSum is the digest of a file that looked like this.
type knownSum struct {
	file   fileID
	digest string
}

// NewFolder looks at dir, which may be missing. The reserved names are those
// of the server's own drivers. A nil logger means slog.Default.
func NewFolder(dir string, reserved []string, logger *slog.Logger) *Folder {
	f := &Folder{dir: dir, reserved: map[string]bool{}, logger: cmp.Or(logger, slog.Default()), sums: map[string]knownSum{}}
	for _, name := range reserved {
		f.reserved[name] = true
	}
	return f
}

// programName is the form of names of drivers.
var programName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// Programs returns what lies in the folder or stands in its lock file, by name.
// A folder that is missing holds nothing. A folder or lock file that others may
// write, or that cannot be read, is an error, and every program is Refused.
func (f *Folder) Programs() ([]Program, error) {
	entries, folderErr := f.entries()
	if errors.Is(folderErr, fs.ErrNotExist) {
		return nil, nil
	}
	lock, lockErr := f.readLock()
	byName := map[string]Program{}
	for name, e := range lock {
		byName[name] = Program{
			Name: name, Path: filepath.Join(f.dir, name), State: Missing, Entry: &e,
			Err: problem("driver_missing", "the file %s is gone", filepath.Join(f.dir, name)),
		}
	}
	for _, name := range entries {
		var entry *Entry
		if e, ok := lock[name]; ok {
			entry = &e
		}
		byName[name] = f.inspect(name, entry)
	}
	programs := make([]Program, 0, len(byName))
	for _, p := range byName {
		if err := errors.Join(folderErr, lockErr); err != nil {
			p.State, p.Err = Refused, unsafe(err)
		}
		programs = append(programs, p)
	}
	slices.SortFunc(programs, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
	return programs, errors.Join(folderErr, lockErr)
}

// entries are the names in the folder that could be programs. With an error
// that is not fs.ErrNotExist the names are true but must not be used.
func (f *Folder) entries() ([]string, error) {
	all, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range all {
		if name := e.Name(); !strings.HasPrefix(name, ".") && name != lockName && name != lockName+".new" {
			names = append(names, name)
		}
	}
	info, err := os.Stat(f.dir)
	if err != nil {
		return names, err
	}
	return names, ours(f.dir, info)
}

// inspect compares a file with what was approved.
func (f *Folder) inspect(name string, entry *Entry) Program {
	p := Program{Name: name, Path: filepath.Join(f.dir, name), Entry: entry, State: Refused}
	switch {
	case !programName.MatchString(name):
		p.Err = problem("driver_name_invalid", "a driver's name has up to 32 small letters, digits, - and _, and starts with a letter")
		return p
	case f.reserved[name]:
		p.Err = problem("driver_name_taken", "the server has a driver of its own called %s; rename the file", name)
		return p
	}
	if p.Digest, p.Err = f.digest(p.Path); p.Err != nil {
		p.Err = unsafe(p.Err)
		return p
	}
	switch {
	case entry == nil:
		p.State = NotApproved
		p.Err = &ports.Error{
			Code: ports.Unavailable, Key: "storage_unavailable", Text: "driver_not_approved", Params: map[string]any{"driver": name},
			Cause: fmt.Errorf("not approved; look at it, then: pasteport plugin approve %s", name),
		}
	case entry.SHA256 != p.Digest:
		p.State = Changed
		p.Err = problem("driver_changed", "the file is not the one that was approved (sha256 %s); if that is right: pasteport plugin approve %s", entry.SHA256, name)
	default:
		p.State = Approved
	}
	return p
}

// digest reads a file's SHA-256 again only when the file looks different.
// What is started is hashed in any case; see pinnedImage.
func (f *Folder) digest(path string) (string, error) {
	file, err := openProgram(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	id := idOf(info)
	f.mu.Lock()
	known := f.sums[path]
	f.mu.Unlock()
	if known.file == id {
		return known.digest, nil
	}
	digest, err := sum(file)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	f.sums[path] = knownSum{id, digest}
	f.mu.Unlock()
	return digest, nil
}

// fileID tells files and versions of a file apart.
type fileID struct {
	dev, ino         uint64
	size             int64
	modified, change int64
}

// openProgram opens a program that only we or root can have put there.
func openProgram(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|noFollow|noWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err == nil {
		err = runnable(path, info)
	}
	if err == nil {
		err = ours(path, info)
	}
	if err == nil {
		head := make([]byte, 2)
		if n, _ := file.ReadAt(head, 0); string(head[:n]) == "#!" {
			err = fmt.Errorf("%s is a script; its interpreter would run what no checksum covers", path)
		}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// problem says why a driver is not available: by a key for people and in plain
// words for the operator's terminal and log.
func problem(text, format string, args ...any) error {
	return &ports.Error{Code: ports.Unavailable, Key: "storage_unavailable", Text: text, Cause: fmt.Errorf(format, args...)}
}

func unsafe(err error) error { return problem("driver_unsafe", "%w", err) }

// command is how an approved program is started.
func (p Program) command() Command {
	return Command{Path: p.Path, Digest: p.Entry.SHA256, About: &p.Entry.Info, MaxMemory: driverMemory}
}

// Approve starts the program name once, asks it what it is, and puts it with
// its digest into the lock file. A want that is not empty must be its digest.
// What was approved is the very bytes that ran.
func (f *Folder) Approve(ctx context.Context, name, want string, now time.Time) (Program, error) {
	programs, err := f.Programs()
	if err != nil {
		return Program{}, err
	}
	i := slices.IndexFunc(programs, func(p Program) bool { return p.Name == name })
	if i < 0 || programs[i].State == Missing {
		return Program{}, problem("driver_missing", "there is no file %s", filepath.Join(f.dir, name))
	}
	p := programs[i]
	if p.State == Refused {
		return p, p.Err
	}
	if want != "" && !strings.EqualFold(want, p.Digest) {
		return p, problem("driver_changed", "the file's sha256 is %s, not %s; it was not started", p.Digest, strings.ToLower(want))
	}
	info, err := f.ask(ctx, p)
	if err != nil {
		return p, err
	}
	p.Entry = &Entry{SHA256: p.Digest, ApprovedAt: now.UTC(), Info: info}
	p.State, p.Err = Approved, nil
	return p, f.changeLock(func(lock map[string]Entry) error {
		lock[name] = *p.Entry
		return nil
	})
}

// ask starts a program as it would run later and reads what it says of itself.
func (f *Folder) ask(ctx context.Context, p Program) (objstore.Info, error) {
	proc := newProcess(p.Name, Command{Path: p.Path, Digest: p.Digest, MaxMemory: driverMemory}, Timing{}.withDefaults(), f.logger)
	defer proc.close()
	var info objstore.Info
	err := proc.call(ctx, onceOnly, proc.timing.Call, func(ctx context.Context, i *instance) (err error) {
		info, err = i.rpc.Info(ctx)
		return err
	})
	if err != nil {
		return info, err
	}
	if info.Name != p.Name {
		return info, problem("driver_name_invalid", "the program calls itself %q; rename the file to that", info.Name)
	}
	return info, checkInfo(info)
}

// Remove takes name out of the lock file; the program itself stays. Returns
// NotFound when it is not there.
func (f *Folder) Remove(name string) error {
	return f.changeLock(func(lock map[string]Entry) error {
		if _, ok := lock[name]; !ok {
			return &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "driver_not_approved", Cause: fmt.Errorf("%s is not approved", name)}
		}
		delete(lock, name)
		return nil
	})
}

// Bounds of what a driver may say of itself.
const (
	maxFields = 64
	maxTexts  = 2000 // bytes of a label or help
)

// fieldKey is the form of option names; fieldTypes are what a form can show.
var (
	fieldKey   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	typeName   = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,31}$`)
	version    = regexp.MustCompile(`^[0-9A-Za-z.+_-]{0,64}$`)
	fieldTypes = []string{"text", "textarea", "password", "number", "bool", "select", "url"}
)

// checkInfo refuses what no form and no list could show.
func checkInfo(info objstore.Info) error {
	bad := func(format string, args ...any) error {
		return problem("driver_answer_invalid", "what the driver says of itself: "+format, args...)
	}
	switch {
	case !typeName.MatchString(info.StorageType):
		return bad("the storage type %q is not of capital letters, digits and _", info.StorageType)
	case !version.MatchString(info.Version):
		return bad("the version %q", info.Version)
	case info.Features.LocalLinks:
		return bad("it wants to name local files, which only the server's own drivers may")
	case !info.Features.Stream && !info.Features.HTTPLinks:
		return bad("it neither signs links nor carries bytes")
	case len(info.Fields) > maxFields:
		return bad("%d fields", len(info.Fields))
	}
	labels := []map[string]string{info.Label}
	seen := map[string]bool{}
	for _, field := range info.Fields {
		if !fieldKey.MatchString(field.Key) || seen[field.Key] || !slices.Contains(fieldTypes, field.Type) || len(field.Options) > maxFields {
			return bad("the field %q of type %q", field.Key, field.Type)
		}
		seen[field.Key] = true
		labels = append(labels, field.Label, field.Help, map[string]string{"": field.Default})
		for _, o := range field.Options {
			labels = append(labels, o.Label, map[string]string{"": o.Value})
		}
	}
	for _, texts := range labels {
		for language, text := range texts {
			if len(language) > 16 || len(text) > maxTexts || len(texts) > 16 {
				return bad("a text is too long")
			}
		}
	}
	return nil
}
