package wire

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"pasteport/ports"
)

var (
	errNotNumber = errors.New("not a whole number")
	errNotFlag   = errors.New("not true or false")
)

// Int is a whole number that arrives as a number or a decimal string. Null and
// the empty string count as zero (contract §1.5).
type Int int64

// UnmarshalJSON reads a number, a decimal string or null.
func (i *Int) UnmarshalJSON(data []byte) error {
	text, null, err := Scalar(data)
	if err != nil || null {
		*i = 0
		return err
	}
	return i.FromText(text)
}

func (i *Int) FromText(text string) error {
	if strings.TrimSpace(text) == "" {
		*i = 0
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		// A whole number may be written with a point or an exponent.
		f, ferr := strconv.ParseFloat(text, 64)
		if ferr != nil || f != float64(int64(f)) || f > 1<<53 || f < -(1<<53) {
			return errNotNumber
		}
		n = int64(f)
	}
	*i = Int(n)
	return nil
}

// Flag is a truth value that arrives as true, 1, "true" or "1" and their
// opposites (contract §1.5). Every other value is refused, null included.
type Flag bool

// UnmarshalJSON reads one of the accepted forms.
func (f *Flag) UnmarshalJSON(data []byte) error {
	text, _, err := Scalar(data)
	if err != nil {
		return err
	}
	return f.parse(text)
}

// FromText reads a value of a query or a form, where an empty one counts as
// absent.
func (f *Flag) FromText(text string) error {
	if text == "" {
		*f = false
		return nil
	}
	return f.parse(text)
}

func (f *Flag) parse(text string) error {
	on, ok := ports.ParseFlag(text)
	if *f = Flag(on); !ok {
		return errNotFlag
	}
	return nil
}

// Bit writes a stored flag as the number 0 or 1 (contract §1.5).
type Bit bool

// MarshalJSON writes 0 or 1.
func (b Bit) MarshalJSON() ([]byte, error) {
	if b {
		return []byte("1"), nil
	}
	return []byte("0"), nil
}

// Opt tells an absent value, null and a value apart. A flag cannot be null.
type Opt[T any] struct {
	Set   bool // the name was there, perhaps with null
	Null  bool
	Value T // zero for null
}

// UnmarshalJSON reads null or a T.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	var zero T
	o.Set, o.Null, o.Value = true, string(data) == "null", zero
	if _, flag := any(o.Value).(Flag); o.Null && !flag {
		return nil
	}
	return json.Unmarshal(data, &o.Value)
}

func (o *Opt[T]) FromText(text string) error {
	_, flag := any(o.Value).(Flag)
	o.Set = !flag || text != ""
	return SetText(&o.Value, text)
}

// MarshalJSON writes null or the value.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.Set || o.Null {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// FromText is implemented by the flexible types, for query values.
type FromText interface{ FromText(string) error }

// SetText stores a query or path value in a field.
func SetText(dst any, text string) error {
	switch d := dst.(type) {
	case FromText:
		return d.FromText(text)
	case *string:
		*d = text
	case *bool:
		return (*Flag)(d).FromText(text)
	case *int64:
		return (*Int)(d).FromText(text)
	case *int:
		var n Int
		if err := n.FromText(text); err != nil {
			return err
		}
		*d = int(n)
	default:
		return errors.New("a type that a query cannot carry")
	}
	return nil
}

// Scalar returns the text of a JSON string, number or literal.
func Scalar(data []byte) (text string, null bool, err error) {
	switch {
	case len(data) == 0:
		return "", true, nil
	case data[0] == '"':
		err = json.Unmarshal(data, &text)
		return text, false, err
	case data[0] == '{' || data[0] == '[':
		return "", false, errors.New("not a single value")
	}
	text = string(data)
	return text, text == "null", nil
}

// OrNull writes a limit; 0 is "none", which leaves as null.
func OrNull(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func TextOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Optional returns the value, nil when it is absent or null.
func Optional[T any](o Opt[T]) *T {
	if !o.Set || o.Null {
		return nil
	}
	return &o.Value
}

// AsPlain turns a pointer to a flexible type into one to its plain type.
func AsPlain[To int64 | bool, From Int | Flag](p *From) *To {
	if p == nil {
		return nil
	}
	var to To
	switch v := any(*p).(type) {
	case Int:
		*any(&to).(*int64) = int64(v)
	case Flag:
		*any(&to).(*bool) = bool(v)
	}
	return &to
}

// AppendText writes a JSON string, whose pieces need not be joined.
func AppendText(data []byte, pieces ...string) []byte {
	start := len(data)
	data = append(data, '"')
	for _, s := range pieces {
		for i := range len(s) {
			if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c >= utf8.RuneSelf {
				quoted, err := json.Marshal(strings.Join(pieces, ""))
				if err != nil { // a string can always be written
					panic(err)
				}
				return append(data[:start], quoted...)
			}
		}
		data = append(data, s...)
	}
	return append(data, '"')
}

// Storable reports whether databases can keep a text: it is UTF-8 and holds no
// NUL.
func Storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }
