package mounts

import (
	"context"
	"strings"
	"unicode/utf8"

	"pasteport/ports"
)

// Forms gives the other ways to write a text in Unicode that look the same: its
// composed and its decomposed form, without the text itself. Names are kept as
// they were sent, but some clients ask for them in another form (contract §1.2).
type Forms func(text string) []string

// of are the other forms of a path; none for most.
func (f Forms) of(path string) []string {
	if f == nil || !strings.ContainsFunc(path, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return nil
	}
	return f(path)
}

// inForms looks for what is at a path, and when nothing is, at the other forms
// of it. The policy is asked for each of them that is looked at.
func inForms[T any](f Forms, path string, look func(path string) (T, error)) (T, error) {
	found, err := look(path)
	if !ports.Is(err, ports.NotFound) {
		return found, err
	}
	for _, form := range f.of(path) {
		if other, failed := look(form); failed == nil {
			return other, nil
		}
	}
	return found, err
}

// Purpose is what a WebDAV client wants of a path.
type Purpose int

// The purposes.
const (
	ToList Purpose = iota
	ToRead
	ToWrite
)

// Form returns the form of a path in which something is there, or in which the
// folder is that something may be put into; the path itself where that does not
// tell. It asks what the purpose asks. Errors are left to whoever uses the path.
func (rd *Reader) Form(ctx context.Context, c Caller, path string, to Purpose) string {
	forms := rd.forms.of(path)
	if len(forms) == 0 {
		return path
	}
	op := map[Purpose]Operation{ToList: OpList, ToRead: OpRead, ToWrite: OpEdit}[to]
	if rd.isThere(ctx, c, op, path) {
		return path
	}
	for _, form := range forms {
		if rd.isThere(ctx, c, op, form) {
			return form
		}
	}
	clean, folder, err := Clean(path)
	if err != nil || clean == "/" || rd.isThere(ctx, c, op, Parent(clean)) {
		return path
	}
	for _, form := range rd.forms.of(Parent(clean)) {
		if rd.isThere(ctx, c, op, form) {
			return Slashed(Join(form, Base(clean)), folder)
		}
	}
	return path
}

// isThere reports whether the caller may go to a path and something is there.
func (rd *Reader) isThere(ctx context.Context, c Caller, op Operation, path string) bool {
	places, _, err := rd.Enter(ctx, c, op, path)
	if err != nil {
		return false
	}
	_, err = rd.Glance(ctx, places[0])
	return err == nil
}
