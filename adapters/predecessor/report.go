package predecessor

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"pasteport/domain/keys"
)

// Report is what became of the old records. It holds no secrets but the
// password in NewAdmin.
type Report struct {
	Parts []*Part
	// NewAdmin was made because the old administrator could not be taken over;
	// nil when none was.
	NewAdmin *keys.NewAdmin
}

// Part tells of one kind of records.
type Part struct {
	Name      string
	Added     int    // taken over by this run
	Present   int    // here since an earlier run, and not touched
	Conflicts []Item // not taken over, because something here is in the way
	Left      []Item // not taken over, because the rules here do not let it in
	Notes     []Item // taken over, but not as it was
}

// Item is a record by its link, name or path, and what is to be said of it.
type Item struct{ Label, Reason string }

// part returns the part of a name, a new one if there is none.
func (r *Report) part(name string) *Part {
	for _, p := range r.Parts {
		if p.Name == name {
			return p
		}
	}
	p := &Part{Name: name}
	r.Parts = append(r.Parts, p)
	return p
}

func (p *Part) add(more Part) {
	p.Added += more.Added
	p.Present += more.Present
	p.Conflicts = append(p.Conflicts, more.Conflicts...)
	p.Left = append(p.Left, more.Left...)
	p.Notes = append(p.Notes, more.Notes...)
}

// shown is how many records of one reason are named.
const shown = 20

// Write tells the report to people: a line for each kind, then what was not
// taken over and why, by reason.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	for _, p := range r.Parts {
		if p.Added+p.Present+len(p.Conflicts)+len(p.Left) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-16s %6d taken over, %d already here, %d in conflict, %d left\n", p.Name, p.Added, p.Present, len(p.Conflicts), len(p.Left))
	}
	for _, list := range []struct {
		title string
		of    func(*Part) []Item
	}{
		{"in conflict", func(p *Part) []Item { return p.Conflicts }},
		{"left", func(p *Part) []Item { return p.Left }},
		{"taken over with a change", func(p *Part) []Item { return p.Notes }},
	} {
		for _, p := range r.Parts {
			writeItems(&b, p.Name+" "+list.title, list.of(p))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeItems groups items by reason, in the order in which the reasons came.
func writeItems(b *strings.Builder, title string, items []Item) {
	var reasons []string
	labels := map[string][]string{}
	for _, item := range items {
		if labels[item.Reason] == nil {
			reasons = append(reasons, item.Reason)
		}
		labels[item.Reason] = append(labels[item.Reason], printable(item.Label))
	}
	for _, reason := range reasons {
		names, more := labels[reason], ""
		if len(names) > shown {
			names, more = names[:shown], fmt.Sprintf(" and %d more", len(names)-shown)
		}
		fmt.Fprintf(b, "%s: %s: %s%s\n", title, printable(reason), strings.Join(names, ", "), more)
	}
}

// printable keeps a stranger's text from playing with the terminal.
func printable(s string) string {
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.QuoteToGraphic(s)
	}
	return s
}
