package pasteport.site_test

import data.pasteport.site

_network_writes_refuses(type, action, address) if {
	some entry in site.deny with input as {
		"subject": {"type": type, "guest": false, "basic_path": "/", "usage": {"bytes_today": 0}},
		"action": action,
		"resource": {"extension": "", "paths": [], "size": 0, "share": {"expires_in": 0, "has_password": false}},
		"context": {"client_ip": address, "time_ns": 0},
	}
		with site._writing_networks as {"10.0.0.0/8", "2001:db8::/32"}
	entry.code == "network_writes"
}

test_keys_change_files_from_their_networks if {
	not _network_writes_refuses("apikey", "mount.delete", "10.1.2.3")
	not _network_writes_refuses("apikey", "file.upload", "2001:db8::1")
	_network_writes_refuses("apikey", "mount.delete", "192.0.2.1")
	not _network_writes_refuses("apikey", "mount.read", "192.0.2.1")
	not _network_writes_refuses("admin", "mount.delete", "192.0.2.1")
}

# What was filled in.
test_network_writes_has_values if {
	every block in site._writing_networks {
		net.cidr_intersects(block, block)
	}
	count(site._writing_networks) > 0
}
