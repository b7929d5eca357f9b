package webdav

import (
	"fmt"
	"strings"
	"testing"

	"pasteport/domain/mounts/dav"
	"pasteport/ports"
)

// A small body must not grow to much work or a large answer (security rule W4).
func TestSecurityW4_SmallBodiesStaySmall(t *testing.T) {
	update := func(head, inside string) string {
		return `<D:propertyupdate xmlns:D="DAV:"` + head + `><D:set><D:prop>` + inside + `</D:prop></D:set></D:propertyupdate>`
	}
	long := strings.Repeat("n", 200<<10)
	var declared, attributes strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&declared, ` xmlns:n%d="u"`, i)
		fmt.Fprintf(&attributes, ` p:a%d=""`, i)
	}
	for name, body := range map[string]string{
		"a long namespace for many elements":   update(` xmlns:p="`+long+`"`, strings.Repeat(`<x xmlns="y"><p:x/></x>`, 1900)),
		"a long namespace for many attributes": update(` xmlns:p="`+long+`"`, `<x`+attributes.String()+`/>`),
		"many attributes":                      update(` xmlns:p="u"`, `<x`+attributes.String()+`/>`),
		"a long language":                      update(` xml:lang="`+long+`"`, strings.Repeat(`<x xmlns="y"/>`, 900)),
		"many namespaces, declared once more":  update(declared.String(), strings.Repeat(`<x xmlns:z="y"/>`, 3000)),
		"deep":                                 update("", strings.Repeat("<x>", 40)+strings.Repeat("</x>", 40)),
		"many elements":                        update("", strings.Repeat("<x/>", 5000)),
		"a document type":                      `<!DOCTYPE x [<!ENTITY a "b">]>` + update("", `<x>&a;</x>`),
		"an entity":                            update("", `<x xmlns="y">&a;</x>`),
		"another encoding":                     `<?xml version="1.0" encoding="utf-16"?>` + update("", `<x xmlns="y"/>`),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFrame(t)
			f.bucket.Put("f", "x")
			status, answer := f.call("PROPPATCH", "/m/f", body)
			if status != -int(ports.Invalid) {
				t.Errorf("got %d with %d bytes, want a refusal", status, len(answer))
			}
		})
	}
	f := newFrame(t)
	f.bucket.Put("f", "x")
	if status, answer := f.call("PROPPATCH", "/m/f", update(` xml:lang="de" xmlns:p="urn:p"`, strings.Repeat(`<p:x p:a="1"/>`, 100))); status != 207 || !strings.Contains(answer, "200 OK") {
		t.Errorf("an ordinary body: %d %s", status, answer)
	}
}

func FuzzIf(f *testing.F) {
	for _, seed := range []string{"(<urn:x>)", `([“x”])`, `(Not <DAV:no-lock>) (["a"])`, "</base/dav/m> (<a:b>)", "((", "<>()", "()", "(<a:b>", `([W/"x"])`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		x := &exchange{prefix: "/base/dav", path: "/m/f", asked: "/m/f"}
		lists, tokens, err := x.parseIf(header)
		if (err == nil) != (len(lists) > 0) || len(lists) > maxLists {
			t.Fatalf("%q: %d lists, %v", header, len(lists), err)
		}
		for _, l := range lists {
			if len(l.Terms) == 0 || len(l.Terms) > maxTerms+1 || strings.Contains(l.Path, "/../") {
				t.Fatalf("%q: %+v", header, l)
			}
		}
		for _, token := range tokens {
			if !strings.Contains(token, ":") {
				t.Fatalf("%q: token %q", header, token)
			}
		}
	})
}

// Dead properties take neither disk nor memory without end, and a folder whose
// properties are not held in memory shows them all the same.
func TestContract8_12_DeadPropertiesStaySmall(t *testing.T) {
	f := newFrame(t)
	set := func(path, name string) (int, string) {
		return f.call("PROPPATCH", path, `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><`+name+` xmlns="urn:x">`+strings.Repeat("v", 60_000)+`</`+name+`></D:prop></D:set></D:propertyupdate>`)
	}
	const files = 40
	for i := range files {
		path := fmt.Sprintf("/m/d/%d", i)
		f.bucket.Put(path[len("/m/"):], "x")
		for _, name := range []string{"a", "b"} {
			if status, answer := set(path, name); status != 207 || !strings.Contains(answer, "200 OK") {
				t.Fatalf("%s of %s: %d %s", name, path, status, answer)
			}
		}
	}
	if status, answer := set("/m/d/0", "c"); status != 207 || !strings.Contains(answer, "507 Insufficient Storage") {
		t.Errorf("a third one: %d %s", status, answer)
	}
	for range 2 { // the second time the folder is known
		status, answer := f.call("PROPFIND", "/m/d", `<propfind xmlns="DAV:"><prop><a xmlns="urn:x"/></prop></propfind>`, "Depth", "1")
		if status != 207 || strings.Count(answer, "vvv</a>") != files {
			t.Fatalf("%d with %d of %d properties", status, strings.Count(answer, "vvv</a>"), files)
		}
	}
}

// One property that is too large: the others are told that it is why (RFC 4918 §9.2.1).
func TestOnePropertyThatIsTooLargeNamesItself(t *testing.T) {
	f := newFrame(t)
	f.bucket.Put("f", "x")
	large := `<big xmlns="urn:x">` + strings.Repeat("v", dav.MaxProperty) + `</big>`
	status, answer := f.call("PROPPATCH", "/m/f", `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><small xmlns="urn:x">1</small>`+large+`<D:getetag>1</D:getetag></D:prop></D:set></D:propertyupdate>`)
	for _, part := range []string{
		`<D:prop><small xmlns="urn:x"/></D:prop><D:status>HTTP/1.1 424 Failed Dependency</D:status>`,
		`<D:prop><big xmlns="urn:x"/></D:prop><D:status>HTTP/1.1 507 Insufficient Storage</D:status>`,
		`<D:prop><D:getetag/></D:prop><D:status>HTTP/1.1 403 Forbidden</D:status><D:error><D:cannot-modify-protected-property/></D:error>`,
	} {
		if status != 207 || !strings.Contains(answer, part) {
			t.Errorf("%d %s\nhas no %s", status, answer, part)
		}
	}
	if _, answer := f.call("PROPFIND", "/m/f", "", "Depth", "0"); strings.Contains(answer, "small") {
		t.Errorf("the others were stored: %s", answer)
	}
	status, answer = f.call("PROPPATCH", "/m/f", `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop>`+large+`</D:prop></D:set><D:set><D:prop><big xmlns="urn:x">1</big></D:prop></D:set></D:propertyupdate>`)
	if status != 207 || !strings.Contains(answer, "200 OK") {
		t.Errorf("the last word on it was small: %d %s", status, answer)
	}
}
