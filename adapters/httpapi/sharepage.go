package httpapi

import "context"

// sharePage is where a share is found, in answers whose names have capitals
// (decision 68).
type sharePage struct {
	URL    string `json:"url"`    // absolute address of its page
	RawURL string `json:"rawUrl"` // absolute address of its bytes, behind the same gate
}

// sharePlace is sharePage for answers whose names have underscores.
type sharePlace struct {
	URL    string `json:"url"`
	RawURL string `json:"raw_url"`
}

func pastePage(ctx context.Context, slug string) sharePage {
	origin := ScopeOf(ctx).Origin()
	return sharePage{origin + "/paste/" + slug, origin + "/api/raw/" + slug}
}

func filePage(ctx context.Context, slug string) sharePage {
	return sharePage{ScopeOf(ctx).Origin() + "/file/" + slug, viewURL(ctx, slug, "")}
}

func pastePlace(ctx context.Context, slug string) sharePlace { return sharePlace(pastePage(ctx, slug)) }
func filePlace(ctx context.Context, slug string) sharePlace  { return sharePlace(filePage(ctx, slug)) }
