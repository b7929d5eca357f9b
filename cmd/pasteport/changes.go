package main

import (
	"context"
	"errors"
	"strings"

	"pasteport/domain/keys"
	"pasteport/domain/mounts"
	"pasteport/domain/shares"
	"pasteport/domain/tasks"
	"pasteport/ports/policy"
)

// registerChanges makes known how the tree's tasks are done.
func (a *app) registerChanges() {
	for _, works := range []map[string]mounts.Work{a.transfers.Works(), a.index.Works()} {
		for kind, work := range works {
			a.tasks.Register(kind, tasks.Kind{Run: work.Run, Allowed: work.Allowed})
		}
	}
}

// mountShares joins file shares to what the tree needs of them.
type mountShares struct{ app *app }

// Share makes a share of a file that stays in its mount.
func (s mountShares) Share(ctx context.Context, who policy.Principal, o policy.Obligations, n mounts.NewShare) (mounts.Shared, error) {
	file, err := s.app.mounted.Share(ctx, who, o, shares.MountedFile{
		StorageConfigID: n.StorageID, StorageType: n.StorageType, StoragePath: n.Key, FilePath: n.Path, Filename: n.Name, Size: n.Size, ETag: n.ETag,
		Slug: n.Slug, Remark: n.Remark, Password: n.Password, ExpiresIn: n.ExpiresIn, MaxViews: n.MaxViews,
		Latch: shares.Latch{KeyOnly: n.KeyOnly, SlideBy: n.SlideBy, SlideUntil: n.SlideUntil},
	})
	if err != nil {
		return mounts.Shared{}, err
	}
	return mounts.Shared{ID: file.ID, Slug: file.Slug, Name: file.Filename, Size: file.Size}, nil
}

// SharedIn tells what of a folder is shared.
func (s mountShares) SharedIn(ctx context.Context, createdBy string, folder *mounts.Place) (marks mounts.Marks, err error) {
	files, err := s.app.mounted.SharedIn(ctx, createdBy, folder.Storage.ID, folder.Prefix())
	if err != nil {
		return marks, err
	}
	for i := range files {
		f := &files[i]
		if f.Collection != "" {
			continue // it has no link of its own
		}
		marks.Files = append(marks.Files, mounts.Mark{Name: strings.TrimPrefix(f.StoragePath, folder.Prefix()), ID: f.ID, Slug: f.Slug, Remark: f.Remark, Protected: f.Protected(),
			ExpiresAt: f.ExpiresAt, MaxViews: f.MaxViews, Views: f.Views, UseProxy: f.UseProxy, CreatedAt: f.CreatedAt})
	}
	leads, err := s.app.sets.Around(ctx, createdBy, folder.Mount.Path, folder.Path, files)
	for _, to := range leads {
		marks.Links = append(marks.Links, mounts.Link{Name: to.Name, ID: to.ID, Slug: to.Slug, Title: to.Title})
	}
	return marks, err
}

// Holds reports whether an object belongs to a share.
func (s mountShares) Holds(ctx context.Context, storageID, key string) (bool, error) {
	return s.app.files.Holds(ctx, storageID, key)
}

// Moved returns what lets shares follow what they lead to.
func (s mountShares) Moved(ctx context.Context, m mounts.Moved) (func(context.Context) error, error) {
	return s.app.mounted.Follow(ctx, shares.MovedObjects{FromConfig: m.FromConfig, ToConfig: m.ToConfig, FromKey: m.FromKey, ToKey: m.ToKey,
		FromPath: m.FromPath, ToPath: m.ToPath, ToType: m.ToType, Folder: m.Folder})
}

// sharesOfKeys tells the module of keys what they have shared.
type sharesOfKeys struct{ *app }

// CountShares counts what an owner has shared.
func (s sharesOfKeys) CountShares(ctx context.Context, owner string) (keys.Shared, error) {
	pastes, err := s.pastes.CountBy(ctx, owner)
	if err != nil {
		return keys.Shared{}, err
	}
	files, err := s.files.CountBy(ctx, owner)
	folders, err2 := s.sets.FoldersBy(ctx, owner)
	return keys.Shared{Pastes: pastes, Files: files, Folders: folders}, errors.Join(err, err2)
}

// RevokeShares deletes what an owner has shared: the files too when a paste
// cannot be deleted. Items of collections count as files.
func (s sharesOfKeys) RevokeShares(ctx context.Context, owner string) (keys.Shared, error) {
	pastes, err := s.pastes.RevokeBy(ctx, owner)
	files, err2 := s.files.RevokeBy(ctx, owner)
	folders, err3 := s.sets.RevokeBy(ctx, owner)
	return keys.Shared{Pastes: pastes, Files: files, Folders: folders}, errors.Join(err, err2, err3)
}
