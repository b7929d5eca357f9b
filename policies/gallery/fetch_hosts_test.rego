package pasteport.site_test

import data.pasteport.site

_fetch_hosts_refuses(action, host) if {
	some entry in site.deny with input as {
		"subject": {"type": "admin", "guest": false},
		"action": action,
		"resource": {"url_host": host, "extension": ""},
	}
		with site._fetch_hosts as {"a.example"}
	entry.code == "fetch_from"
}

test_files_are_fetched_from_known_hosts if {
	not _fetch_hosts_refuses("url.fetch", "a.example")
	not _fetch_hosts_refuses("url.fetch", "cdn.a.example")
	_fetch_hosts_refuses("url.fetch", "ba.example")
	_fetch_hosts_refuses("url.fetch", "b.example")
	not _fetch_hosts_refuses("file.upload", "")
}

# What was filled in.
test_fetch_hosts_has_values if {
	count(site._fetch_hosts) > 0
}
