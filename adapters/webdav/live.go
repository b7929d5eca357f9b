package webdav

import (
	"net/http"
	"strconv"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
)

// live is a property that the server computes.
type live struct {
	name string
	// put writes the value into b; false says that the entry has none.
	put func(b []byte, v *viewed) ([]byte, bool)
	// named says that it is answered only when asked for by its name.
	named bool
}

// viewed is an entry on its way into an answer.
type viewed struct {
	*mounts.Entry
	view  *dav.View
	quota func() (used, available int64)
	// fallback is when something is said to have changed whose time nobody
	// knows: some clients hide entries without a time.
	fallback time.Time
	now      time.Time
	prefix   string
}

func (v *viewed) changed() time.Time {
	if v.ModTime != nil {
		return *v.ModTime
	}
	return v.fallback
}

// lives are the live properties (contract §8.5), in the order of answers.
var lives = []live{
	{name: "resourcetype", put: func(b []byte, v *viewed) ([]byte, bool) {
		if v.Folder {
			return append(b, "<D:collection/>"...), true
		}
		return b, true
	}},
	{name: "displayname", put: func(b []byte, v *viewed) ([]byte, bool) { return appendEscaped(b, v.Name), true }},
	{name: "getcontentlength", put: func(b []byte, v *viewed) ([]byte, bool) {
		if v.Folder || v.Size < 0 {
			return b, false
		}
		return strconv.AppendInt(b, v.Size, 10), true
	}},
	{name: "getcontenttype", put: func(b []byte, v *viewed) ([]byte, bool) {
		if v.Folder {
			return b, false
		}
		return appendEscaped(b, v.ContentType), true
	}},
	{name: "getlastmodified", put: func(b []byte, v *viewed) ([]byte, bool) {
		return v.changed().UTC().AppendFormat(b, http.TimeFormat), true
	}},
	{name: "creationdate", put: func(b []byte, v *viewed) ([]byte, bool) {
		return v.changed().UTC().AppendFormat(b, "2006-01-02T15:04:05Z"), true
	}},
	{name: "getetag", put: func(b []byte, v *viewed) ([]byte, bool) {
		if v.Folder || v.ETag == "" {
			return b, false
		}
		return append(appendEscaped(append(b, '"'), v.ETag), '"'), true
	}},
	{name: "supportedlock", put: func(b []byte, _ *viewed) ([]byte, bool) { return append(b, supportedLocks...), true }},
	{name: "lockdiscovery", put: func(b []byte, v *viewed) ([]byte, bool) {
		for _, l := range v.view.Locks(v.Path) {
			b = appendLock(b, &l, v.prefix, v.now)
		}
		return b, true
	}},
	{name: "quota-used-bytes", named: true, put: func(b []byte, v *viewed) ([]byte, bool) {
		used, _ := v.folderQuota()
		return strconv.AppendInt(b, used, 10), used >= 0
	}},
	{name: "quota-available-bytes", named: true, put: func(b []byte, v *viewed) ([]byte, bool) {
		_, available := v.folderQuota()
		return strconv.AppendInt(b, available, 10), available >= 0
	}},
}

// folderQuota is unknown for files: only folders have a quota.
func (v *viewed) folderQuota() (used, available int64) {
	if !v.Folder {
		return -1, -1
	}
	return v.quota()
}

const supportedLocks = "<D:lockentry><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>" +
	"<D:lockentry><D:lockscope><D:shared/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>"

// liveNamed finds a live property; nil when there is none of the name.
func liveNamed(space, name string) *live {
	if space != davSpace {
		return nil
	}
	for i := range lives {
		if lives[i].name == name {
			return &lives[i]
		}
	}
	return nil
}

// appendLock writes the DAV:activelock of a lock.
func appendLock(b []byte, l *dav.Lock, prefix string, now time.Time) []byte {
	scope, depth := "exclusive", "0"
	if l.Shared {
		scope = "shared"
	}
	if l.Deep {
		depth = "infinity"
	}
	b = append(b, "<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:"+scope+"/></D:lockscope><D:depth>"+depth+"</D:depth>"...)
	if l.Note != "" {
		b = append(append(append(b, "<D:owner>"...), l.Note...), "</D:owner>"...)
	}
	left := max(int64((l.Expires.Sub(now)+time.Second-1)/time.Second), 0)
	b = append(strconv.AppendInt(append(b, "<D:timeout>Second-"...), left, 10), "</D:timeout><D:locktoken><D:href>"...)
	b = append(appendEscaped(b, l.Token), "</D:href></D:locktoken><D:lockroot><D:href>"...)
	b = appendHref(b, prefix, l.Path, l.Folder)
	return append(b, "</D:href></D:lockroot></D:activelock>"...)
}
