package treeapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/policy"
)

// fsListOps list folders (contract §4.1).
func fsListOps(a *httpapi.API, tree *mounts.Tree) {
	var kinds filetype.Kept
	httpapi.Stream(a, httpapi.Op{Name: "fs.list", Method: http.MethodGet, Path: "/api/fs/list", Actions: []policy.Action{policy.MountList}, Errors: fsErrors, Also: []int{http.StatusNotModified},
		Summary: "Lists a folder: folders first, then files."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			in, err := httpapi.Decode[fsListRequest](r)
			if err != nil {
				return err
			}
			query, err := in.query()
			if err != nil {
				return err
			}
			listing, err := tree.List(r.Context(), explorer(who), query)
			if err != nil {
				return err
			}
			if !listing.Read.IsZero() {
				age := max(0, httpapi.ScopeOf(r.Context()).Now().Sub(listing.Read)/time.Second)
				w.Header()["Age"] = []string{strconv.FormatInt(int64(age), 10)} // RFC 9111 §5.1
			}
			known, mark := kinds.Of(tree.Settings)
			return sendListing(w, r, listing, known, mark, in.Limit.Set)
		})
	httpapi.Describe(a, "fs.list", fsListRequest{}, fsListJSON{})
}

// fsListRequest asks for a folder.
type fsListRequest struct {
	Path    string             `query:"path"` // default "/"
	Refresh wire.Flag          `query:"refresh"`
	Limit   wire.Opt[wire.Int] `query:"limit"` // 1 to 5000; all when absent
	Cursor  string             `query:"cursor"`
	Sort    string             `query:"sort"`  // name, size or modified
	Order   string             `query:"order"` // asc or desc
}

func (in fsListRequest) query() (mounts.ListQuery, error) {
	q := mounts.ListQuery{Path: in.Path, Refresh: bool(in.Refresh), Limit: int(in.Limit.Value), Cursor: in.Cursor, Order: mounts.Order{By: in.Sort}}
	if in.Limit.Set && in.Limit.Value < 1 {
		return q, ports.InvalidInput("field_invalid", "limit")
	}
	switch in.Order {
	case "", "asc":
	case "desc":
		q.Order.Desc = true
	default:
		return q, ports.InvalidInput("field_invalid", "order")
	}
	return q, nil
}

// fsListJSON is a listing. It describes what sendListing writes by hand.
type fsListJSON struct {
	Path        string       `json:"path"` // ends in "/"
	Type        string       `json:"type,omitempty"`
	IsDirectory bool         `json:"isDirectory"`
	IsRoot      bool         `json:"isRoot,omitempty"`
	IsVirtual   bool         `json:"isVirtual"`
	MountID     string       `json:"mount_id,omitempty"`
	StorageType string       `json:"storage_type,omitempty"`
	Items       []fsItemJSON `json:"items"`
	NextCursor  *string      `json:"nextCursor,omitempty"`
	Truncated   bool         `json:"truncated,omitempty"`
	Total       *int64       `json:"total,omitempty"`
}

// fsItemJSON is an entry of a listing.
type fsItemJSON struct {
	Name           string       `json:"name"`
	Path           string       `json:"path"` // ends in "/" for a folder
	IsDirectory    bool         `json:"isDirectory"`
	IsVirtual      bool         `json:"isVirtual,omitempty"`
	IsMount        bool         `json:"isMount,omitempty"`
	MountID        string       `json:"mountId,omitempty"`
	MountName      string       `json:"mountName,omitempty"`
	MountType      string       `json:"storageType,omitempty"`
	Size           *int64       `json:"size,omitempty"`
	Modified       wire.Instant `json:"modified,omitempty"`
	ETag           string       `json:"etag,omitempty"`
	Type           int          `json:"type,omitempty"`
	TypeName       string       `json:"typeName,omitempty"`
	SizeSource     string       `json:"size_source,omitempty"`     // storage, index or none
	ModifiedSource string       `json:"modified_source,omitempty"` // storage, index or none
	Reachable      *bool        `json:"reachable,omitempty"`       // false: a name that no path can have
}

// listVary names the headers that a listing depends on.
const listVary = "Authorization, X-Custom-Auth-Key"

// sendListing answers with a listing, or with 304 when the client has it. lists
// changes with the kinds.
func sendListing(w http.ResponseWriter, r *http.Request, l *mounts.Listing, kinds filetype.Kinds, lists string, paged bool) error {
	tag := `"` + l.Tag() + "-" + lists + `"`
	h := w.Header()
	h.Set("Etag", "W/"+tag)
	h["Cache-Control"] = privateNoCache
	h.Add("Vary", listVary)
	if l.Kept {
		h["X-Refresh"] = []string{"limited"}
		h["Retry-After"] = []string{"2"}
	}
	if none := content.TagsOf(r.Header, "If-None-Match"); none != "" && content.TagIn(none, tag, false) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	items := l.Keep("fs.list "+lists, func() []byte { return appendItems(nil, l, kinds) })
	message, err := json.Marshal(httpapi.ScopeOf(r.Context()).Text(nil, "ok"))
	if err != nil {
		return err
	}
	head, err := listHead(l)
	if err != nil {
		return err
	}
	front := make([]byte, 0, len(head)+128)
	front = append(front, `{"code":200,"message":`...)
	front = append(front, message...)
	front = append(front, `,"success":true,"data":{`...)
	front = append(front, head...)
	front = append(front, `,"items":[`...)
	end := []byte{']'}
	if paged || l.Next != "" {
		end = appendPaging(end, l)
	}
	httpapi.WriteBytes(w, r, http.StatusOK, content.JSONType, front, items, append(end, "}}"...))
	return nil
}

var privateNoCache = []string{"private, no-cache"}

// listHead are the fields of a listing before its items, without braces.
func listHead(l *mounts.Listing) ([]byte, error) {
	var head any
	if l.Virtual {
		head = struct {
			Path        string `json:"path"`
			IsDirectory bool   `json:"isDirectory"`
			IsVirtual   bool   `json:"isVirtual"`
		}{folderPath(l.Path), true, true}
	} else {
		head = struct {
			Path        string `json:"path"`
			Type        string `json:"type"`
			IsDirectory bool   `json:"isDirectory"`
			IsRoot      bool   `json:"isRoot"`
			IsVirtual   bool   `json:"isVirtual"`
			MountID     string `json:"mount_id"`
			StorageType string `json:"storage_type"`
		}{folderPath(l.Path), "directory", true, false, false, l.Mount.ID, l.Mount.StorageType}
	}
	data, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	return data[1 : len(data)-1], nil
}

func appendPaging(data []byte, l *mounts.Listing) []byte {
	data = append(data, `,"nextCursor":`...)
	if l.Next == "" {
		data = append(data, "null"...)
	} else {
		data = strconv.AppendQuote(data, l.Next) // base64
	}
	data = append(data, `,"truncated":`...)
	data = strconv.AppendBool(data, l.Next != "")
	data = append(data, `,"total":`...)
	if l.Total < 0 {
		return append(data, "null"...)
	}
	return strconv.AppendInt(data, int64(l.Total), 10)
}

// appendItems writes the entries, with commas between them. Ten thousand of
// them are common, so this is done by hand.
func appendItems(data []byte, l *mounts.Listing, kinds filetype.Kinds) []byte {
	if data == nil {
		data = make([]byte, 0, 64+224*l.Len())
	}
	comma := false
	for e := range l.All() {
		if comma {
			data = append(data, ',')
		}
		comma = true
		data = appendItem(data, &e, kinds)
	}
	return data
}

func appendItem(data []byte, e *mounts.Entry, kinds filetype.Kinds) []byte {
	data = append(data, `{"name":`...)
	data = wire.AppendText(data, e.Name)
	data = append(data, `,"path":`...)
	if e.Folder {
		data = wire.AppendText(data, folderPath(e.Path))
		data = append(data, `,"isDirectory":true,"isVirtual":`...)
		data = strconv.AppendBool(data, e.Virtual)
	} else {
		data = wire.AppendText(data, e.Path)
		data = append(data, `,"isDirectory":false`...)
	}
	if m := e.MountPoint; m != nil {
		data = append(data, `,"isMount":true,"mountId":`...)
		data = wire.AppendText(data, m.ID)
		data = append(data, `,"mountName":`...)
		data = wire.AppendText(data, m.Name)
		data = append(data, `,"storageType":`...)
		data = wire.AppendText(data, m.StorageType)
	}
	if !e.Virtual {
		data = appendFacts(data, e, kinds)
	}
	if e.Unreachable {
		data = append(data, `,"reachable":false`...)
	}
	return append(data, '}')
}

// appendFacts writes what is known of a real entry.
func appendFacts(data []byte, e *mounts.Entry, kinds filetype.Kinds) []byte {
	data = append(data, `,"size":`...)
	if e.Size < 0 {
		data = append(data, "null"...)
	} else {
		data = strconv.AppendInt(data, e.Size, 10)
	}
	data = append(data, `,"modified":`...)
	data = appendTime(data, e.ModTime)
	if e.ETag != "" {
		data = append(data, `,"etag":`...)
		data = wire.AppendText(data, e.ETag)
	}
	kind := filetype.Kind{Code: filetype.FolderCode, Name: filetype.FolderName}
	if e.Folder {
		data = append(data, `,"size_source":`...)
		data = wire.AppendText(data, sourceOf(e.Size >= 0, e.SizeIndexed))
		data = append(data, `,"modified_source":`...)
		data = wire.AppendText(data, sourceOf(e.ModTime != nil, e.TimeIndexed))
	} else {
		kind = kinds.Of(e.Name)
	}
	data = append(data, `,"type":`...)
	data = strconv.AppendInt(data, int64(kind.Code), 10)
	data = append(data, `,"typeName":`...)
	return wire.AppendText(data, kind.Name)
}

// sourceOf tells where a fact about a folder comes from.
func sourceOf(known, indexed bool) string {
	switch {
	case !known:
		return "none"
	case indexed:
		return fromIndex
	}
	return fromStorage
}

// The sources of sizes and times.
const (
	fromStorage = "storage"
	fromIndex   = "index"
)

func appendTime(data []byte, at *time.Time) []byte {
	if at == nil {
		return append(data, "null"...)
	}
	return at.UTC().AppendFormat(data, `"2006-01-02T15:04:05.000Z"`)
}
