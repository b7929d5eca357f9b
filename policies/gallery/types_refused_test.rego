package pasteport.site_test

import data.pasteport.site

_types_refused_refuses(type, action, extension) if {
	some entry in site.deny with input as {
		"subject": {"type": type, "guest": false},
		"action": action,
		"resource": {"extension": extension},
	}
		with site._refused_types as {"exe"}
	entry.code == "type_refused"
}

test_nobody_uploads_refused_types if {
	_types_refused_refuses("admin", "file.upload", "exe")
	_types_refused_refuses("apikey", "webdav.write", "exe")
	_types_refused_refuses("anonymous", "request.upload", "exe")
	not _types_refused_refuses("apikey", "file.upload", "pdf")
	not _types_refused_refuses("apikey", "share.download", "exe")
}

# What was filled in.
test_types_refused_has_values if {
	count(site._refused_types) > 0
}
