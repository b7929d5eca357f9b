package inventory

import (
	"context"
	"crypto/hmac"
	"encoding/base64"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Deletions are secrets by which scripts delete the one share that they have
// made, without a credential. Such a secret is as good as long as its share
// lives; who made the share was asked about when it was made.
type Deletions struct {
	pastes *shares.Pastes
	files  *shares.Files
	mac    ports.MAC
}

// NewDeletions returns the Deletions of the shares of pastes and files.
func NewDeletions(pastes *shares.Pastes, files *shares.Files, mac ports.MAC) *Deletions {
	return &Deletions{pastes, files, mac}
}

// deletionPurpose is what the key of these secrets is derived for.
const deletionPurpose = "share deletion"

// Secret is what deletes a share: 43 characters that fit into an address.
func (d *Deletions) Secret(ref Ref) string {
	sum := d.mac.Sum(deletionPurpose, []byte(ref.Kind+"\x00"+ref.ID))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Delete deletes the share that the secret belongs to, and the object of a file
// unless it belongs to a mount or to another share.
//
// Returns NotFound when the secret belongs to no share, or to one that is gone.
func (d *Deletions) Delete(ctx context.Context, ref Ref, secret string) error {
	if !hmac.Equal([]byte(secret), []byte(d.Secret(ref))) {
		return shares.ErrFileUnknown
	}
	if ref.Kind == policy.KindPaste {
		return d.pastes.Revoke(ctx, ref.ID)
	}
	return d.files.Revoke(ctx, ref.ID, true)
}
