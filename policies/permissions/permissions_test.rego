package pasteport.permissions_test

import data.pasteport.permissions

_admin := {"type": "admin", "id": "a1", "guest": false, "permissions": 0, "basic_path": "/"}

_visitor := {"type": "anonymous", "id": "", "guest": false, "permissions": 0, "basic_path": "/"}

_key := {"type": "apikey", "id": "k1", "guest": false, "permissions": 0, "basic_path": "/team/a"}

_key_with(bits) := object.union(_key, {"permissions": bits})

_all_bits := sum([value | some value in permissions.bit])

_request(subject, action, resource) := {
	"subject": subject,
	"action": action,
	"resource": object.union({"owner": "", "paths": []}, resource),
}

_codes := {reason.code | some reason in permissions.reasons}

_actions := ((object.keys(permissions.needs) | permissions.public) | permissions.admin_only) | permissions.any_key

test_an_admin_may_do_everything_there_is if {
	every action in _actions {
		permissions.allow with input as _request(_admin, action, {"owner": "apikey:k9", "paths": ["/elsewhere"]})
	}
}

test_an_unknown_action_is_refused_to_everybody if {
	every subject in [_admin, _visitor, _key_with(_all_bits)] {
		every action in ["paste.burn", "", "admin.", "mount"] {
			request := _request(subject, action, {"paths": ["/team/a"]})
			not permissions.allow with input as request
			"unknown_action" in _codes with input as request
		}
	}
}

test_an_unknown_subject_is_treated_like_a_visitor if {
	every type in ["system", "", "root"] {
		subject := {"type": type, "id": "x", "guest": false, "permissions": _all_bits, "basic_path": "/"}
		permissions.allow with input as _request(subject, "share.view", {})
		not permissions.allow with input as _request(subject, "paste.list", {})
		_codes == {"login_required"} with input as _request(subject, "paste.list", {})
	}
}

test_a_visitor_has_the_public_actions_only if {
	every action in _actions {
		want := action in permissions.public
		_allowed(_request(_visitor, action, {"paths": ["/a"]})) == want
	}
}

test_a_visitor_is_told_to_sign_in if {
	_codes == {"login_required"} with input as _request(_visitor, "mount.list", {"paths": ["/"]})
}

test_a_key_without_permissions_may_ask_about_itself if {
	permissions.allow with input as _request(_key, "key.self", {})
	not permissions.allow with input as _request(_visitor, "key.self", {})
}

test_each_permission_opens_its_actions_only if {
	every name, value in permissions.bit {
		every action, names in permissions.needs {
			request := _request(_key_with(value), action, {"owner": "apikey:k1", "paths": ["/team/a/x"]})
			want := name in names
			_allowed(request) == want
		}
	}
}

test_a_missing_permission_is_named if {
	_codes == {"permission_missing"} with input as _request(_key_with(2), "paste.create", {})
	_codes == {"permission_missing"} with input as _request(_key_with(_all_bits), "admin.keys.read", {})
}

test_keys_never_take_actions_of_the_admin if {
	every action in permissions.admin_only {
		not permissions.allow with input as _request(_key_with(_all_bits), action, {"owner": "apikey:k1", "paths": ["/team/a"]})
	}
}

test_every_path_must_lie_in_the_folder_of_the_key if {
	cases := {
		["/team/a"]: true,
		["/team/a/x"]: true,
		["/team/a/x", "/team/a/y"]: true,
		["/team/a/x", "/team/b/y"]: false,
		["/team/ab"]: false,
		["/team"]: false,
		["/"]: false,
		[]: false,
	}
	every paths, want in cases {
		every action in permissions.on_paths - {"mount.list", "webdav.list"} {
			_allowed(_request(_key_with(_all_bits), action, {"paths": paths})) == want
		}
	}
}

test_a_listing_may_walk_down_to_the_folder if {
	cases := {
		["/"]: true,
		["/team"]: true,
		["/team/a"]: true,
		["/team/a/x"]: true,
		["/team/ab"]: false,
		["/tea"]: false,
		["/team/b"]: false,
		[]: false,
	}
	every paths, want in cases {
		every action in ["mount.list", "webdav.list"] {
			_allowed(_request(_key_with(_all_bits), action, {"paths": paths})) == want
		}
	}
}

test_a_key_at_the_root_reaches_everything if {
	subject := object.union(_key_with(_all_bits), {"basic_path": "/"})
	every path in ["/", "/x", "/team/a"] {
		permissions.allow with input as _request(subject, "mount.delete", {"paths": [path]})
	}
}

test_a_key_without_a_folder_reaches_nothing if {
	every base in ["", "team", "/team/a/"] {
		every path in ["/", "/team", "/team/a/x"] {
			subject := object.union(_key_with(_all_bits), {"basic_path": base})
			not permissions.allow with input as _request(subject, "mount.read", {"paths": [path]})
		}
	}
}

test_a_path_outside_is_named if {
	_codes == {"outside_basic_path"} with input as _request(_key_with(_all_bits), "mount.read", {"paths": ["/team/ab"]})
	_codes == {"outside_basic_path"} with input as _request(_key_with(_all_bits), "mount.read", {})
}

test_a_key_owns_its_items_with_and_without_prefix if {
	cases := {
		"apikey:k1": true,
		"k1": true,
		"apikey:k2": false,
		"k2": false,
		"a1": false,
		"apikey:": false,
		"": false,
	}
	every owner, want in cases {
		every action in permissions.on_items {
			_allowed(_request(_key_with(_all_bits), action, {"owner": owner})) == want
		}
	}
}

test_nobody_owns_an_item_without_owner if {
	nameless := object.union(_key_with(_all_bits), {"id": ""})
	not permissions.allow with input as _request(nameless, "paste.delete", {"owner": ""})
}

test_an_item_of_somebody_else_is_named if {
	_codes == {"not_owner"} with input as _request(_key_with(1), "paste.update", {"owner": "apikey:k2"})
}

test_an_allowed_request_has_no_reasons if {
	_codes == set() with input as _request(_admin, "mount.list", {"owner": "apikey:k2"})
	_codes == set() with input as _request(_key_with(1), "paste.update", {"owner": "k1"})
	_codes == set() with input as _request(_visitor, "share.view", {})
}

test_a_missing_field_refuses if {
	subject := _key_with(_all_bits)
	not permissions.allow with input as {"subject": subject, "action": "mount.read", "resource": {}}
	not permissions.allow with input as {"subject": subject, "action": "paste.delete", "resource": {}}
	not permissions.allow with input as {"subject": object.remove(subject, {"permissions"}), "action": "paste.create"}
	not permissions.allow with input as {"subject": object.remove(subject, {"basic_path"}), "action": "mount.read", "resource": {"paths": ["/"]}}
	not permissions.allow with input as {"subject": {}, "action": "paste.create"}
	not permissions.allow with input as {"subject": subject}
	not permissions.allow with input as {}
}

test_lists_of_actions_do_not_overlap if {
	lists := [object.keys(permissions.needs), permissions.public, permissions.admin_only, permissions.any_key]
	sum([count(list) | some list in lists]) == count(_actions)
}

test_items_and_paths_are_actions if {
	every action in permissions.on_items | permissions.on_paths {
		permissions.needs[action]
	}
}

_allowed(request) := got if got := permissions.allow with input as request
