package pasteport.site_test

import data.pasteport.site

# These tests hold beside other rules too: they look at the codes of this file.
_content_own := {"fetch_host", "private_folder", "share_password", "frozen"}

_on(type, action, resource) := {
	"subject": {"type": type},
	"action": action,
	"resource": object.union({"paths": [], "url_host": "", "share": {"has_password": false}}, resource),
}

_content_codes(request) := codes if {
	codes := _content_own & {entry.code | some entry in site.deny} with input as request
}

test_only_known_hosts_are_fetched if {
	cases := {"example.com": set(), "cdn.example.com": set(), "badexample.com": {"fetch_host"}, "": {"fetch_host"}}
	every host, want in cases {
		_content_codes(_on("admin", "url.fetch", {"url_host": host})) == want
	}
}

test_private_folders_are_private if {
	cases := {
		"/private": {"private_folder"},
		"/team/private/x": {"private_folder"},
		"/team/privateer": set(),
		"/": set(),
	}
	every path, want in cases {
		_content_codes(_on("apikey", "mount.read", {"paths": [path]})) == want
	}
	_content_codes(_on("admin", "mount.read", {"paths": ["/private"]})) == set()
}

test_shares_of_hr_need_a_password if {
	_content_codes(_on("admin", "mount.share", {"paths": ["/hr/x"]})) == {"share_password"}
	_content_codes(_on("admin", "mount.share", {"paths": ["/hr/x"], "share": {"has_password": true}})) == set()
	_content_codes(_on("admin", "mount.share", {"paths": ["/hrx"]})) == set()
}

test_a_frozen_site_can_be_read if {
	cases := {
		"paste.create": {"frozen"},
		"webdav.write": {"frozen"},
		"mount.delete": {"frozen"},
		"paste.read_own": set(),
		"share.view": set(),
		"session.open": set(),
		"admin.policy.write": set(),
	}
	every action, want in cases {
		_frozen_codes(_on("admin", action, {})) == want
	}
}

_frozen_codes(request) := codes if {
	codes := _content_own & {entry.code | some entry in site.deny} with input as request with data.site.freeze as true
}

test_without_the_document_nothing_is_frozen if {
	_content_codes(_on("admin", "paste.create", {})) == set()
}
