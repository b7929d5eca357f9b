package webapp

import (
	"context"
	"regexp"
	"strings"

	"pasteport/domain/requests"
	"pasteport/domain/shares"
	"pasteport/ports/policy"
)

// Peeker tells of a share what a caller may know of it without taking a view; the
// modules of texts, of files and of collections are three.
type Peeker interface {
	Peek(ctx context.Context, who policy.Principal, slug string) (shares.Peek, error)
}

// Forms show the form of a request for files; domain/requests does.
type Forms interface {
	View(ctx context.Context, who policy.Principal, slug, visit string) (*requests.Form, error)
}

// largestPicture is how large a picture may be, in bytes, that chats are led to.
const largestPicture = 8 << 20

// PreviewsOf describes shares for previews of their links in chats, for
// Options.Peek: not those with a password or before their last view. A text
// without a view limit tells its title and how it begins, such a picture where it
// is; with a limit a text says no more than the title of the site. Nothing is told of
// collections and requests but whether they are there.
func PreviewsOf(texts, files, collections Peeker, asked Forms, siteTitle func() string) func(ctx context.Context, kind, slug string) (SharePreview, bool, error) {
	peekers := map[string]Peeker{"paste": texts, "file": files, "collection": collections}
	return func(ctx context.Context, kind, slug string) (SharePreview, bool, error) {
		if kind == "request" {
			_, err := asked.View(ctx, policy.Nobody, slug, "")
			return SharePreview{}, false, err
		}
		share, err := peekers[kind].Peek(ctx, policy.Nobody, slug)
		switch {
		case err != nil || share.Protected || share.Last || kind == "collection":
			return SharePreview{}, false, err
		case kind == "paste":
			markdown := share.Syntax == "" || share.Syntax == "markdown"
			title := strings.TrimSpace(share.Remark)
			if title == "" {
				title = siteTitle()
			}
			return SharePreview{Title: title, Description: beginning(share.Start, markdown), Markdown: markdown, Counted: share.Counted}, true, nil
		}
		return SharePreview{Title: share.Filename, Description: share.MimeType, Counted: share.Counted, Picture: isPicture(share)}, true, nil
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
