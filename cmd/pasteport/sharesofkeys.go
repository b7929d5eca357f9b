package main

import (
	"context"
	"errors"

	"pasteport/domain/keys"
)

// sharesOfKeys tells the module of keys what they have shared.
type sharesOfKeys struct{ *app }

var _ keys.Shares = sharesOfKeys{}

// CountShares counts what an owner has shared.
func (s sharesOfKeys) CountShares(ctx context.Context, owner string) (keys.Shared, error) {
	pastes, err := s.pastes.CountBy(ctx, owner)
	if err != nil {
		return keys.Shared{}, err
	}
	files, err := s.files.CountBy(ctx, owner)
	return keys.Shared{Pastes: pastes, Files: files}, err
}

// RevokeShares deletes what an owner has shared: the files too when a paste
// cannot be deleted. Items of collections count as files.
func (s sharesOfKeys) RevokeShares(ctx context.Context, owner string) (keys.Shared, error) {
	pastes, err := s.pastes.RevokeBy(ctx, owner)
	files, err2 := s.files.RevokeBy(ctx, owner)
	return keys.Shared{Pastes: pastes, Files: files}, errors.Join(err, err2, s.sets.RevokeBy(ctx, owner))
}
