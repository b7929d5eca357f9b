package objstore

import "strings"

// Pager builds one page of a listing out of keys in ascending byte order. It
// is for drivers that walk their keys themselves.
type Pager struct {
	q      ListQuery
	page   ListPage
	after  string // last name of the page before
	folded bool   // after is a prefix: all keys under it are done
	last   string // last name given, with its kind letter
}

// NewPager checks q. Returns Invalid for a bad limit or token.
func NewPager(q ListQuery) (*Pager, error) {
	if q.Limit == 0 {
		q.Limit = MaxList
	}
	if q.Limit < 1 || q.Limit > MaxList {
		return nil, ErrBadList
	}
	p := &Pager{q: q}
	if q.Token != "" {
		kind, name := q.Token[:1], q.Token[1:]
		if kind != "o" && kind != "p" || name == "" {
			return nil, ErrBadList
		}
		p.after, p.folded = name, kind == "p"
	}
	return p, nil
}

// From returns the least key that can stand on the page: where to begin to walk.
func (p *Pager) From() string { return max(p.q.Prefix, p.after) }

// Passed reports whether key lies before the page: it, or the prefix it folds
// into, was given on an earlier page.
func (p *Pager) Passed(key string) bool {
	return p.after != "" && (key <= p.after || p.folded && strings.HasPrefix(key, p.after))
}

// PassedUnder reports whether every key that starts with prefix was passed.
func (p *Pager) PassedUnder(prefix string) bool {
	if p.after == "" {
		return false
	}
	if p.folded && strings.HasPrefix(prefix, p.after) {
		return true
	}
	return prefix < p.after && !strings.HasPrefix(p.after, prefix)
}

// Fold returns the common prefix that key folds into, or "".
func (p *Pager) Fold(key string) string {
	if p.q.Delimiter == "" || !strings.HasPrefix(key, p.q.Prefix) {
		return ""
	}
	rest := key[len(p.q.Prefix):]
	if i := strings.Index(rest, p.q.Delimiter); i >= 0 {
		return key[:len(p.q.Prefix)+i+len(p.q.Delimiter)]
	}
	return ""
}

// Add takes the next object; describe is called only when it stands on the
// page. It returns false when the page is full: the listing goes on later.
func (p *Pager) Add(key string, describe func() (Object, bool)) bool {
	if !strings.HasPrefix(key, p.q.Prefix) || p.Passed(key) {
		return true
	}
	prefix := p.Fold(key)
	if prefix != "" && len(p.page.Prefixes) > 0 && p.page.Prefixes[len(p.page.Prefixes)-1] == prefix {
		return true
	}
	if len(p.page.Objects)+len(p.page.Prefixes) == p.q.Limit {
		p.page.Next = p.last
		return false
	}
	if prefix != "" {
		p.page.Prefixes = append(p.page.Prefixes, prefix)
		p.last = "p" + prefix
		return true
	}
	if o, ok := describe(); ok {
		p.page.Objects = append(p.page.Objects, o)
		p.last = "o" + key
	}
	return true
}

// Page is the page as built so far.
func (p *Pager) Page() ListPage { return p.page }
