package webapp

import (
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// codeNonce stands in ready code for the nonce of the page it goes into.
const codeNonce = "__CODE_NONCE__"

// customCode is the administrator's own HTML of all public pages. It is code
// and may do what it likes there; the administrator has put it in. What is
// made sure of is only that a slip in it does not swallow the page.
type customCode struct {
	source [2]string // as it was written: head and body
	head   string
	body   string
	// origins are the sites that its scripts come from; they may be talked to.
	origins []string
}

// readyCode makes head and body ready for pages.
func readyCode(head, body string) *customCode {
	code := &customCode{source: [2]string{head, body}}
	code.head = code.ready(head)
	code.body = code.ready(body)
	return code
}

// swallowing are the elements whose end tag, when it is missing, takes the
// rest of the page with them.
var swallowing = map[string]bool{
	"script": true, "style": true, "title": true, "textarea": true, "iframe": true, "noscript": true, "noembed": true, "noframes": true,
	"xmp": true, "template": true, "svg": true, "math": true, "select": true, "object": true, "button": true, "a": true, "form": true,
}

// dropped are the elements of which a page has one already, and the one that
// has no end.
var dropped = map[string]bool{"html": true, "head": true, "body": true, "plaintext": true, "base": true}

// ready gives scripts and styles the nonce, leaves out comments and what a page
// has already, and closes what was left open.
func (c *customCode) ready(source string) string {
	var b strings.Builder
	var open []string
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				return "" // a reader of a string has no other end
			}
			for _, name := range slices.Backward(open) {
				b.WriteString("</" + name + ">")
			}
			return b.String()
		case html.TextToken:
			b.Write(z.Raw())
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := string(z.Raw())
			tag := z.Token()
			switch {
			case dropped[tag.Data]:
			case tag.Data == "script" || tag.Data == "style" || tag.Data == "link":
				b.WriteString(c.withNonce(tag))
			default:
				b.WriteString(raw)
			}
			if kind == html.StartTagToken && swallowing[tag.Data] {
				open = append(open, tag.Data)
			}
		case html.EndTagToken:
			raw := string(z.Raw())
			tag := z.Token()
			at := len(open) - 1
			for at >= 0 && open[at] != tag.Data {
				at--
			}
			if at >= 0 {
				open = slices.Delete(open, at, at+1)
			}
			if !dropped[tag.Data] && (at >= 0 || !swallowing[tag.Data]) {
				b.WriteString(raw)
			}
		}
	}
}

// withNonce writes a tag with the page's nonce in the place of any other.
func (c *customCode) withNonce(tag html.Token) string {
	tag.Type = html.StartTagToken
	tag.Attr = slices.DeleteFunc(tag.Attr, func(a html.Attribute) bool { return a.Key == "nonce" })
	for _, a := range tag.Attr {
		if tag.Data != "script" || a.Key != "src" {
			continue
		}
		if u, err := url.Parse(strings.TrimSpace(a.Val)); err == nil && u.Host != "" {
			if u.Scheme == "" {
				u.Scheme = "https"
			}
			if origin := u.Scheme + "://" + u.Host; originForm.MatchString(origin) && !slices.Contains(c.origins, origin) {
				c.origins = append(c.origins, origin)
			}
		}
	}
	tag.Attr = append(tag.Attr, html.Attribute{Key: "nonce", Val: codeNonce})
	return tag.String()
}

// into puts the code into a page that is otherwise whole.
func (c *customCode) into(page, nonce string) string {
	if at := strings.Index(page, "</head>"); at >= 0 && c.head != "" {
		page = page[:at] + strings.ReplaceAll(c.head, codeNonce, nonce) + "\n" + page[at:]
	}
	if at := strings.LastIndex(page, "</body>"); at >= 0 && c.body != "" {
		page = page[:at] + strings.ReplaceAll(c.body, codeNonce, nonce) + "\n" + page[at:]
	}
	return page
}

// customCode returns the administrator's code; nil where there is none.
func (web *Web) customCode() *customCode {
	if web.opts.Code == nil {
		return nil
	}
	head, body := web.opts.Code()
	if strings.TrimSpace(head) == "" && strings.TrimSpace(body) == "" {
		return nil
	}
	if known := web.code.Load(); known != nil && known.source == [2]string{head, body} {
		return known
	}
	code := readyCode(head, body)
	web.code.Store(code)
	return code
}
