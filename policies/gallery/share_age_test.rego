package pasteport.site_test

import data.pasteport.site

_share_age_limits(type) := got if {
	got := site.limit with input as {"subject": {"type": type, "guest": false}, "action": "file.upload"} with site._share_age_days as 3
}

test_shares_of_keys_end if {
	entry := {"name": "share_max_age", "value": 259200}
	entry in _share_age_limits("apikey")
	not entry in _share_age_limits("admin")
}

# What was filled in.
test_share_age_has_values if {
	site._share_age_days > 0
}
