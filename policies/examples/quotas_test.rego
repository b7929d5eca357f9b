package pasteport.site_test

import data.pasteport.site

# These tests hold beside other rules too: they look at the codes of this file.
_quotas_own := {"daily_quota"}

_upload(type, used, size) := {
	"subject": {"type": type, "id": "k1", "permissions": 512, "basic_path": "/", "usage": {"bytes_today": used}},
	"action": "mount.upload",
	"resource": {"paths": ["/x"], "size": size},
}

_quota_codes(request) := codes if {
	codes := _quotas_own & {entry.code | some entry in site.deny} with input as request
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
	limits := {
		{"name": "max_size", "value": 1073741824},
		{"name": "quota_bytes_day", "value": 2147483648},
		{"name": "quota_files_day", "value": 1000},
		{"name": "share_max_age", "value": 2592000},
	}
	limits & _quota_limits("apikey") == limits
	limits & _quota_limits("admin") == set()
}

_quota_limits(type) := got if got := site.limit with input as _upload(type, 0, 1)
