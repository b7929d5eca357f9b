package shares

import (
	"strings"

	"pasteport/ports"
)

// Lengths of slugs, in characters (spec §9, contract §1.7).
const (
	MaxSlug         = 50
	generatedSlug   = 10
	unguessableSlug = 26 // 154 bits: the link is a secret by itself
	slugTries       = 10 // draws before a generated slug is given up
)

// reservedSlugs are first-level routes and names that would mislead, in lower
// case (contract §1.7).
var reservedSlugs = wordSet(`admin api assets batch-delete clear-expired dav favicon file file-download
	file-view files fs index login logout manifest mount-explorer office-preview p paste pastes public raw
	robots s3 static sw system upload upload-direct url webdav well-known`)

// CheckSlug returns Invalid when slug is not a legal custom slug: letters,
// digits, hyphen and underscore, at most MaxSlug, and not reserved (spec §5).
func CheckSlug(slug string) error {
	if slug == "" || len(slug) > MaxSlug {
		return errSlugInvalid
	}
	for i := 0; i < len(slug); i++ {
		if !slugByte(slug[i]) {
			return errSlugInvalid
		}
	}
	if reservedSlugs[strings.ToLower(slug)] {
		return errSlugReserved
	}
	return nil
}

// possibleSlug reports whether a share could have this slug at all; reserved
// words are possible, for shares older than the list.
func possibleSlug(slug string) bool {
	err := CheckSlug(slug)
	return err == nil || err == errSlugReserved
}

func slugByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// drawSlug returns a generated slug.
func drawSlug(random ports.Random, unguessable bool) string {
	n := generatedSlug
	if unguessable {
		n = unguessableSlug
	}
	for {
		if s := random.Text(n); !reservedSlugs[strings.ToLower(s)] {
			return s
		}
	}
}

// withSlug calls insert with the wanted slug, or with generated ones until one
// is free. Returns Conflict when a wanted slug is taken, Internal when no
// generated one is free after several draws.
func withSlug(random ports.Random, wanted string, unguessable bool, insert func(slug string) error) error {
	if wanted != "" {
		return insert(wanted)
	}
	var err error
	for range slugTries {
		if err = insert(drawSlug(random, unguessable)); !slugTaken(err) {
			return err
		}
	}
	return &ports.Error{Code: ports.Internal, Key: "internal", Cause: err}
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
