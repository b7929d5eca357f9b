package webapp

import (
	"context"

	"pasteport/domain/shares"
	"pasteport/ports/policy"
)

// Peeker tells of a share what a caller may know of it without taking a view; the
// modules of texts and of files are two.
type Peeker interface {
	Peek(ctx context.Context, who policy.Principal, slug string) (shares.Peek, error)
}

// PreviewsOf describes shares for previews of their links in chats, for
// Options.Peek: not those with a password or before their last view. A text says
// no more than the title of the site.
func PreviewsOf(texts, files Peeker, siteTitle func() string) func(ctx context.Context, kind, slug string) (SharePreview, bool) {
	return func(ctx context.Context, kind, slug string) (SharePreview, bool) {
		from := texts
		if kind == "file" {
			from = files
		}
		share, err := from.Peek(ctx, policy.Nobody, slug)
		switch {
		case err != nil || share.Protected || share.Last:
			return SharePreview{}, false
		case kind == "paste":
			return SharePreview{Title: siteTitle(), Markdown: share.Syntax == "" || share.Syntax == "markdown", Counted: share.Counted}, true
		}
		return SharePreview{Title: share.Filename, Description: share.MimeType}, true
	}
}
