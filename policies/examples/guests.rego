# Rules for guests: what keys that are marked as guest may do. The mark alone changes nothing.
package pasteport.site

_guest_uploads := {"file.upload", "mount.upload", "mount.edit", "url.fetch", "webdav.write"}

_programs := {
	"apk",
	"bat",
	"cmd",
	"com",
	"dll",
	"exe",
	"jar",
	"js",
	"lnk",
	"msi",
	"ps1",
	"scr",
	"sh",
	"vbs",
}

# METADATA
# title: No programs from guests
# description: Looks at the end of the name only, so a renamed program passes; this is no virus filter.
deny contains {"code": "executable", "message": "Guests may not upload programs or scripts."} if {
	input.subject.guest
	input.action in _guest_uploads
	input.resource.extension in _programs
}

# METADATA
# title: Shares of guests expire
# description: Guests must choose an expiry of at most 7 days.
deny contains {"code": "guest_expiry", "message": "Guest shares need an expiry of at most 7 days."} if {
	input.subject.guest
	input.action in {"paste.create", "file.upload"}
	not _short_lived
}

_short_lived if {
	input.resource.share.expires_in > 0
	input.resource.share.expires_in <= 7 * 86400
}

# METADATA
# title: Small files for guests
# description: At most 20 MiB each.
limit contains {"name": "max_size", "value": (20 * 1024) * 1024} if input.subject.guest
