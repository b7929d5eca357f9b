package shares_test

import (
	"strings"
	"testing"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
)

func TestAdoptedSharesObeyTheRulesOfNewOnes(t *testing.T) {
	paste := func(change func(*shares.Paste)) error {
		p := shares.Paste{Slug: "s", Content: []byte("x")}
		change(&p)
		return p.CheckAdopted()
	}
	file := func(change func(*shares.File)) error {
		f := shares.File{Slug: "s", Filename: "a.txt", StoragePath: "in/a.txt"}
		change(&f)
		return f.CheckAdopted()
	}
	for name, c := range map[string]struct {
		err error
		ok  bool
	}{
		"a paste":             {paste(func(*shares.Paste) {}), true},
		"a reserved link":     {paste(func(p *shares.Paste) { p.Slug = "admin" }), true},
		"the longest link":    {paste(func(p *shares.Paste) { p.Slug = strings.Repeat("x", naming.MaxSlug) }), true},
		"a link too long":     {paste(func(p *shares.Paste) { p.Slug = strings.Repeat("x", naming.MaxSlug+1) }), false},
		"an unclean link":     {paste(func(p *shares.Paste) { p.Slug = "a/b" }), false},
		"no content":          {paste(func(p *shares.Paste) { p.Content = nil }), false},
		"content too large":   {paste(func(p *shares.Paste) { p.Content = make([]byte, shares.MaxContent+1) }), false},
		"negative view limit": {paste(func(p *shares.Paste) { p.MaxViews = -1 }), false},
		"a file":              {file(func(*shares.File) {}), true},
		"a name with blanks":  {file(func(f *shares.File) { f.Filename = "报告 1.pdf" }), true},
		"no name":             {file(func(f *shares.File) { f.Filename = "" }), false},
		"a name with escape":  {file(func(f *shares.File) { f.Filename = "a\x1b.txt" }), false},
		"a key that climbs":   {file(func(f *shares.File) { f.StoragePath = "in/../../x" }), false},
		"an absolute key":     {file(func(f *shares.File) { f.StoragePath = "/x" }), false},
		"a negative size":     {file(func(f *shares.File) { f.Size = -1 }), false},
	} {
		if c.ok && c.err != nil || !c.ok && !ports.Is(c.err, ports.Invalid) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}
