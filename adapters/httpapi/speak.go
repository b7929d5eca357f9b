package httpapi

import (
	"strings"

	"pasteport/adapters/httpapi/words"
	"pasteport/ports/policy"
)

// message gives the text of a failure in the language of the request. A
// message that a site's policy wrote comes first; visitors do not see those.
func (x *exchange) message(f failure) string {
	lang := x.language()
	if own, ok := f.err.Params["messages"].(map[string]string); ok && x.authenticated() {
		if m := words.Pick(own, lang); m != "" {
			return m
		}
	}
	if x.who.Kind == policy.Admin { // a storage driver speaks to the operator alone
		if own := words.OwnWords(f.err.Messages, lang); own != "" {
			return own
		}
	}
	if f.key == "permission_denied" && f.err.Text == "" && x.route != nil {
		if key, name := NeededFor(x.route.op.Actions); key != "" {
			return words.Render(words.Catalogue[key], lang, map[string]any{"permission": name})
		}
	}
	text := f.err.Text
	if text != "" && x.find(text) == words.Catalogue["internal"] {
		text = words.UnknownText(f.key, f.err.Params)
	}
	return words.Render(x.find(text, f.key), lang, f.err.Params)
}

// NeededFor words what the caller of an operation lacks: a permission by its
// name, or to be the administrator (contract §2.4). The policy has decided
// already; nothing follows from this but the message.
func NeededFor(actions []policy.Action) (key, permission string) {
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
func (x *exchange) find(keys ...string) words.Text {
	for _, key := range keys {
		if key == "" {
			continue
		}
		if x.route != nil {
			if t, ok := words.Catalogue[x.route.noun+"."+key]; ok {
				return t
			}
		}
		if t, ok := words.Catalogue[key]; ok {
			return t
		}
	}
	return words.Catalogue["internal"]
}
