// Package upload is the vocabulary of uploads and the rules that hold whatever
// door the bytes come by: how a file is cut into parts, which lists of parts are
// good, how large a file may be, how a body is measured. domain/uploads keeps
// the sessions of uploads in parts.
package upload

import (
	"cmp"
	"slices"
	"strings"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Bounds of parts, in bytes.
const (
	PartSize    = 5 << 20 // of every part but the last, where the client names none (spec §9)
	MaxPartSize = 5 << 30 // (S3 API)
)

// PartSizeOf is PartSize, or the smallest multiple of it that needs no more than
// objstore.MaxPart parts for a file of size bytes. It follows from the size
// alone, so that an upload can be resumed without it being noted.
func PartSizeOf(size int64) int64 {
	const most = int64(PartSize * objstore.MaxPart)
	return PartSize * max(1, (size+most-1)/most)
}

// Cut is how a file is cut into parts.
type Cut struct {
	Size      int64 // bytes of the file as announced; 0 means unknown
	PartSize  int64 // bytes
	PartCount int
}

// CutOf cuts a file of size bytes, 0 for unknown: into parts of partSize bytes, 0
// for PartSize, and count of them, 0 for as many as it takes. Returns
// objstore.ErrBadPart for what cannot be, but lets a client name another count
// than it takes.
func CutOf(size, partSize, count int64) (Cut, error) {
	if partSize == 0 {
		partSize = PartSize
	}
	if size < 0 || count < 0 || partSize < 0 || partSize > MaxPartSize {
		return Cut{}, objstore.ErrBadPart
	}
	if count == 0 {
		count = needed(size, partSize)
	}
	if count > objstore.MaxPart || count > 1 && partSize < PartSize {
		return Cut{}, objstore.ErrBadPart
	}
	return Cut{Size: size, PartSize: partSize, PartCount: int(count)}, nil
}

// needed is how many parts a file takes, at least one.
func needed(size, partSize int64) int64 { return max((size+partSize-1)/partSize, 1) }

// Needed is how many parts of the size a file takes, at least one. It is more
// than PartCount when the client has named too few.
func (c Cut) Needed() int64 { return needed(c.Size, c.PartSize) }

// Length is the length of a part in bytes, where size, part size and count fit
// together; else, and for a number that is no part's, 0.
func (c Cut) Length(number int) int64 {
	last := c.Size - int64(c.PartCount-1)*c.PartSize
	switch {
	case c.Size <= 0 || last <= 0 || last > c.PartSize || number < 1:
		return 0
	case number == c.PartCount:
		return last
	case number < c.PartCount:
		return c.PartSize
	}
	return 0
}

// Numbers are the numbers of all parts, in order.
func (c Cut) Numbers() []int {
	numbers := make([]int, c.PartCount)
	for i := range numbers {
		numbers[i] = i + 1
	}
	return numbers
}

// errPartsMissing is the refusal to complete a file that is not whole.
var errPartsMissing = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "parts_missing"}

// Whole returns Invalid unless parts, in ascending order, are all those of the
// file, each of its length.
func (c Cut) Whole(parts []objstore.Part) error {
	if len(parts) != c.PartCount {
		return errPartsMissing
	}
	for i, p := range parts {
		if p.Number != i+1 || p.Size != c.Length(p.Number) {
			return errPartsMissing
		}
	}
	return nil
}

// Sorted checks the list of parts that a client wants joined and gives it in
// ascending order. The same part may stand in it twice. Returns Invalid for an
// empty list, objstore.ErrBadPart for one that cannot be.
func Sorted(sent []objstore.Part) ([]objstore.Part, error) {
	if len(sent) == 0 {
		return nil, ports.InvalidInput("required", "parts")
	}
	list := slices.Clone(sent)
	for i := range list {
		list[i].ETag = strings.Trim(strings.TrimPrefix(list[i].ETag, "W/"), `"`)
		if list[i].ETag == "" || !possible(list[i].Number) {
			return nil, objstore.ErrBadPart
		}
	}
	slices.SortStableFunc(list, func(a, b objstore.Part) int { return cmp.Compare(a.Number, b.Number) })
	list = slices.Compact(list)
	for i := 1; i < len(list); i++ {
		if list[i].Number == list[i-1].Number {
			return nil, objstore.ErrBadPart
		}
	}
	return list, nil
}

// CheckNumbers checks which parts a client wants new links for; field is what it
// calls them. Returns Invalid for none, objstore.ErrBadPart for too many and for
// numbers that no part has.
func CheckNumbers(numbers []int, field string) error {
	switch {
	case len(numbers) == 0:
		return ports.InvalidInput("required", field)
	case len(numbers) > objstore.MaxPart, slices.ContainsFunc(numbers, func(n int) bool { return !possible(n) }):
		return objstore.ErrBadPart
	}
	return nil
}

func possible(number int) bool { return number >= 1 && number <= objstore.MaxPart }

// Link is where a client sends one part.
type Link struct {
	Number int
	URL    string // absolute, or a path of this server
}
