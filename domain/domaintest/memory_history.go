package domaintest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"pasteport/domain/mounts/history"
	"pasteport/ports"
)

// memHistory keeps the contents that edits of files have replaced.
type memHistory struct {
	mu    sync.Mutex
	files map[history.Object]*memKept
}

// memKept is what is known of a file; revisions are newest first.
type memKept struct {
	history.Noted
	last int64
}

func (r *memHistory) file(o history.Object) *memKept {
	if r.files == nil {
		r.files = map[history.Object]*memKept{}
	}
	if r.files[o] == nil {
		r.files[o] = &memKept{}
	}
	return r.files[o]
}

func (r *memHistory) Keep(_ context.Context, o history.Object, k history.Kept) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.file(o)
	if f.Off || len(f.Earlier) > 0 && k.ETag != "" && f.Earlier[0].ETag == k.ETag {
		return nil
	}
	if k.ETag != "" && f.Present.ETag == k.ETag {
		k.EditedBy, k.EditedAt = f.Present.EditedBy, f.Present.EditedAt
	}
	f.last++
	k.Version, k.EditedAt = f.last, milli(k.EditedAt)
	f.Earlier = slices.Insert(f.Earlier, 0, k)
	return nil
}

func (r *memHistory) Drop(_ context.Context, o history.Object, etag string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.file(o)
	if len(f.Earlier) > 0 && f.Earlier[0].Version == f.last && f.Earlier[0].ETag == etag {
		f.Earlier, f.last = f.Earlier[1:], f.last-1
	}
	return nil
}

func (r *memHistory) Edited(_ context.Context, o history.Object, k history.Kept, b history.Bounds) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.file(o)
	f.Present.ETag, f.Present.EditedBy, f.Present.EditedAt = k.ETag, k.EditedBy, milli(k.EditedAt)
	var sum int64
	for i, one := range f.Earlier {
		if sum += one.Size; i >= b.Most || sum > b.Bytes {
			f.Earlier = slices.Clone(f.Earlier[:i])
			break
		}
	}
	return nil
}

func (r *memHistory) Noted(_ context.Context, o history.Object) (history.Noted, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, known := r.files[o]
	if !known {
		return history.Noted{}, nil
	}
	noted := f.Noted
	noted.Present.Version = f.last + 1
	noted.Earlier = slices.Clone(f.Earlier)
	for i := range noted.Earlier {
		noted.Earlier[i].Content = nil
	}
	return noted, nil
}

func (r *memHistory) Get(_ context.Context, o history.Object, version int64) (*history.Kept, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, known := r.files[o]; known {
		for _, k := range f.Earlier {
			if k.Version == version {
				return &k, nil
			}
		}
	}
	return nil, ports.ErrNotFound
}

func (r *memHistory) Switch(_ context.Context, o history.Object, off bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.file(o)
	if f.Off = off; off {
		f.Earlier = nil
	}
	return nil
}

// covers reports whether an object is another one, or lies below that folder.
func covers(o, other history.Object) bool {
	return o == other || o.ConfigID == other.ConfigID && strings.HasSuffix(o.Key, "/") && strings.HasPrefix(other.Key, o.Key)
}

func (r *memHistory) Remove(_ context.Context, objects ...history.Object) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(objects...)
	return nil
}

func (r *memHistory) remove(objects ...history.Object) {
	for known := range r.files {
		if slices.ContainsFunc(objects, func(o history.Object) bool { return covers(o, known) }) {
			delete(r.files, known)
		}
	}
}

func (r *memHistory) Move(_ context.Context, from, to history.Object) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(to)
	moved := map[history.Object]*memKept{}
	for known, f := range r.files {
		if covers(from, known) {
			moved[history.Object{ConfigID: to.ConfigID, Key: to.Key + known.Key[len(from.Key):]}] = f
			delete(r.files, known)
		}
	}
	for o, f := range moved {
		r.files[o] = f
	}
	return nil
}

func (r *memHistory) Forget(_ context.Context, before time.Time, limit int) (n int, _ error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.files {
		var kept []history.Kept
		replaced := f.Present.EditedAt
		for _, k := range f.Earlier {
			if n < limit && k.EditedAt.Before(before) && replaced.Before(before) {
				n++
			} else {
				kept = append(kept, k)
			}
			replaced = k.EditedAt
		}
		f.Earlier = kept
	}
	return n, nil
}

// History returns the repository of earlier contents of files.
func (m *Memory) History() history.Repository { return &m.history }
