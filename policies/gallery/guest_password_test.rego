package pasteport.site_test

import data.pasteport.site

_guest_password_refuses(guest, action, protected, seconds) if {
	some entry in site.deny with input as {
		"subject": {"type": "apikey", "guest": guest},
		"action": action,
		"resource": {"extension": "", "share": {"has_password": protected, "expires_in": seconds}},
	}
		with site._guest_password_days as 2
	entry.code == "guest_password"
}

test_guests_share_with_a_password if {
	not _guest_password_refuses(true, "paste.create", true, 172800)
	_guest_password_refuses(true, "paste.create", true, 172801)
	_guest_password_refuses(true, "file.upload", true, 0)
	_guest_password_refuses(true, "file.upload", false, 60)
	not _guest_password_refuses(false, "file.upload", false, 0)
	not _guest_password_refuses(true, "file.list", false, 0)
}

# What was filled in.
test_guest_password_has_values if {
	site._guest_password_days > 0
}
