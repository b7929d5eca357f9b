# METADATA
# title: Built-in rules
# description: |
#   The rights of administrators, keys and visitors: permission bits, the basic path of a key, and who owns an item.
#   Part of the program; site rules can narrow what stands here and never widen it.
package pasteport.permissions

import data.pasteport.lib

# METADATA
# description: The permissions of a key by name, with the bit of each.
bit := {
	"text": 1,
	"file_share": 2,
	"mount_view": 256,
	"mount_upload": 512,
	"mount_copy": 1024,
	"mount_rename": 2048,
	"mount_delete": 4096,
	"webdav_read": 65536,
	"webdav_manage": 131072,
}

# METADATA
# description: What a key needs for an action; any one permission of the set is enough.
needs := {
	"paste.create": {"text"},
	"paste.list": {"text"},
	"paste.read_own": {"text"},
	"paste.update": {"text"},
	"paste.delete": {"text"},
	"file.list": {"file_share"},
	"file.upload": {"file_share"},
	"file.read_own": {"file_share"},
	"file.update": {"file_share"},
	"file.delete": {"file_share"},
	"url.fetch": {"file_share"},
	"storage.list": {"file_share"},
	"mounts.read": {"mount_view", "mount_upload", "mount_copy", "mount_rename", "mount_delete"},
	"mount.list": {"mount_view"},
	"mount.read": {"mount_view"},
	"mount.search": {"mount_view"},
	"mount.share": {"mount_view"},
	"mount.archive": {"mount_view"},
	"mount.upload": {"mount_upload"},
	"mount.mkdir": {"mount_upload"},
	"mount.edit": {"mount_upload"},
	"mount.copy": {"mount_copy"},
	"mount.move": {"mount_rename"},
	"mount.rename": {"mount_rename"},
	"mount.delete": {"mount_delete"},
	"task.read": {"file_share", "mount_copy", "mount_rename", "mount_delete"},
	"webdav.list": {"webdav_read"},
	"webdav.read": {"webdav_read"},
	"webdav.write": {"webdav_manage"},
	"share.log": {"text", "file_share"},
	"request.create": {"file_share", "mount_upload"},
	"request.list": {"file_share", "mount_upload"},
	"request.read_own": {"file_share", "mount_upload"},
	"request.update": {"file_share", "mount_upload"},
	"request.delete": {"file_share", "mount_upload"},
	"notification.read": {"text", "file_share", "mount_view", "mount_upload"},
	"notification.write": {"text", "file_share", "mount_view", "mount_upload"},
}

# METADATA
# description: Actions that are open to everybody; passwords, ends and limits of a share or a request are checked elsewhere.
public := {
	"share.view",
	"share.list",
	"share.download",
	"share.preview",
	"share.verify",
	"site.read",
	"session.open",
	"session.close",
	"mount.proxy",
	"url.proxy",
	"request.view",
	"request.upload",
}

# METADATA
# description: Actions that every valid key may take, with or without permissions.
any_key := {"key.self"}

# METADATA
# description: Actions of the administrator alone.
admin_only := {
	"paste.clear_expired",
	"admin.keys.read",
	"admin.keys.write",
	"admin.mounts.read",
	"admin.mounts.write",
	"admin.storage.read",
	"admin.storage.write",
	"admin.storage.reconcile",
	"admin.settings.read",
	"admin.settings.write",
	"admin.account.write",
	"admin.stats.read",
	"admin.cache.write",
	"admin.policy.read",
	"admin.policy.write",
	"admin.audit.read",
	"admin.tasks.read",
	"admin.shares.read",
	"admin.shares.write",
	"admin.sessions.write",
	"admin.backup.write",
	"admin.doctor.read",
	"admin.events.read",
	"admin.events.write",
}

# METADATA
# description: Actions on one existing item, which a key may take on its own items only.
on_items := {
	"paste.read_own",
	"paste.update",
	"paste.delete",
	"file.read_own",
	"file.update",
	"file.delete",
	"share.log",
	"request.read_own",
	"request.update",
	"request.delete",
}

# METADATA
# description: Actions that name paths only sometimes, as a request for files does that come into a folder; those must lie in the basic path of a key.
on_some_paths := {
	"request.create",
	"request.update",
}

# METADATA
# description: Actions that name at least one path, all of which must lie in the basic path of a key.
on_paths := {
	"mount.list",
	"mount.read",
	"mount.search",
	"mount.share",
	"mount.archive",
	"mount.upload",
	"mount.mkdir",
	"mount.edit",
	"mount.copy",
	"mount.move",
	"mount.rename",
	"mount.delete",
	"webdav.list",
	"webdav.read",
	"webdav.write",
}

# METADATA
# description: True for every action there is. What is missing in the lists above is refused to everybody.
known if needs[input.action]

known if input.action in public

known if input.action in admin_only

known if input.action in any_key

# METADATA
# description: Whether the built-in rules allow the request. Site rules are asked after this.
default allow := false

allow if granted

# METADATA
# description: True when the built-in rules allow the request, else undefined.
granted if input.action in public

granted if {
	input.subject.type == "admin"
	known
}

granted if {
	input.subject.type == "apikey"
	_permitted
	_inside
	_owned
}

_permitted if input.action in any_key

_permitted if {
	some name in needs[input.action]
	bits.and(input.subject.permissions, bit[name]) != 0
}

_inside if not input.action in (on_paths | on_some_paths)

_inside if {
	input.action in on_some_paths
	every path in input.resource.paths { lib.under(path, input.subject.basic_path) }
}

_inside if {
	input.action in on_paths
	count(input.resource.paths) > 0
	every path in input.resource.paths { _reachable(path, input.subject.basic_path) }
}

_reachable(path, base) if lib.under(path, base)

# A key may walk down to its folder; the listing shows only the way to it.
_reachable(path, base) if {
	input.action in {"mount.list", "webdav.list"}
	lib.under(base, path)
}

_owned if not input.action in on_items

_owned if {
	input.action in on_items
	input.resource.owner != ""
	input.resource.owner in {input.subject.id, concat(":", ["apikey", input.subject.id])}
}

# METADATA
# description: Why the built-in rules refuse. The codes are stable; the texts are for people who debug rules.
reasons contains _reason("unknown_action", "There is no such action.") if {
	not known
}

reasons contains _reason("login_required", "Sign in or use a valid key.") if {
	not granted
	known
	not input.subject.type in {"admin", "apikey"}
}

reasons contains _reason("permission_missing", "The key lacks the permission for this action.") if {
	not granted
	known
	input.subject.type == "apikey"
	not _permitted
}

reasons contains _reason("outside_basic_path", "The path lies outside the folder of the key.") if {
	not granted
	input.subject.type == "apikey"
	not _inside
}

reasons contains _reason("not_owner", "The item belongs to somebody else.") if {
	not granted
	input.subject.type == "apikey"
	not _owned
}

_reason(code, message) := {"code": code, "message": message, "source": ""}
