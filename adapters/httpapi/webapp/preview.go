package webapp

import (
	"context"
	"regexp"
	"strings"

	"pasteport/domain/shares"
	"pasteport/ports/policy"
)

// Peeker tells of a share what a caller may know of it without taking a view; the
// modules of texts and of files are two.
type Peeker interface {
	Peek(ctx context.Context, who policy.Principal, slug string) (shares.Peek, error)
}

// largestPicture is how large a picture may be, in bytes, that chats are led to.
const largestPicture = 8 << 20

// PreviewsOf describes shares for previews of their links in chats, for
// Options.Peek: not those with a password or before their last view. A text
// without a view limit tells its title and how it begins, such a picture where it
// is; with a limit a text says no more than the title of the site.
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
			markdown := share.Syntax == "" || share.Syntax == "markdown"
			title := strings.TrimSpace(share.Remark)
			if title == "" {
				title = siteTitle()
			}
			return SharePreview{Title: title, Description: beginning(share.Start, markdown), Markdown: markdown, Counted: share.Counted}, true
		}
		return SharePreview{Title: share.Filename, Description: share.MimeType, Counted: share.Counted, Picture: isPicture(share)}, true
	}
}

// isPicture says whether chats can show a file and may, without taking one of
// counted views.
func isPicture(share shares.Peek) bool {
	switch share.MimeType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return !share.Counted && share.Size <= largestPicture
	}
	return false
}

// marks are the signs of Markdown that say nothing in one line of plain text;
// links keeps the words of links and of pictures.
var (
	marks = regexp.MustCompile("(?m)^\\s*(?:#{1,6}|>|[-*+]|\\d+\\.|```.*|\\|?[-:| ]{3,}\\|?)(?:\\s+|$)|[*_`~|]{1,3}")
	links = regexp.MustCompile(`!?\[([^\]\n]*)\]\([^)\n]*\)`)
)

// beginning is how a text begins, in one line.
func beginning(text string, markdown bool) string {
	if markdown {
		text = marks.ReplaceAllString(links.ReplaceAllString(text, "$1"), " ")
	}
	return strings.Join(strings.Fields(text), " ")
}
