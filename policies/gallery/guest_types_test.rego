package pasteport.site_test

import data.pasteport.site

_guest_types_by(guest, action, extension) := {
	"subject": {"type": "apikey", "guest": guest},
	"action": action,
	"resource": {"extension": extension},
}

_guest_types_refuses(request) if {
	some entry in site.deny with input as request with site._guest_types as {"pdf", "png"}
	entry.code == "guest_type"
}

test_guests_upload_some_types if {
	_guest_types_refuses(_guest_types_by(true, "file.upload", "exe"))
	_guest_types_refuses(_guest_types_by(true, "webdav.write", ""))
	not _guest_types_refuses(_guest_types_by(true, "file.upload", "pdf"))
	not _guest_types_refuses(_guest_types_by(true, "paste.create", ""))
	not _guest_types_refuses(_guest_types_by(false, "file.upload", "exe"))
}

_guest_types_limits(guest) := got if {
	got := site.limit with input as _guest_types_by(guest, "file.upload", "pdf") with site._guest_types_mib as 3
}

test_files_of_guests_have_a_size if {
	entry := {"name": "max_size", "value": 3145728}
	entry in _guest_types_limits(true)
	not entry in _guest_types_limits(false)
}

# What was filled in.
test_guest_types_has_values if {
	count(site._guest_types) > 0
	site._guest_types_mib > 0
}
