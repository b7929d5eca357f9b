package httpapi

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

func pastePage(origin, slug string) sharePage {
	return sharePage{origin + "/paste/" + slug, origin + "/api/raw/" + slug}
}

func filePage(origin, slug string) sharePage {
	return sharePage{origin + "/file/" + slug, viewURL(origin, slug, "")}
}

func pastePlace(origin, slug string) sharePlace { return sharePlace(pastePage(origin, slug)) }
func filePlace(origin, slug string) sharePlace  { return sharePlace(filePage(origin, slug)) }

func viewURL(origin, slug, query string) string {
	return origin + "/api/file-view/" + slug + query
}

func downloadURL(origin, slug, query string) string {
	return origin + "/api/file-download/" + slug + query
}
