package httpapi

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"pasteport/ports/policy"
)

// message gives the text of a failure in the language of the request. A
// message that a site's policy wrote comes first; visitors do not see those.
func (x *exchange) message(f failure) string {
	lang := x.language()
	if own, ok := f.err.Params["messages"].(map[string]string); ok && x.authenticated() {
		if m := pick(own, lang); m != "" {
			return m
		}
	}
	if x.who.Kind == policy.Admin { // a storage driver speaks to the operator alone
		if own := ownWords(f.err.Messages, lang); own != "" {
			return own
		}
	}
	if f.key == "permission_denied" && f.err.Text == "" && x.route != nil {
		if key, name := neededFor(x.route.op.Actions); key != "" {
			return render(catalogue[key], lang, map[string]any{"permission": name})
		}
	}
	text := f.err.Text
	if text != "" && x.find(text) == catalogue["internal"] {
		text = unknownText(f.key, f.err.Params)
	}
	return render(x.find(text, f.key), lang, f.err.Params)
}

// unknownText is the message for a text that the catalogue does not have: one
// of a driver of others.
func unknownText(key string, params map[string]any) string {
	if _, named := params["field"]; named && key == "invalid_argument" {
		return "field_invalid"
	}
	if _, known := catalogue[key]; known {
		return key
	}
	return "doctor.unexpected"
}

// neededFor words what the caller of an operation lacks: a permission by its
// name, or to be the administrator (contract §2.4). The policy has decided
// already; nothing follows from this but the message.
func neededFor(actions []policy.Action) (key, permission string) {
	for _, action := range actions {
		noun, _, _ := strings.Cut(string(action), ".")
		switch {
		case noun == "admin", action == policy.PasteClearExpired:
			return "admin_needed", ""
		case noun == "paste":
			return "permission_needed", "TEXT"
		case noun == "file", noun == "url", noun == "storage":
			return "permission_needed", "FILE_SHARE"
		case mountPermissions[action] != "":
			return "permission_needed", mountPermissions[action]
		}
	}
	return "", ""
}

// mountPermissions names the permission that each action on mounts needs.
var mountPermissions = map[policy.Action]string{
	policy.MountsRead: "MOUNT_VIEW", policy.MountList: "MOUNT_VIEW", policy.MountRead: "MOUNT_VIEW", policy.MountSearch: "MOUNT_VIEW",
	policy.MountShare: "MOUNT_VIEW", policy.MountArchive: "MOUNT_VIEW", policy.MountUpload: "MOUNT_UPLOAD", policy.MountMkdir: "MOUNT_UPLOAD",
	policy.MountEdit: "MOUNT_UPLOAD", policy.MountCopy: "MOUNT_COPY", policy.MountMove: "MOUNT_RENAME", policy.MountRename: "MOUNT_RENAME",
	policy.MountDelete: "MOUNT_DELETE",
}

// find looks a message up; every machine code of the table has one.
func (x *exchange) find(keys ...string) text {
	for _, key := range keys {
		if key == "" {
			continue
		}
		if x.route != nil {
			if t, ok := catalogue[x.route.noun+"."+key]; ok {
				return t
			}
		}
		if t, ok := catalogue[key]; ok {
			return t
		}
	}
	return catalogue["internal"]
}

// ownWords is what a driver itself says, in the language or else in English.
func ownWords(own map[string]string, lang string) string { return cmp.Or(pick(own, lang), own["en"]) }

// pick chooses from texts by language tag: the language, then the untagged one.
func pick(texts map[string]string, lang string) string {
	for _, tag := range []string{lang, lang + "-CN", lang + "-US", ""} {
		if t := texts[tag]; t != "" {
			return t
		}
	}
	return ""
}

// render fills the placeholders of a message.
func render(t text, lang string, params map[string]any) string {
	s := t.zh
	if lang == "en" {
		s = t.en
	}
	if !strings.Contains(s, "{") {
		return s
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '{')
		end := strings.IndexByte(s, '}')
		if open < 0 || end < open {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:open])
		name, form, _ := strings.Cut(s[open+1:end], "|")
		b.WriteString(param(params, name, form))
		s = s[end+1:]
	}
}

func param(params map[string]any, name, form string) string {
	v, ok := params[name]
	if !ok && name == "rest" {
		v, ok = max(number(params["total"])-number(params["used"]), 0), true
	}
	if !ok {
		v = ""
	}
	if form == "bytes" {
		return sizeText(number(v))
	}
	return fmt.Sprint(v)
}

func number(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case int:
		return int64(n)
	case float64:
		return int64(n)
	}
	return 0
}

// sizeText writes a size with two decimals, base 1024 (contract §1.4).
func sizeText(n int64) string {
	units := []string{"B", "KB", "MB", "GB", "TB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f /= 1024
		i++
	}
	return strconv.FormatFloat(f, 'f', 2, 64) + " " + units[i]
}

// language chooses between "zh" and "en" by Accept-Language; fallback where it
// names neither.
func language(accept []string, fallback string) string {
	best, bestQ := fallback, 0.0
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			tag, params, _ := strings.Cut(strings.TrimSpace(item), ";")
			tag = strings.ToLower(tag)
			lang := ""
			switch {
			case strings.HasPrefix(tag, "zh"):
				lang = "zh"
			case strings.HasPrefix(tag, "en"):
				lang = "en"
			default:
				continue
			}
			q := 1.0
			if v, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
				if p, err := strconv.ParseFloat(v, 64); err == nil {
					q = p
				}
			}
			if q > bestQ {
				best, bestQ = lang, q
			}
		}
	}
	return best
}
