package pasteport.site_test

import data.pasteport.site

_key_quota_limits(type) := got if {
	got := site.limit with input as {"subject": {"type": type, "guest": false}, "action": "file.upload"}
		with site._key_quota_mib as 5
		with site._key_quota_files as 7
}

test_keys_have_a_daily_quota if {
	every entry in [{"name": "quota_bytes_day", "value": 5242880}, {"name": "quota_files_day", "value": 7}] {
		entry in _key_quota_limits("apikey")
		not entry in _key_quota_limits("admin")
	}
}

# What was filled in.
test_key_quota_has_values if {
	site._key_quota_mib > 0
	site._key_quota_files > 0
}
