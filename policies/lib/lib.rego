# METADATA
# title: Helpers for site rules
# description: |
#   Small functions that every site rule may use. Paths arrive absolute and clean, without a slash at the end;
#   addresses are the caller's own, times are the time of the request.
package pasteport.lib

# METADATA
# description: Actions that change nothing, and signing in and out. Every action stands in one of reads, writes and deletes.
reads := {
	"paste.list",
	"paste.read_own",
	"file.list",
	"file.read_own",
	"storage.list",
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
	"request.list",
	"request.read_own",
	"notification.read",
	"share.log",
	"mounts.read",
	"mount.list",
	"mount.read",
	"mount.search",
	"mount.archive",
	"task.read",
	"webdav.list",
	"webdav.read",
	"key.self",
	"admin.keys.read",
	"admin.mounts.read",
	"admin.storage.read",
	"admin.settings.read",
	"admin.stats.read",
	"admin.policy.read",
	"admin.audit.read",
	"admin.tasks.read",
	"admin.shares.read",
	"admin.doctor.read",
	"admin.events.read",
}

# METADATA
# description: Actions that make or change something. Over WebDAV webdav.write removes too, as mount.move does at the old place.
writes := {
	"paste.create",
	"paste.update",
	"file.upload",
	"file.update",
	"url.fetch",
	"mount.share",
	"mount.upload",
	"mount.mkdir",
	"mount.edit",
	"mount.copy",
	"mount.move",
	"mount.rename",
	"webdav.write",
	"request.create",
	"request.update",
	"request.upload",
	"notification.write",
	"admin.keys.write",
	"admin.mounts.write",
	"admin.storage.write",
	"admin.storage.reconcile",
	"admin.settings.write",
	"admin.account.write",
	"admin.cache.write",
	"admin.policy.write",
	"admin.shares.write",
	"admin.sessions.write",
	"admin.backup.write",
	"admin.events.write",
}

# METADATA
# description: Actions that only remove.
deletes := {
	"paste.delete",
	"paste.clear_expired",
	"file.delete",
	"mount.delete",
	"request.delete",
}

# METADATA
# description: Writes and deletes.
changes := writes | deletes

# METADATA
# description: |
#   True when `path` is `dir` itself or lies below it. Whole segments count, so /a does not cover /ab. Nothing lies
#   under an empty name.
under(path, "/") if startswith(path, "/")

under(path, path) if startswith(path, "/")

under(path, dir) if {
	startswith(dir, "/")
	dir != "/"
	startswith(path, concat("", [dir, "/"]))
}

# METADATA
# description: Minutes since midnight at the time of the request in a zone such as "Europe/Berlin".
minute_of_day(zone) := (hour * 60) + minute if [hour, minute, _] := time.clock([input.context.time_ns, zone])

# METADATA
# description: Day of the week at the time of the request in a zone, such as "Monday".
weekday(zone) := time.weekday([input.context.time_ns, zone])

# METADATA
# description: True when `minute` lies in [from, to). A window whose end comes before its start runs over midnight.
in_window(minute, from, to) if {
	from <= to
	minute >= from
	minute < to
}

in_window(minute, from, to) if {
	from > to
	minute >= from
}

in_window(minute, from, to) if {
	from > to
	minute < to
}

# METADATA
# description: True when the caller's address lies in one of the blocks, such as "10.0.0.0/8" or "2001:db8::/32".
client_in(blocks) if {
	some block in blocks
	net.cidr_contains(block, input.context.client_ip)
}
