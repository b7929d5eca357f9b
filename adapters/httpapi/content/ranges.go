package content

import (
	"errors"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// maxRanges is how many ranges a request may ask for.
const maxRanges = 8

var errRange = &ports.Error{Code: ports.Range, Key: "range_invalid"}

// rangeOf finds the one range to send and the status it gives.
func (c *Content) rangeOf(h http.Header) (objstore.Range, int, error) {
	header := h.Get("Range")
	if header == "" || c.Size == 0 || !c.rangeStillValid(h.Get("If-Range")) {
		return objstore.Range{}, http.StatusOK, nil
	}
	parts, err := parseRanges(header, c.Size)
	switch {
	case errors.Is(err, errNoRange):
		return objstore.Range{}, http.StatusOK, nil
	case err != nil:
		return objstore.Range{}, 0, err
	case len(parts) == 1:
		return parts[0], http.StatusPartialContent, nil
	}
	return objstore.Range{}, http.StatusOK, nil
}

func (c *Content) rangeStillValid(condition string) bool {
	if condition == "" {
		return true
	}
	if strings.HasPrefix(condition, `"`) {
		return condition == c.tag()
	}
	at, err := http.ParseTime(condition)
	return err == nil && !c.ModTime.IsZero() && c.ModTime.Truncate(time.Second).Equal(at)
}

// errNoRange is a header that is not a list of byte ranges; it is ignored.
var errNoRange = errors.New("no byte range")

// parseRanges reads a Range header for content of the given size. Returns
// errRange when none of the ranges can be satisfied or there are too many.
func parseRanges(header string, size int64) ([]objstore.Range, error) {
	list, ok := strings.CutPrefix(header, "bytes=")
	if !ok {
		return nil, errNoRange
	}
	var parts []objstore.Range
	asked := 0
	for item := range strings.SplitSeq(list, ",") {
		if item = textproto.TrimString(item); item == "" {
			continue
		}
		if asked++; asked > maxRanges {
			return nil, errRange
		}
		part, satisfiable, err := parseRange(item, size)
		if err != nil {
			return nil, err
		}
		if satisfiable {
			parts = append(parts, part)
		}
	}
	if asked == 0 {
		return nil, errNoRange
	}
	if len(parts) == 0 {
		return nil, errRange
	}
	return parts, nil
}

func parseRange(item string, size int64) (part objstore.Range, satisfiable bool, err error) {
	from, to, ok := strings.Cut(item, "-")
	if !ok {
		return part, false, errNoRange
	}
	from, to = textproto.TrimString(from), textproto.TrimString(to)
	if from == "" {
		n, err := digits(to)
		if err != nil {
			return part, false, err
		}
		n = min(n, size)
		return objstore.Range{Offset: size - n, Length: n}, n > 0, nil
	}
	start, err := digits(from)
	if err != nil {
		return part, false, err
	}
	end := size - 1
	if to != "" {
		if end, err = digits(to); err != nil || end < start {
			return part, false, errNoRange
		}
		end = min(end, size-1)
	}
	if start >= size {
		return part, false, nil
	}
	return objstore.Range{Offset: start, Length: end - start + 1}, true, nil
}

// digits reads a number without a sign; one too large for 63 bits counts as
// the largest.
func digits(s string) (int64, error) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, errNoRange
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 1<<63 - 1, nil
	}
	return n, nil
}
