package webdav

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pasteport/plugins/filetree"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// maxAnswer bounds an answer that describes a folder, in bytes: about a hundred
// thousand files.
const maxAnswer = 128 << 20

const wanted = xml.Header + `<D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:getcontentlength/><D:getlastmodified/><D:getetag/></D:prop></D:propfind>`

// described is one response of a multistatus (RFC 4918 §14.24).
type described struct {
	Href  string `xml:"DAV: href"`
	Stats []struct {
		Status string `xml:"DAV: status"`
		Prop   struct {
			Length   *string `xml:"DAV: getcontentlength"`
			Modified string  `xml:"DAV: getlastmodified"`
			ETag     string  `xml:"DAV: getetag"`
			Type     struct {
				Folder *struct{} `xml:"DAV: collection"`
			} `xml:"DAV: resourcetype"`
		} `xml:"DAV: prop"`
	} `xml:"DAV: propstat"`
}

// entry is what is described, without its name; false for what is neither a
// folder nor a file with a length.
func (d *described) entry() (e filetree.Entry, ok bool) {
	for _, s := range d.Stats {
		if fields := strings.Fields(s.Status); len(fields) < 2 || fields[1] != "200" {
			continue
		}
		e.Dir = e.Dir || s.Prop.Type.Folder != nil
		if s.Prop.Length != nil {
			size, err := strconv.ParseInt(strings.TrimSpace(*s.Prop.Length), 10, 64)
			e.Size, ok = size, err == nil && size >= 0
		}
		if at, err := http.ParseTime(strings.TrimSpace(s.Prop.Modified)); err == nil {
			e.ModTime = at.UTC()
		}
		e.ETag = cleanETag(s.Prop.ETag)
	}
	if e.Dir {
		e.Size, e.ETag = 0, ""
	}
	return e, ok || e.Dir
}

// cleanETag is an ETag without what HTTP puts around it; empty when it holds what
// our own answers could not carry.
func cleanETag(tag string) string {
	tag = strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "W/"), `"`)
	if len(tag) > 256 || strings.ContainsFunc(tag, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }) {
		return ""
	}
	return tag
}

// propfind asks about an address, and with depth "1" about what lies in it.
func (c *client) propfind(ctx context.Context, to *url.URL, depth string, each func(*described) error) error {
	header := map[string]string{"Depth": depth, "Content-Type": `application/xml; charset="utf-8"`}
	resp, err := c.send(ctx, request{method: "PROPFIND", to: to, header: header, body: strings.NewReader(wanted), size: int64(len(wanted))})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusMultiStatus {
		return objstore.ErrBadAnswer.Saying(text("This address is not one of a WebDAV server.", "此地址不是 WebDAV 服务器。"))
	}
	body := &io.LimitedReader{R: resp.Body, N: maxAnswer}
	decoder := xml.NewDecoder(body)
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return nil
		}
		start, isStart := token.(xml.StartElement)
		if err == nil && isStart && start.Name == (xml.Name{Space: "DAV:", Local: "response"}) {
			var d described
			if err = decoder.DecodeElement(&d, &start); err == nil {
				if err := each(&d); err != nil {
					return err
				}
			}
		}
		if err != nil {
			return unreadable(ctx, body, err)
		}
	}
}

// unreadable is the error of an answer that ends in the middle.
func unreadable(ctx context.Context, body *io.LimitedReader, err error) error {
	var syntax *xml.SyntaxError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case body.N == 0:
		return objstore.ErrBadAnswer.With(errors.New("PROPFIND: the answer is too long"))
	case errors.As(err, &syntax):
		return objstore.ErrBadAnswer.With(errors.New("PROPFIND: the answer is no XML"))
	}
	return lost(ctx, "PROPFIND", err)
}

// segments takes the path of an address apart. Only then is it unescaped: what
// looks like a "/" inside of a name stays there.
func segments(escaped string) ([]string, error) {
	parts := strings.Split(strings.Trim(escaped, "/"), "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return nil, err
		}
		parts[i] = plain
	}
	return parts, nil
}

// children describes what lies in a folder, whatever its name is.
func (c *client) children(ctx context.Context, dir string) ([]filetree.Entry, error) {
	to := c.address(dir, "/")
	own, err := segments(to.EscapedPath())
	if err != nil {
		return nil, objstore.ErrBadKey.With(err)
	}
	if to.Path == "/" {
		own = nil
	}
	var (
		entries []filetree.Entry
		self    *filetree.Entry
	)
	err = c.propfind(ctx, to, "1", func(d *described) error {
		href, err := url.Parse(strings.TrimSpace(d.Href))
		if err != nil {
			return nil
		}
		path, err := segments(href.EscapedPath())
		if err != nil {
			return nil
		}
		if href.EscapedPath() == "/" {
			path = nil
		}
		e, ok := d.entry()
		switch {
		case !ok:
		case slices.Equal(path, own) && (self == nil || e.Dir):
			self = &e
		case len(path) == len(own)+1 && slices.Equal(path[:len(own)], own):
			e.Name = path[len(own)]
			entries = append(entries, e)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case self == nil:
		return nil, objstore.ErrBadAnswer.With(errors.New("PROPFIND: the answer is about other addresses"))
	case !self.Dir:
		return nil, ports.ErrNotFound
	}
	return entries, nil
}
