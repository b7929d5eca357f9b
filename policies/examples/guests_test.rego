package pasteport.site_test

import data.pasteport.site

# These tests hold beside other rules too: they look at the codes of this file.
_guests_own := {"executable", "guest_expiry"}

_by(guest, action, resource) := {
	"subject": {"type": "apikey", "id": "k1", "guest": guest, "permissions": 3, "basic_path": "/"},
	"action": action,
	"resource": object.union({"extension": "", "share": {"expires_in": 3600}}, resource),
}

_guest_codes(request) := codes if {
	codes := _guests_own & {entry.code | some entry in site.deny} with input as request
}

test_guests_upload_no_programs if {
	_guest_codes(_by(true, "file.upload", {"extension": "exe"})) == {"executable"}
	_guest_codes(_by(true, "file.upload", {"extension": "pdf"})) == set()
	_guest_codes(_by(false, "file.upload", {"extension": "exe"})) == set()
	_guest_codes(_by(true, "file.list", {"extension": "exe"})) == set()
}

test_shares_of_guests_expire if {
	cases := {0: {"guest_expiry"}, 1: set(), 604800: set(), 604801: {"guest_expiry"}}
	every seconds, want in cases {
		_guest_codes(_by(true, "paste.create", {"share": {"expires_in": seconds}})) == want
	}
	_guest_codes(_by(false, "paste.create", {"share": {"expires_in": 0}})) == set()
}

test_files_of_guests_are_small if {
	small := {"name": "max_size", "value": 20971520}
	small in _guest_limits(true)
	not small in _guest_limits(false)
}

_guest_limits(guest) := got if got := site.limit with input as _by(guest, "file.upload", {})
