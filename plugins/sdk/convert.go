package sdk

import (
	"strings"
	"time"
	"unicode/utf8"

	"pasteport/plugins/sdk/proto/storagev1"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

func toEntry(o objstore.Object) *storagev1.Entry {
	return &storagev1.Entry{
		Key: []byte(o.Key), Size: o.Size, Etag: valid(o.ETag), ContentType: valid(o.ContentType), ModTimeUnixMs: o.ModTime.UnixMilli(),
	}
}

// toEntries is toEntry for a page, which has a thousand of them: two pieces of
// memory for all.
func toEntries(objects []objstore.Object) []*storagev1.Entry {
	size := 0
	for i := range objects {
		size += len(objects[i].Key)
	}
	keys, rows := make([]byte, 0, size), make([]storagev1.Entry, len(objects))
	entries := make([]*storagev1.Entry, len(objects))
	for i := range objects {
		o, e, start := &objects[i], &rows[i], len(keys)
		keys = append(keys, o.Key...)
		e.Key, e.Size, e.Etag, e.ContentType, e.ModTimeUnixMs = keys[start:len(keys):len(keys)], o.Size, valid(o.ETag), valid(o.ContentType), o.ModTime.UnixMilli()
		entries[i] = e
	}
	return entries
}

// valid keeps a driver's bytes from failing the whole message.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// fromEntry checks what a driver says of an object: it goes into headers and
// database rows.
func fromEntry(e *storagev1.Entry) (objstore.Object, error) {
	if e.GetSize() < 0 || len(e.GetKey()) == 0 {
		return objstore.Object{}, &ports.Error{Code: ports.BadGateway, Key: "storage_unavailable", Text: "driver_answer_invalid"}
	}
	return objstore.Object{
		Key: string(e.GetKey()), Size: e.GetSize(), ETag: headerText(e.GetEtag()), ContentType: headerText(e.GetContentType()),
		ModTime: time.UnixMilli(e.GetModTimeUnixMs()).UTC(),
	}, nil
}

// headerText drops what may not stand in a header.
func headerText(s string) string {
	if plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == '"' && !strings.Contains(s, "=") {
			return -1
		}
		return r
	}, s)
}

// plain reports whether a text holds nothing that headerText looks for.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == 0x7f {
			return false
		}
	}
	return true
}

func fromEntries(entries []*storagev1.Entry) ([]objstore.Object, error) {
	objects := make([]objstore.Object, len(entries))
	for i, e := range entries {
		o, err := fromEntry(e)
		if err != nil {
			return nil, err
		}
		objects[i] = o
	}
	return objects, nil
}

func toPart(p objstore.Part) *storagev1.Part {
	part := &storagev1.Part{Number: int32(p.Number), Etag: valid(p.ETag), Size: p.Size}
	if !p.ModTime.IsZero() {
		part.ModTimeUnixMs = p.ModTime.UnixMilli()
	}
	return part
}

func fromPart(p *storagev1.Part) objstore.Part {
	part := objstore.Part{Number: int(p.GetNumber()), ETag: headerText(p.GetEtag()), Size: p.GetSize()}
	if at := p.GetModTimeUnixMs(); at != 0 {
		part.ModTime = time.UnixMilli(at).UTC()
	}
	return part
}

// capabilities pairs the wire's names with the fields of Features.
var capabilities = []struct {
	wire storagev1.Capability
	get  func(*objstore.Features) *bool
}{
	{storagev1.Capability_LINK_HTTP, func(f *objstore.Features) *bool { return &f.HTTPLinks }},
	{storagev1.Capability_LINK_LOCAL, func(f *objstore.Features) *bool { return &f.LocalLinks }},
	{storagev1.Capability_MULTIPART, func(f *objstore.Features) *bool { return &f.Multipart }},
	{storagev1.Capability_SERVER_COPY, func(f *objstore.Features) *bool { return &f.ServerCopy }},
	{storagev1.Capability_PART_COPY, func(f *objstore.Features) *bool { return &f.PartCopy }},
	{storagev1.Capability_NATIVE_MOVE, func(f *objstore.Features) *bool { return &f.NativeMove }},
	{storagev1.Capability_RANGE, func(f *objstore.Features) *bool { return &f.Range }},
	{storagev1.Capability_USAGE, func(f *objstore.Features) *bool { return &f.Usage }},
	{storagev1.Capability_VERSIONED_DELETE, func(f *objstore.Features) *bool { return &f.VersionedDelete }},
	{storagev1.Capability_CORS_ADMIN, func(f *objstore.Features) *bool { return &f.CORSAdmin }},
	{storagev1.Capability_BROWSER_UPLOAD, func(f *objstore.Features) *bool { return &f.BrowserUpload }},
	{storagev1.Capability_STREAM, func(f *objstore.Features) *bool { return &f.Stream }},
	{storagev1.Capability_CONDITIONAL_PUT, func(f *objstore.Features) *bool { return &f.ConditionalWrite }},
}

func toDescription(i objstore.Info) *storagev1.DescribeResponse {
	d := &storagev1.DescribeResponse{
		Name: i.Name, Label: i.Label, StorageType: i.StorageType, Version: i.Version,
		Limits: &storagev1.Limits{
			MinPart: i.Limits.MinPart, MaxPart: i.Limits.MaxPart, MaxParts: int32(i.Limits.MaxParts), EqualParts: i.Limits.EqualParts,
			MaxSinglePut: i.Limits.MaxPut, MaxSingleCopy: i.Limits.MaxCopy, MaxKeyBytes: int32(i.Limits.MaxKey),
			MaxDeleteBatch: int32(i.Limits.MaxDeleteBatch), MaxLinkSeconds: int64(i.Limits.MaxLink / time.Second),
		},
	}
	for _, c := range capabilities {
		if *c.get(&i.Features) {
			d.Capabilities = append(d.Capabilities, c.wire)
		}
	}
	for _, f := range i.Fields {
		field := &storagev1.Field{
			Key: f.Key, Label: f.Label, Help: f.Help, Type: f.Type, Required: f.Required, Secret: f.Secret, Default: f.Default,
		}
		for _, o := range f.Options {
			field.Options = append(field.Options, &storagev1.Option{Value: o.Value, Label: o.Label})
		}
		d.Fields = append(d.Fields, field)
	}
	return d
}

func fromDescription(d *storagev1.DescribeResponse) objstore.Info {
	l := d.GetLimits()
	i := objstore.Info{
		Name: d.GetName(), Label: d.GetLabel(), StorageType: d.GetStorageType(), Version: d.GetVersion(),
		Limits: objstore.Limits{
			MinPart: l.GetMinPart(), MaxPart: l.GetMaxPart(), MaxParts: int(l.GetMaxParts()), EqualParts: l.GetEqualParts(),
			MaxPut: l.GetMaxSinglePut(), MaxCopy: l.GetMaxSingleCopy(), MaxKey: int(l.GetMaxKeyBytes()),
			MaxDeleteBatch: int(l.GetMaxDeleteBatch()), MaxLink: time.Duration(l.GetMaxLinkSeconds()) * time.Second,
		},
	}
	for _, has := range d.GetCapabilities() {
		for _, c := range capabilities {
			if c.wire == has {
				*c.get(&i.Features) = true
			}
		}
	}
	for _, f := range d.GetFields() {
		field := objstore.Field{
			Key: f.GetKey(), Label: f.GetLabel(), Help: f.GetHelp(), Type: f.GetType(), Required: f.GetRequired(), Secret: f.GetSecret(), Default: f.GetDefault(),
		}
		for _, o := range f.GetOptions() {
			field.Options = append(field.Options, objstore.Option{Value: o.GetValue(), Label: o.GetLabel()})
		}
		i.Fields = append(i.Fields, field)
	}
	return i
}

var verbs = []struct {
	verb objstore.Verb
	wire storagev1.Verb
}{
	{objstore.VerbGet, storagev1.Verb_GET}, {objstore.VerbHead, storagev1.Verb_HEAD},
	{objstore.VerbPut, storagev1.Verb_PUT}, {objstore.VerbPart, storagev1.Verb_PART},
}

func toLinkRequest(handle string, r objstore.SignRequest) *storagev1.LinkRequest {
	wire := &storagev1.LinkRequest{
		Handle: handle, Key: []byte(r.Key), TtlMs: r.TTL.Milliseconds(), ContentType: r.ContentType, ContentLength: r.Size,
		ContentDisposition: r.Disposition, UploadId: r.UploadID, PartNumber: int32(r.PartNumber), Audience: storagev1.Audience_CORE,
	}
	if r.Audience == objstore.Browser {
		wire.Audience = storagev1.Audience_BROWSER
	}
	for _, v := range verbs {
		if v.verb == r.Verb {
			wire.Verb = v.wire
		}
	}
	return wire
}

func fromLinkRequest(wire *storagev1.LinkRequest) objstore.SignRequest {
	r := objstore.SignRequest{
		Key: string(wire.GetKey()), TTL: time.Duration(wire.GetTtlMs()) * time.Millisecond, ContentType: wire.GetContentType(),
		Size: wire.GetContentLength(), Disposition: wire.GetContentDisposition(), UploadID: wire.GetUploadId(),
		PartNumber: int(wire.GetPartNumber()), Audience: objstore.Server,
	}
	if wire.GetAudience() == storagev1.Audience_BROWSER {
		r.Audience = objstore.Browser
	}
	for _, v := range verbs {
		if v.wire == wire.GetVerb() {
			r.Verb = v.verb
		}
	}
	return r
}
