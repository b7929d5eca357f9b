package pasteport.site_test

import data.pasteport.authz
import data.pasteport.site

_upload(type, used, size) := {
	"subject": {"type": type, "id": "k1", "permissions": 512, "basic_path": "/", "usage": {"bytes_today": used}},
	"action": "mount.upload",
	"resource": {"paths": ["/x"], "size": size},
}

_quota_codes(request) := codes if {
	codes := {entry.code | some entry in site.deny} with input as request
}

test_the_quota_counts_what_is_being_uploaded if {
	_quota_codes(_upload("apikey", 2147483647, 1)) == set()
	_quota_codes(_upload("apikey", 2147483647, 2)) == {"daily_quota"}
	_quota_codes(_upload("admin", 2147483647, 2)) == set()
}

test_a_missing_counter_refuses if {
	request := object.remove(_upload("apikey", 0, 1), {"subject"})
	subject := {"type": "apikey", "id": "k1", "permissions": 512, "basic_path": "/"}
	_quota_codes(object.union(request, {"subject": subject})) == {"daily_quota"}
}

test_keys_have_limits if {
	_quota_limits("apikey") == {"max_size": 1073741824, "quota_bytes_day": 2147483648, "quota_files_day": 1000, "share_max_age": 2592000}
	_quota_limits("admin") == {}
}

_quota_limits(type) := got if got := authz.obligations with input as _upload(type, 0, 1)
