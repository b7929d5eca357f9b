package pasteport.site_test

import data.pasteport.site

_guest_rate_limits(guest) := got if {
	got := site.limit with input as {"subject": {"type": "apikey", "guest": guest}, "action": "file.list"} with site._guest_rate as 4
}

test_guests_ask_slowly if {
	entry := {"name": "rate_per_minute", "value": 4}
	entry in _guest_rate_limits(true)
	not entry in _guest_rate_limits(false)
}

# What was filled in.
test_guest_rate_has_values if {
	site._guest_rate > 0
}
