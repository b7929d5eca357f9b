package notify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"

	"pasteport/domain/events"
	"pasteport/ports/event"
)

// text is a message for people.
type text struct {
	Language string
	Site     string // title of the site
	Title    string // one sentence
	Intro    string // more of it; may be empty
	Brief    string // all of it in one line
	Lines    []line
	Page     string // of the site that says more, from its root; empty for none
	Link     string // to it; empty for none
	Why      string // why they are told
}

type line struct{ Label, Value string }

// subject is the title with the site before it.
func (t text) subject() string { return "[" + cut(t.Site, 60) + "] " + t.Title }

// body is what stands below the title, as lines.
func (t text) body() string {
	var lines []string
	if t.Intro != "" {
		lines = append(lines, t.Intro)
	}
	for _, l := range t.Lines {
		lines = append(lines, l.Label+": "+l.Value)
	}
	return strings.Join(lines, "\n")
}

const (
	maxValue = 200 // characters of what somebody else has written
	maxName  = 80  // in a title
	maxBrief = 500
	maxNames = 10 // of one kind in a digest
)

// compose writes a message in a language; English where there is none.
func (s *Sender) compose(language string, m events.Message) text {
	if language != "zh" {
		language = "en"
	}
	in := words[language]
	site := "Pasteport"
	if s.site.Title != nil {
		site = cut(plain(s.site.Title()), maxName)
	}
	out := text{Language: language, Site: site, Why: fmt.Sprintf(in.why, site)}
	if m.Kind == event.Digest {
		s.gathered(&out, m, in)
	} else {
		s.single(&out, m, in)
	}
	if s.site.Address != "" && out.Page != "" {
		out.Link = s.site.Address + out.Page
	}
	return out
}

// kindOf is how a kind is told; all of the audit log alike.
func (w wording) kindOf(kind event.Kind) told {
	if told, known := w.kinds[string(kind)]; known {
		return told
	}
	return w.kinds[event.AuditPrefix]
}

// gathered tells what a digest holds: a line for each kind.
func (s *Sender) gathered(out *text, m events.Message, in wording) {
	var digest events.Digest
	// One that cannot be read has nothing to tell of.
	_ = json.Unmarshal(m.Data, &digest)
	since := minute(digest.Since)
	out.Title = fmt.Sprintf(in.many, digest.Count, since)
	if digest.Count == 1 {
		out.Title = fmt.Sprintf(in.one, since)
	}
	var brief []string
	for _, kind := range digest.Kinds {
		told := in.kindOf(kind.Kind)
		label := told.title
		if action, audit := strings.CutPrefix(string(kind.Kind), event.AuditPrefix); audit {
			label = fmt.Sprintf(told.named, plain(action))
		}
		value := strconv.Itoa(kind.Count)
		brief = append(brief, label+": "+value)
		if names := in.names(kind); names != "" {
			value += " · " + names
		}
		out.Lines = append(out.Lines, line{label, value})
		out.Page = cmp.Or(out.Page, told.page)
	}
	out.Brief = cut(out.Title+" · "+strings.Join(brief, " · "), maxBrief)
}

// names are what the events of a kind happened to, and how often.
func (w wording) names(kind events.Counted) string {
	var names []string
	told := 0
	for _, s := range kind.Subjects {
		name := cut(plain(s.Name), maxName)
		if name == "" || len(names) == maxNames {
			continue
		}
		told += s.Count
		if s.Count > 1 {
			name = fmt.Sprintf(w.times, name, s.Count)
		} else {
			name = fmt.Sprintf("“%s”", name)
		}
		names = append(names, name)
	}
	if len(names) > 0 && told < kind.Count {
		names = append(names, "…")
	}
	return strings.Join(names, w.join)
}

// single tells of one event, or of one that happened several times.
func (s *Sender) single(out *text, m events.Message, in wording) {
	var data map[string]json.RawMessage
	// A body that is no object has no fields to tell of.
	_ = json.Unmarshal(m.Data, &data)
	f := fields{data, in}
	told := in.kindOf(m.Kind)
	if name := cut(f.text(told.name), maxName); name == "" {
		out.Title = told.title
	} else {
		out.Title = fmt.Sprintf(told.named, name)
	}
	out.Brief = out.Title
	if m.Times > 1 && told.often != "" {
		out.Brief += fmt.Sprintf(" (%s: %d)", told.often, m.Times)
		out.Lines = append(out.Lines, line{told.often, strconv.Itoa(m.Times)})
	}
	for _, field := range told.fields {
		if m.Times > 1 && told.often != "" {
			break // they are of the first time alone
		}
		if value := f.said(field); value != "" {
			out.Lines = append(out.Lines, line{in.fields[field], value})
		}
	}
	out.Lines = append(out.Lines, line{in.fields["time"], minute(m.At)})
	out.Page = told.page
}

func minute(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// fields are the data of an event.
type fields struct {
	data map[string]json.RawMessage
	in   wording
}

// text is a field as one line that is no link and no mark-up.
func (f fields) text(name string) string {
	var value any
	if json.Unmarshal(f.data[name], &value) != nil {
		return ""
	}
	switch v := value.(type) {
	case string:
		return plain(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// said is a field as a message says it; empty where there is nothing to say.
func (f fields) said(name string) string {
	value := f.text(name)
	switch name {
	case "size":
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			return humanize.IBytes(n)
		}
	case "views":
		if most := f.text("max_views"); value != "" && most != "" && most != "0" {
			return fmt.Sprintf(f.in.of, value, most)
		}
	case "problem", "outcome", "state", "reason":
		if known, ok := f.in.values[value]; ok {
			return known
		}
	case "client_ip", "network":
		return f.raw(name) // written by the server
	case "expires_at":
		if at, err := time.Parse(time.RFC3339, f.raw(name)); err == nil {
			return minute(at)
		}
	}
	return cut(value, maxValue)
}

// raw is a field that holds a text, as it is.
func (f fields) raw(name string) string {
	var value string
	// What is no text reads as none.
	_ = json.Unmarshal(f.data[name], &value)
	return value
}

// plain makes one harmless line of what somebody else has written: no control and no
// invisible characters, none that turn the direction of writing, and nothing that a
// program for mail or a phone takes for an address and makes a link of: after each
// mark that addresses need stands a word joiner (U+2060), which nobody sees.
func plain(value string) string {
	var out strings.Builder
	space := false
	for _, r := range strings.ToValidUTF8(value, "\uFFFD") {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = out.Len() > 0
			continue
		}
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Variation_Selector, r) {
			continue
		}
		if space {
			out.WriteByte(' ')
			space = false
		}
		out.WriteRune(r)
		switch r {
		case '.', ':', '/', '@', '。', '．', '：', '／', '＠', '｡':
			out.WriteRune('\u2060')
		}
	}
	return out.String()
}

// cut shortens a text to so many characters.
func cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return strings.TrimSpace(string(runes[:most-1])) + "…"
}
