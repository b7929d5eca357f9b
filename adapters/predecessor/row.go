package predecessor

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// row is a record of the old database. Its methods turn cells into values; the
// first cell that cannot be understood makes the whole record one to leave,
// for a guess could open what was closed. Columns that a version did not have
// yet are as if they were NULL.
type row struct {
	cells  map[string]any // nil, int64, float64, string or []byte
	reason string         // why the record is left; empty when it is not
	notes  []string       // what was not taken over as it was
	// failure ends the import: it is not the record's fault.
	failure error
}

// leave says why the record cannot be taken over; the first reason counts.
func (r *row) leave(format string, args ...any) {
	if r.reason == "" {
		r.reason = fmt.Sprintf(format, args...)
	}
}

func (r *row) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// text is a text; NULL is empty.
func (r *row) text(column string) string {
	text, ok := plainText(r.cells[column])
	if !ok || !utf8.ValidString(text) || strings.ContainsRune(text, 0) && column != "content" {
		r.leave("its %s is not a text", column)
		return ""
	}
	return text
}

func plainText(cell any) (string, bool) {
	switch v := cell.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case []byte:
		return string(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}

// short is a text for people, cut to a number of bytes.
func (r *row) short(column string, most int) string {
	text := r.text(column)
	if len(text) <= most {
		return text
	}
	r.note("its %s was cut to %d bytes", column, most)
	text = text[:most]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text
}

// whole is a whole number; NULL and the empty text are fallback.
func (r *row) whole(column string, fallback int64) int64 {
	switch v := r.cells[column].(type) {
	case nil:
		return fallback
	case int64:
		return v
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	default:
		text, _ := plainText(v)
		if text = strings.TrimSpace(text); text == "" {
			return fallback
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	}
	r.leave("its %s is not a whole number", column)
	return fallback
}

// count is a number that cannot be negative; NULL is 0.
func (r *row) count(column string) int64 {
	n := r.whole(column, 0)
	if n < 0 {
		r.leave("its %s is negative", column)
	}
	return n
}

// flag is a yes or no; NULL is fallback.
func (r *row) flag(column string, fallback bool) bool {
	switch v := r.cells[column].(type) {
	case nil:
		return fallback
	case int64:
		if v == 0 || v == 1 {
			return v == 1
		}
	case float64:
		if v == 0 || v == 1 {
			return v == 1
		}
	default:
		text, _ := plainText(v)
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "":
			return fallback
		case "1", "true":
			return true
		case "0", "false":
			return false
		}
	}
	r.leave("its %s is neither yes nor no", column)
	return fallback
}

// timeForms are the forms that the predecessor and SQLite write; without a
// zone they are UTC.
var timeForms = []string{time.RFC3339Nano, time.DateTime, "2006-01-02 15:04:05.999", "2006-01-02T15:04:05.999", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly}

// moment is a time; NULL and the empty text are none.
func (r *row) moment(column string) *time.Time {
	switch v := r.cells[column].(type) {
	case nil:
		return nil
	case int64: // milliseconds since 1970, as JavaScript counts
		if at := time.UnixMilli(v).UTC(); v > 0 && at.Year() <= 9999 {
			return &at
		}
	default:
		text, _ := plainText(v)
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
		for _, form := range timeForms {
			if at, err := time.Parse(form, text); err == nil && at.Year() >= 1970 && at.Year() <= 9999 {
				at = at.UTC().Truncate(time.Millisecond)
				return &at
			}
		}
	}
	r.leave("its %s is not a time", column)
	return nil
}

// past is a time of the record's history: what cannot be read there is no
// reason to leave it, and becomes fallback.
func (r *row) past(column string, fallback time.Time) time.Time {
	try := row{cells: r.cells}
	if at := try.moment(column); at != nil {
		return *at
	}
	if try.reason != "" {
		r.note("its %s could not be read", column)
	}
	return fallback
}

// used is like past for a time that may never have been.
func (r *row) used(column string) *time.Time {
	try := row{cells: r.cells}
	return try.moment(column)
}

// id is the record's own id in the form that ids have here.
func (r *row) id() string {
	old := r.text("id")
	if old == "" {
		r.leave("it has no id")
	}
	return newID(old)
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// newID is the id here of a record there: the same when it is a UUID, else one
// that the old id decides, so that references still meet.
func newID(old string) string {
	if lower := strings.ToLower(old); old == "" || uuid.MatchString(lower) {
		return lower
	}
	sum := sha256.Sum256([]byte("predecessor id " + old))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8: of our own making
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// unfold lays the members of a JSON object in a column beside the other cells.
func (r *row) unfold(column string) {
	var members map[string]any
	decoder := json.NewDecoder(strings.NewReader(r.text(column)))
	decoder.UseNumber()
	if err := decoder.Decode(&members); err != nil {
		r.leave("its %s cannot be read", column)
	}
	for name, value := range members {
		switch v := value.(type) {
		case nil, string:
		case bool:
			value = map[bool]int64{true: 1}[v]
		case json.Number:
			if value = v.String(); strings.ContainsAny(v.String(), ".eE") {
				value, _ = v.Float64()
			}
		default:
			continue // nothing we know is a list or an object
		}
		if _, taken := r.cells[name]; !taken {
			r.cells[name] = value
		}
	}
}
