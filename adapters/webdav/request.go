package webdav

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/ports"
)

// target checks a decoded path of this server and returns what lies below the
// prefix. escaped is its form on the wire.
func (x *exchange) target(path, escaped string) (string, error) {
	if len(path) > mounts.MaxPath+len(x.prefix) {
		return "", errLong
	}
	if hidesSlash(escaped) {
		return "", ports.InvalidInput("path_unclean", "path")
	}
	rest, ok := below(x.prefix, path)
	if !ok {
		return "", ports.InvalidInput("path_unclean", "path")
	}
	if _, _, err := mounts.Clean(rest); err != nil {
		return "", err
	}
	return rest, nil
}

// below cuts the prefix off a path; both the prefix and the prefix with "/" are
// the root.
func below(prefix, path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, prefix)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	if rest == "" {
		rest = "/"
	}
	return rest, true
}

// hidesSlash reports whether a path holds a slash in disguise, which would be
// one more segment to some layers and none to others.
func hidesSlash(escaped string) bool {
	return strings.Contains(escaped, "%2f") || strings.Contains(escaped, "%2F")
}

// destination reads the Destination header of COPY and MOVE. The host does not
// matter, since proxies rewrite it, but the path must lie below the prefix
// (contract §8.10).
func (x *exchange) destination() (string, error) {
	header := x.r.Header.Get("Destination")
	if header == "" {
		return "", ports.InvalidInput("destination_invalid", "Destination")
	}
	u, err := url.Parse(header)
	if err != nil || u.Opaque != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Path == "" && u.Host == "" {
		return "", ports.InvalidInput("destination_invalid", "Destination")
	}
	if u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" || (u.Scheme != "") != (u.Host != "") || u.Path != "" && u.Path[0] != '/' {
		return "", ports.InvalidInput("destination_invalid", "Destination")
	}
	if _, ok := below(x.prefix, u.Path); !ok {
		return "", errForeign
	}
	return x.target(u.Path, u.EscapedPath())
}

// depth is the Depth header: 0, 1 or infinite.
type depth int

const (
	zero depth = iota
	one
	infinite
)

// depth reads the Depth header, missing when there is none.
func (x *exchange) depth(missing depth) (depth, error) {
	switch strings.ToLower(x.r.Header.Get("Depth")) {
	case "":
		return missing, nil
	case "0":
		return zero, nil
	case "1":
		return one, nil
	case "infinity":
		return infinite, nil
	}
	return 0, ports.InvalidInput("depth_invalid", "Depth")
}

// overwrite reads the Overwrite header.
func (x *exchange) overwrite() (bool, error) {
	switch strings.ToUpper(x.r.Header.Get("Overwrite")) {
	case "", "T":
		return true, nil
	case "F":
		return false, nil
	}
	return false, ports.InvalidInput("overwrite_invalid", "Overwrite")
}

// lockTime reads the Timeout header; zero means as the server likes.
func (x *exchange) lockTime() time.Duration {
	for item := range strings.SplitSeq(x.r.Header.Get("Timeout"), ",") {
		item = strings.ToLower(strings.TrimSpace(item))
		if item == "infinite" {
			return dav.LongestLock
		}
		if text, ok := strings.CutPrefix(item, "second-"); ok {
			if n, err := strconv.ParseUint(text, 10, 63); err == nil && n > 0 {
				return time.Duration(min(n, uint64(dav.LongestLock/time.Second))) * time.Second
			}
		}
	}
	return 0
}

// conditionsOf reads the headers of RFC 9110 §13.1; a date that is none counts
// as absent (§13.1.4). If-Modified-Since and Range are for GET and HEAD, where
// Send obeys all of them.
func conditionsOf(h http.Header) mounts.Conditions {
	c := mounts.Conditions{IfMatch: strings.Join(h["If-Match"], ", "), IfNoneMatch: strings.Join(h["If-None-Match"], ", ")}
	if since, err := http.ParseTime(h.Get("If-Unmodified-Since")); err == nil {
		c.IfUnmodifiedSince = since
	}
	return c
}

// parseIf reads an If header (RFC 4918 §10.4): its lists, and the lock tokens
// it submits.
func (x *exchange) parseIf(header string) (lists []mounts.IfList, tokens []string, err error) {
	p := ifParser{rest: header}
	path, tagged := x.own(x.path), false
	for p.skip(); p.rest != ""; p.skip() {
		if p.rest[0] == '<' {
			if len(lists) > 0 && !tagged {
				return nil, nil, ports.InvalidInput("if_invalid", "If") // untagged lists come alone
			}
			tag, ok := p.between('<', '>')
			if !ok || !strings.HasPrefix(p.skip(), "(") {
				return nil, nil, ports.InvalidInput("if_invalid", "If")
			}
			path, tagged = x.tagged(tag), true
			continue
		}
		terms, ok := p.list()
		if !ok || len(lists) >= maxLists {
			return nil, nil, ports.InvalidInput("if_invalid", "If")
		}
		lists = append(lists, mounts.IfList{Path: path, Terms: terms})
		for _, term := range terms {
			if term.Token != "" {
				tokens = append(tokens, term.Token)
			}
		}
	}
	if len(lists) == 0 {
		return nil, nil, ports.InvalidInput("if_invalid", "If")
	}
	return lists, tokens, nil
}

// Bounds of If headers; the size of the header bounds them too.
const (
	maxLists = 100
	maxTerms = 100
)

// own is the canonical form of a path that was found clean.
func (x *exchange) own(path string) string {
	clean, _, err := mounts.Clean(path)
	if err != nil {
		return ""
	}
	return clean
}

// tagged is the canonical path of a resource tag; empty for what lies outside.
func (x *exchange) tagged(tag string) string {
	u, err := url.Parse(tag)
	if err != nil || hidesSlash(u.EscapedPath()) {
		return ""
	}
	rest, ok := below(x.prefix, u.Path)
	if !ok {
		return ""
	}
	if clean := x.own(rest); clean != x.own(x.asked) {
		return clean
	}
	return x.own(x.path)
}

type ifParser struct{ rest string }

// skip passes over white space and returns what follows.
func (p *ifParser) skip() string {
	p.rest = strings.TrimLeft(p.rest, " \t")
	return p.rest
}

// between takes what stands between two marks at the front.
func (p *ifParser) between(open, end byte) (string, bool) {
	if p.rest == "" || p.rest[0] != open {
		return "", false
	}
	i := strings.IndexByte(p.rest, end)
	if i < 0 {
		return "", false
	}
	text := p.rest[1:i]
	p.rest = p.rest[i+1:]
	return text, text != ""
}

// list takes one parenthesized list.
func (p *ifParser) list() (terms []mounts.IfTerm, ok bool) {
	if p.rest[0] != '(' {
		return nil, false
	}
	p.rest = p.rest[1:]
	for {
		switch rest := p.skip(); {
		case rest == "" || len(terms) > maxTerms:
			return nil, false
		case rest[0] == ')':
			p.rest = rest[1:]
			return terms, len(terms) > 0
		}
		term, ok := p.term()
		if !ok {
			return nil, false
		}
		terms = append(terms, term)
	}
}

func (p *ifParser) term() (term mounts.IfTerm, ok bool) {
	if len(p.rest) > 3 && strings.EqualFold(p.rest[:3], "not") {
		term.Not = true
		p.rest = p.rest[3:]
		p.skip()
	}
	if strings.HasPrefix(p.rest, "<") {
		term.Token, ok = p.between('<', '>')
		return term, ok && strings.Contains(term.Token, ":")
	}
	tag, ok := p.between('[', ']')
	if !ok {
		return term, false
	}
	if strings.HasPrefix(tag, "W/") {
		return term, true // weak tags fit nothing
	}
	if len(tag) < 2 || tag[0] != '"' || tag[len(tag)-1] != '"' {
		return term, false
	}
	term.ETag = tag[1 : len(tag)-1]
	return term, true
}
