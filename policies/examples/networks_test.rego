package pasteport.site_test

import data.pasteport.site

# These tests hold beside other rules too: they look at the codes of this file.
_networks_own := {"admin_network", "blocked_network", "tls"}

_from(address, tls, action) := {
	"subject": {"type": "admin"},
	"action": action,
	"context": {"client_ip": address, "tls": tls},
}

_network_codes(request) := codes if {
	codes := _networks_own & {entry.code | some entry in site.deny} with input as request
		with data.site.blocked_networks as ["192.0.2.0/24"]
}

test_administration_is_for_the_office if {
	_network_codes(_from("10.20.3.4", true, "admin.keys.read")) == set()
	_network_codes(_from("2001:db8:20::7", true, "admin.keys.read")) == set()
	_network_codes(_from("198.51.100.7", true, "admin.keys.read")) == {"admin_network"}
	_network_codes(_from("198.51.100.7", true, "paste.list")) == set()
}

test_an_unknown_address_is_not_the_office if {
	_network_codes({"subject": {"type": "admin"}, "action": "admin.keys.read", "context": {}}) == {"admin_network"}
}

test_blocked_networks_get_nothing if {
	_network_codes(_from("192.0.2.9", true, "share.view")) == {"blocked_network"}
	_network_codes(_from("198.51.100.7", true, "share.view")) == set()
}

test_without_the_document_nothing_is_blocked if {
	_networks_own & {entry.code | some entry in site.deny} == set() with input as _from("192.0.2.9", true, "share.view")
}

test_webdav_needs_tls if {
	_network_codes(_from("198.51.100.7", false, "webdav.list")) == {"tls"}
	_network_codes(_from("198.51.100.7", true, "webdav.list")) == set()
	_network_codes(_from("198.51.100.7", false, "mount.list")) == set()
}

_in_folder(address, action, path) := codes if {
	codes := {"folder_network"} & {entry.code | some entry in site.deny} with input as object.union(_from(address, true, action), {"resource": {"paths": [path]}})
		with data.site.folder_networks as {"/internal": ["10.20.0.0/16"]}
}

test_folders_are_for_their_networks if {
	every action in ["mount.read", "webdav.read", "mount.proxy", "file.delete"] {
		_in_folder("10.20.3.4", action, "/internal/plan.pdf") == set()
		_in_folder("192.0.2.9", action, "/internal/plan.pdf") == {"folder_network"}
		_in_folder("192.0.2.9", action, "/internals/plan.pdf") == set()
	}
}

test_links_of_shares_into_a_folder_keep_its_networks if {
	every action in ["share.view", "share.download", "share.preview", "share.verify"] {
		_in_folder("10.20.3.4", action, "/internal/plan.pdf") == set()
		_in_folder("192.0.2.9", action, "/internal/plan.pdf") == {"folder_network"}
		_in_folder("192.0.2.9", action, "/public/plan.pdf") == set()
	}
}

test_without_the_document_every_folder_is_open if {
	{entry.code | some entry in site.deny} == set() with input as object.union(_from("192.0.2.9", true, "share.view"), {"resource": {"paths": ["/internal/plan.pdf"]}})
}
