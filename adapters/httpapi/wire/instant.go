package wire

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"pasteport/ports"
)

type IDRequest struct {
	ID string `path:"id"`
}

// Instant is a time as answers write it: UTC with milliseconds (contract
// §1.5); the zero time is null.
type Instant time.Time

// MarshalJSON writes a string or null.
func (i Instant) MarshalJSON() ([]byte, error) {
	t := time.Time(i)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`), nil
}

// InstantOf turns an optional time into an instant.
func InstantOf(t *time.Time) Instant {
	if t == nil {
		return Instant{}
	}
	return Instant(*t)
}

// InstantIn reads a time of a query; "" is the zero time.
func InstantIn(text, field string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, ports.InvalidInput("time_invalid", field)
	}
	return at.UTC(), nil
}

// When is a time that arrives as an ISO 8601 text; null and the empty string
// mean none. Times without a zone are UTC.
type When struct{ Time *time.Time }

var whenForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05", time.DateOnly}

var errNotTime = errors.New("not a time")

// UnmarshalJSON reads one of the accepted forms.
func (t *When) UnmarshalJSON(data []byte) error {
	var text string // null leaves it empty
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	return t.FromText(text)
}

// FromText reads a value of a query or a form.
func (t *When) FromText(text string) error {
	t.Time = nil
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	for _, form := range whenForms {
		if at, err := time.Parse(form, text); err == nil && at.Year() > 0 && at.Year() < 10000 {
			at = at.UTC()
			t.Time = &at
			return nil
		}
	}
	return errNotTime
}

// ISO writes a time as contract §1.5 wants it.
func ISO(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func ISOTime(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := ISO(*t)
	return &s
}
