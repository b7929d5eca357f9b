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
	if len(p.refused) == 0 {
		err := h.Resources.Patch(x.r.Context(), x.caller, x.path, p.set, p.remove)
		if !ports.Is(err, ports.Quota) {
			if err != nil {
				return err
			}
			return x.patched(p, "200 OK", "", nil)
		}
		return x.patched(p, "507 Insufficient Storage", "", nil)
	}
	if err := h.Resources.Patch(x.r.Context(), x.caller, x.path, nil, nil); err != nil { // may it, and is it there?
		return err
	}
	return x.patched(p, "424 Failed Dependency", "403 Forbidden", p.refused)
}

// patch is what a PROPPATCH wants, the last word on each property.
type patch struct {
	set     []dav.Property
	remove  []dav.PropertyName
	names   []dav.PropertyName // all, in order
	refused []dav.PropertyName // live ones
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
	p.set = slices.DeleteFunc(p.set, func(s dav.Property) bool { return s.Space == e.space && s.Name == e.name })
	p.remove = slices.DeleteFunc(p.remove, func(n dav.PropertyName) bool { return n == name })
	if set {
		p.set = append(p.set, dav.Property{Space: e.space, Name: e.name, XML: e.whole()})
	} else {
		p.remove = append(p.remove, name)
	}
}

// patched answers a PROPPATCH: the refused properties with their status, all
// others with the other one.
func (x *exchange) patched(p *patch, status, refusedStatus string, refused []dav.PropertyName) error {
	return x.multistatus(func(out *multistatus) error {
		folder := len(x.path) > 0 && x.path[len(x.path)-1] == '/' && x.path != "/"
		b := append(out.b, "<D:response>"+x.href(x.own(x.path), folder)...)
		var others []byte
		for _, name := range p.names {
			if !slices.Contains(refused, name) {
				others = append(others, newProp(name.Space, name.Name).empty...)
			}
		}
		if len(others) > 0 {
			b = append(append(append(b, "<D:propstat><D:prop>"...), others...), "</D:prop><D:status>HTTP/1.1 "+status+"</D:status></D:propstat>"...)
		}
		if len(refused) > 0 {
			b = append(b, "<D:propstat><D:prop>"...)
			for _, name := range refused {
				b = append(b, newProp(name.Space, name.Name).empty...)
			}
			b = append(b, "</D:prop><D:status>HTTP/1.1 "+refusedStatus+"</D:status><D:error><D:cannot-modify-protected-property/></D:error></D:propstat>"...)
		}
		return out.take(append(b, "</D:response>"...))
	})
}
