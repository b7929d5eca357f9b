package pasteport.site_test

import data.pasteport.site

_share_views_limits(type) := got if {
	got := site.limit with input as {"subject": {"type": type, "guest": false}, "action": "file.upload"} with site._share_views as 3
}

test_shares_of_keys_have_a_view_limit if {
	entry := {"name": "share_max_views", "value": 3}
	entry in _share_views_limits("apikey")
	not entry in _share_views_limits("admin")
}

# What was filled in.
test_share_views_has_values if {
	site._share_views > 0
}
