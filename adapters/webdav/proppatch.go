package webdav

import (
	"slices"

	"pasteport/domain/mounts/dav"
	"pasteport/ports"
)

// proppatch answers PROPPATCH: all instructions take effect or none does
// (contract §8.12).
func (h *Handler) proppatch(x *exchange) error {
	root, err := x.readXML()
	if err != nil {
		return err
	}
	p, err := readPatch(root)
	if err != nil {
		return err
	}
	if len(p.refused)+len(p.large) == 0 {
		err := h.Resources.Patch(x.r.Context(), x.caller, x.path, p.set, p.remove)
		if !ports.Is(err, ports.Quota) {
			if err != nil {
				return err
			}
			return x.patched(p, "200 OK")
		}
		return x.patched(p, "507 Insufficient Storage")
	}
	if err := h.Resources.Patch(x.r.Context(), x.caller, x.path, nil, nil); err != nil { // may it, and is it there?
		return err
	}
	return x.patched(p, "424 Failed Dependency")
}

// patch is what a PROPPATCH wants, the last word on each property.
type patch struct {
	set     []dav.Property
	remove  []dav.PropertyName
	names   []dav.PropertyName // all, in order
	refused []dav.PropertyName // live ones
	large   []dav.PropertyName // of more bytes than one may have
}

func readPatch(root *element) (*patch, error) {
	if root == nil || !root.is("propertyupdate") {
		return nil, errXML
	}
	p := &patch{}
	for _, do := range root.elements() {
		if !do.is("set") && !do.is("remove") {
			continue
		}
		for _, holder := range do.elements() {
			if !holder.is("prop") {
				continue
			}
			for _, e := range holder.elements() {
				p.instruct(e, do.is("set"))
			}
		}
	}
	if len(p.names) == 0 || len(p.names) > maxProps {
		return nil, errXML
	}
	return p, nil
}

func (p *patch) instruct(e *element, set bool) {
	name := dav.PropertyName{Space: e.space, Name: e.name}
	if !slices.Contains(p.names, name) {
		p.names = append(p.names, name)
	}
	if liveNamed(e.space, e.name) != nil || e.space == dav.OwnSpace {
		if !slices.Contains(p.refused, name) {
			p.refused = append(p.refused, name)
		}
		return
	}
	is := func(n dav.PropertyName) bool { return n == name }
	p.set = slices.DeleteFunc(p.set, func(s dav.Property) bool { return s.Space == e.space && s.Name == e.name })
	p.remove, p.large = slices.DeleteFunc(p.remove, is), slices.DeleteFunc(p.large, is)
	switch whole := e.whole(); {
	case !set:
		p.remove = append(p.remove, name)
	case len(whole) > dav.MaxProperty:
		p.large = append(p.large, name)
	default:
		p.set = append(p.set, dav.Property{Space: e.space, Name: e.name, XML: whole})
	}
}

// patched answers a PROPPATCH: what was refused says why, all else has the status.
func (x *exchange) patched(p *patch, status string) error {
	return x.multistatus(func(out *multistatus) error {
		folder := len(x.path) > 0 && x.path[len(x.path)-1] == '/' && x.path != "/"
		b := append(out.b, "<D:response>"+x.href(x.own(x.path), folder)...)
		others := slices.DeleteFunc(slices.Clone(p.names), func(n dav.PropertyName) bool { return slices.Contains(p.refused, n) || slices.Contains(p.large, n) })
		b = appendOutcome(b, others, status, "")
		b = appendOutcome(b, p.large, "507 Insufficient Storage", "")
		b = appendOutcome(b, p.refused, "403 Forbidden", "<D:error><D:cannot-modify-protected-property/></D:error>")
		return out.take(append(b, "</D:response>"...))
	})
}

// appendOutcome says what became of properties.
func appendOutcome(b []byte, of []dav.PropertyName, status, why string) []byte {
	if len(of) == 0 {
		return b
	}
	b = append(b, "<D:propstat><D:prop>"...)
	for _, name := range of {
		b = append(b, newProp(name.Space, name.Name).empty...)
	}
	return append(b, "</D:prop><D:status>HTTP/1.1 "+status+"</D:status>"+why+"</D:propstat>"...)
}
