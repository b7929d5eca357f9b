package shares

import (
	"cmp"
	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// maxAdoptedName bounds the file names of an earlier installation, in bytes.
const maxAdoptedName = 1024

// CheckAdopted returns why a paste of an earlier installation cannot be one
// here, nil when it can. Its rules are those of new pastes, but that reserved
// words keep their links and that it may have expired.
func (p *Paste) CheckAdopted() error {
	return cmp.Or(checkAdoptedSlug(p.Slug), checkContent(p.Content), checkRemark(p.Remark), gate.CheckMaxViews(p.MaxViews))
}

// CheckAdopted is as for pastes.
func (f *File) CheckAdopted() error {
	if f.Filename == "" || len(f.Filename) > maxAdoptedName || !naming.Clean(f.Filename) {
		return ports.InvalidInput("filename_invalid", "filename")
	}
	if objstore.CheckKey(f.StoragePath) != nil || f.Size < 0 {
		return ports.InvalidInput("path_invalid", "storage_path")
	}
	return cmp.Or(checkAdoptedSlug(f.Slug), checkRemark(f.Remark), gate.CheckMaxViews(f.MaxViews))
}

func checkAdoptedSlug(slug string) error {
	if !naming.PossibleSlug(slug) {
		return naming.ErrSlugInvalid
	}
	return nil
}
