package pasteport.site_test

import data.pasteport.site

_link_life_limits(type) := got if {
	got := site.limit with input as {"subject": {"type": type, "guest": false}, "action": "mount.read"} with site._link_life_hours as 2
}

test_direct_links_of_keys_end if {
	entry := {"name": "link_expires", "value": 7200}
	entry in _link_life_limits("apikey")
	not entry in _link_life_limits("admin")
}

# What was filled in.
test_link_life_has_values if {
	site._link_life_hours > 0
}
