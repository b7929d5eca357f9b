package pasteport.site_test

import data.pasteport.site

# These tests hold beside other rules too: they look at the codes of this file.
_times_own := {"office_hours", "night"}

_at(time_ns, type, action, path) := {
	"subject": {"type": type},
	"action": action,
	"resource": {"paths": [path]},
	"context": {"time_ns": time_ns},
}

_wednesday_10 := 1754467200000000000

_wednesday_18 := 1754496000000000000

_wednesday_23 := 1754514000000000000

_saturday_10 := 1754726400000000000

_time_codes(request) := codes if {
	codes := _times_own & {entry.code | some entry in site.deny} with input as request
}

test_keys_upload_in_office_hours if {
	_time_codes(_at(_wednesday_10, "apikey", "mount.upload", "/a")) == set()
	_time_codes(_at(_wednesday_18, "apikey", "mount.upload", "/a")) == {"office_hours"}
	_time_codes(_at(_saturday_10, "apikey", "mount.upload", "/a")) == {"office_hours"}
}

test_office_hours_are_for_uploads_of_keys if {
	_time_codes(_at(_saturday_10, "admin", "mount.upload", "/a")) == set()
	_time_codes(_at(_saturday_10, "apikey", "mount.read", "/a")) == set()
}

test_the_archive_rests_at_night if {
	_time_codes(_at(_wednesday_23, "admin", "mount.delete", "/archive/x")) == {"night"}
	_time_codes(_at(_wednesday_23, "admin", "mount.delete", "/archives/x")) == set()
	_time_codes(_at(_wednesday_23, "admin", "mount.read", "/archive/x")) == set()
	_time_codes(_at(_wednesday_10, "admin", "mount.delete", "/archive/x")) == set()
}

test_an_unknown_time_refuses if {
	request := {"subject": {"type": "apikey"}, "action": "webdav.write", "resource": {"paths": ["/archive"]}, "context": {}}
	_time_codes(request) == {"office_hours", "night"}
}
