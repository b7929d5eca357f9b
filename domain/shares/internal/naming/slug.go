package naming

import (
	"errors"
	"strings"

	"pasteport/ports"
)

// Lengths of slugs, in characters (spec §9, contract §1.7).
const (
	MaxSlug         = 50
	generatedSlug   = 10
	UnguessableSlug = 26 // 154 bits: the link is a secret by itself
	Tries           = 10 // draws before a generated name is given up
)

// The refusals of slugs.
var (
	ErrSlugInvalid  = &ports.Error{Code: ports.Invalid, Key: "slug_invalid"}
	errSlugReserved = &ports.Error{Code: ports.Invalid, Key: "slug_reserved"}
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
		return ErrSlugInvalid
	}
	for i := 0; i < len(slug); i++ {
		if !slugByte(slug[i]) {
			return ErrSlugInvalid
		}
	}
	if reservedSlugs[strings.ToLower(slug)] {
		return errSlugReserved
	}
	return nil
}

// PossibleSlug reports whether a share could have this slug at all; reserved
// words are possible, for shares older than the list.
func PossibleSlug(slug string) bool {
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
		n = UnguessableSlug
	}
	for {
		if s := random.Text(n); !reservedSlugs[strings.ToLower(s)] {
			return s
		}
	}
}

// WithSlug calls insert with the wanted slug, or with generated ones until one
// is free. Returns Conflict when a wanted slug is taken, Internal when no
// generated one is free after several draws.
func WithSlug(random ports.Random, wanted string, unguessable bool, insert func(slug string) error) error {
	if wanted != "" {
		return insert(wanted)
	}
	var err error
	for range Tries {
		if err = insert(drawSlug(random, unguessable)); !slugTaken(err) {
			return err
		}
	}
	return &ports.Error{Code: ports.Internal, Key: "internal", Cause: err}
}

func slugTaken(err error) bool {
	var e *ports.Error
	return errors.As(err, &e) && e.Code == ports.Conflict && e.Key == "slug_taken"
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// IsID reports whether s has the form of a UUID.
func IsID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-'
}
