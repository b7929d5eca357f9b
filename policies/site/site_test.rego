package pasteport.site_test

import data.pasteport.site

test_the_shipped_site_refuses_nothing_and_limits_nothing if {
	every type in ["anonymous", "apikey", "admin", "system"] {
		request := {"subject": {"type": type}, "action": "paste.create"}
		site.deny == set() with input as request
		site.limit == set() with input as request
	}
}
