package settings

// Adopt returns the text to store for a value of an earlier installation that
// had the same setting. Returns NotFound for a setting there is none of, and
// Invalid for a value that breaks its rule or that nobody may set.
func Adopt(key, value string) (string, error) {
	d := definitions[key]
	switch {
	case d == nil:
		return "", errUnknown
	case d.Flag == ReadOnly || d.Group == SystemGroup:
		return "", errReadOnly
	}
	text, problem := d.convert(value)
	if problem == nil {
		problem = d.check(text)
	}
	if problem != nil {
		return "", problem
	}
	return text, nil
}

// Untouched reports whether nobody has set a stored value since it was seeded.
func (s Setting) Untouched() bool { return s.CreatedAt.Equal(s.UpdatedAt) }
