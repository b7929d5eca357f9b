package domaintest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/versions"
	"pasteport/ports"
)

// FileVersions returns the versions of files.
func (m *Memory) FileVersions() versions.Repository { return &memFiles{memTable: &m.files} }

func (r *memFiles) Versions(ctx context.Context, fileID string) ([]shares.File, error) {
	found, err := r.all(ctx, func(f *shares.File) bool { return fileID != "" && f.VersionOf == fileID && f.ErasedAt == nil })
	slices.SortFunc(found, func(a, b shares.File) int { return cmp.Compare(b.Version, a.Version) })
	return found, err
}

func (r *memFiles) Replacing(ctx context.Context, fileID string) ([]shares.File, error) {
	return r.all(ctx, func(f *shares.File) bool {
		return fileID != "" && f.Replaces == fileID && f.Pending && !f.Late() && f.KeepNone
	})
}

func (r *memFiles) Exchange(ctx context.Context, fileID string, version int64, change func(present, former *shares.File) error) (*shares.File, error) {
	all, err := r.Versions(ctx, fileID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(f shares.File) bool { return f.Version == version })
	if i < 0 {
		return nil, ports.ErrNotFound
	}
	present, err := r.Get(ctx, fileID)
	if err != nil {
		return nil, err
	}
	if err := change(present, &all[i]); err != nil {
		return nil, err
	}
	if _, err := r.Update(ctx, all[i].ID, func(f *shares.File) error { *f = all[i]; return nil }); err != nil {
		return nil, err
	}
	return r.Update(ctx, fileID, func(f *shares.File) error { *f = *present; return nil })
}

// letGo makes versions used-up shares as of a time, or of when they were replaced.
func (r *memFiles) letGo(ctx context.Context, now *time.Time, which func(*shares.File) bool) (int, error) {
	return r.change(ctx, func(f *shares.File) bool { return f.VersionOf != "" && which(f) }, func(f *shares.File) {
		f.VersionOf = ""
		if now != nil {
			f.UsedUpAt = milliPtr(now)
		}
	})
}

func (r *memFiles) LetGo(ctx context.Context, fileID string, keep int, now time.Time) error {
	all, err := r.Versions(ctx, fileID)
	if err != nil || len(all) <= keep {
		return err
	}
	_, err = r.letGo(ctx, &now, func(f *shares.File) bool {
		return slices.ContainsFunc(all[keep:], func(old shares.File) bool { return old.ID == f.ID })
	})
	return err
}

func (r *memFiles) LetOldGo(ctx context.Context, before time.Time, limit int, now time.Time) (int, error) {
	return r.letGo(ctx, &now, upTo(limit, func(f *shares.File) bool { return f.UsedUpAt != nil && f.UsedUpAt.Before(before) && f.VersionOf != "" }))
}

func (r *memFiles) Delete(ctx context.Context, ids ...string) (int, error) {
	if _, err := r.letGo(ctx, nil, func(f *shares.File) bool { return slices.Contains(ids, f.VersionOf) }); err != nil {
		return 0, err
	}
	return r.memTable.Delete(ctx, ids...)
}
