package pasteport.site_test

import data.pasteport.site

_delete_hours_refuses(type, action, time_ns) if {
	some entry in site.deny with input as {
		"subject": {"type": type, "guest": false},
		"action": action,
		"context": {"time_ns": time_ns},
	}
		with site._delete_zone as "UTC"
		with site._delete_from as 540
		with site._delete_to as 1020
	entry.code == "delete_hours"
}

# 2025-08-06, a Wednesday, at 12:00, 08:59 and 17:00; and the Saturday after at 12:00.
_delete_hours_noon := 1754481600000000000

_delete_hours_early := 1754470740000000000

_delete_hours_late := 1754499600000000000

_delete_hours_saturday := 1754740800000000000

test_nobody_deletes_outside_working_hours if {
	not _delete_hours_refuses("admin", "file.delete", _delete_hours_noon)
	_delete_hours_refuses("admin", "file.delete", _delete_hours_early)
	_delete_hours_refuses("apikey", "mount.delete", _delete_hours_late)
	_delete_hours_refuses("apikey", "paste.delete", _delete_hours_saturday)
	not _delete_hours_refuses("apikey", "paste.create", _delete_hours_saturday)
	not _delete_hours_refuses("system", "file.delete", _delete_hours_saturday)
}

# What was filled in.
test_delete_hours_has_values if {
	time.weekday([0, site._delete_zone])
	site._delete_from < 1440
	site._delete_to < 1440
}
