package wire

// SharePage is where a share is found, in answers whose names have capitals
// (decision 68).
type SharePage struct {
	URL    string `json:"url"`    // absolute address of its page
	RawURL string `json:"rawUrl"` // absolute address of its bytes, behind the same gate
}

// SharePlace is sharePage for answers whose names have underscores.
type SharePlace struct {
	URL    string `json:"url"`
	RawURL string `json:"raw_url"`
}

// Link is the line that a terminal gets.
func (p SharePage) Link() string { return p.URL }

// Link is the line that a terminal gets.
func (p SharePlace) Link() string { return p.URL }

// Where pastes lie below the origin, in front of their slugs.
const (
	PagePath = "/paste/"
	RawPath  = "/api/raw/"
)

func PastePage(origin, slug string) SharePage {
	return SharePage{origin + PagePath + slug, origin + RawPath + slug}
}

func FilePage(origin, slug string) SharePage {
	return SharePage{origin + "/file/" + slug, ViewURL(origin, slug, "")}
}

func PastePlace(origin, slug string) SharePlace { return SharePlace(PastePage(origin, slug)) }
func FilePlace(origin, slug string) SharePlace  { return SharePlace(FilePage(origin, slug)) }

// CollectionPlace is where a collection is found: its page, and the list of its
// items.
func CollectionPlace(origin, slug string) SharePlace {
	return SharePlace{origin + "/collection/" + slug, origin + "/api/public/collections/" + slug}
}

func ViewURL(origin, slug, query string) string {
	return origin + "/api/file-view/" + slug + query
}

func DownloadURL(origin, slug, query string) string {
	return origin + "/api/file-download/" + slug + query
}
