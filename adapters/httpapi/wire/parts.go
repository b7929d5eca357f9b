package wire

import (
	"pasteport/ports/objstore"
	"pasteport/ports/upload"
)

// PartLink is the signed request of one part of an upload, into a mount or into
// a share.
type PartLink struct {
	PartNumber int    `json:"partNumber"`
	URL        string `json:"url"` // absolute
}

// PartLinks are the links of parts; absolute puts this server's address in front
// of those that are paths.
func PartLinks(absolute func(link string) *string, links []upload.Link) []PartLink {
	out := make([]PartLink, len(links))
	for i, l := range links {
		out[i] = PartLink{l.Number, *absolute(l.URL)}
	}
	return out
}

// FsPart (a name of the API description) is a part of an upload that the storage has.
type FsPart struct {
	PartNumber   int     `json:"partNumber"`
	LastModified *string `json:"lastModified"` // null where the storage does not tell
	ETag         string  `json:"etag"`         // in quotes
	Size         int64   `json:"size"`         // bytes
}

// FsParts are the parts of an upload, in the order of the storage.
func FsParts(arrived []objstore.Part) []FsPart {
	out := make([]FsPart, len(arrived))
	for i, p := range arrived {
		out[i] = FsPart{PartNumber: p.Number, ETag: `"` + p.ETag + `"`, Size: p.Size}
		if !p.ModTime.IsZero() {
			at := ISO(p.ModTime)
			out[i].LastModified = &at
		}
	}
	return out
}
