package httpapi

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"pasteport/domain/shares"
)

// When is a time that arrives as an ISO 8601 text; null and the empty string
// mean none. Times without a zone are UTC.
type When struct{ Time *time.Time }

var whenForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05", time.DateOnly}

var errNotTime = errors.New("not a time")

// UnmarshalJSON reads one of the accepted forms.
func (t *When) UnmarshalJSON(data []byte) error {
	var text *string
	t.Time = nil
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == nil || strings.TrimSpace(*text) == "" {
		return nil
	}
	for _, form := range whenForms {
		if at, err := time.Parse(form, strings.TrimSpace(*text)); err == nil && at.Year() > 0 && at.Year() < 10000 {
			at = at.UTC()
			t.Time = &at
			return nil
		}
	}
	return errNotTime
}

// iso writes a time as contract §1.5 wants it.
func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func isoTime(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := iso(*t)
	return &s
}

// orNull writes a limit; 0 is "none", which leaves as null.
func orNull(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// fieldOf hands an optional value to a use case; null counts as the zero value.
func fieldOf[T any](o Opt[T]) shares.Field[T] { return shares.Field[T]{Set: o.Set, Value: o.Value} }
