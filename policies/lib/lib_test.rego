package pasteport.lib_test

import data.pasteport.lib

test_under_compares_whole_segments if {
	cases := {
		["/team/a", "/team/a"]: true,
		["/team/a/x", "/team/a"]: true,
		["/team/a/x/y", "/team/a"]: true,
		["/team/ab", "/team/a"]: false,
		["/team", "/team/a"]: false,
		["/", "/team/a"]: false,
		["/团队/甲", "/团队"]: true,
		["", "/team"]: false,
		["", "/"]: false,
		["", ""]: false,
		["/team", ""]: false,
		["/team", "team"]: false,
		["/team/a/x", "/team/a/"]: false,
	}
	every pair, want in cases {
		_under(pair[0], pair[1]) == want
	}
}

test_everything_is_under_the_root if {
	every path in ["/", "/a", "/a/b", "/团队"] {
		lib.under(path, "/")
	}
}

_under(path, dir) if lib.under(path, dir)

_under(path, dir) := false if not lib.under(path, dir)

# A Wednesday, 10:00 in Berlin, 16:00 in Shanghai.
_wednesday := {"context": {"time_ns": 1754467200000000000}}

test_minutes_and_days_follow_the_zone if {
	lib.minute_of_day("Europe/Berlin") == 600 with input as _wednesday
	lib.minute_of_day("Asia/Shanghai") == 960 with input as _wednesday
	lib.minute_of_day("UTC") == 480 with input as _wednesday
	lib.weekday("Europe/Berlin") == "Wednesday" with input as _wednesday
	lib.weekday("Pacific/Kiritimati") == "Wednesday" with input as _wednesday
}

test_the_day_changes_at_local_midnight if {
	late := {"context": {"time_ns": 1754517600000000000}} # 22:00 UTC, midnight in Berlin
	lib.weekday("Europe/Berlin") == "Thursday" with input as late
	lib.weekday("UTC") == "Wednesday" with input as late
	lib.minute_of_day("Europe/Berlin") == 0 with input as late
}

test_windows_close_before_their_end if {
	cases := {480: true, 479: false, 1079: true, 1080: false}
	every minute, want in cases {
		_in_window(minute, 480, 1080) == want
	}
}

test_windows_may_run_over_midnight if {
	cases := {1320: true, 1439: true, 0: true, 359: true, 360: false, 720: false}
	every minute, want in cases {
		_in_window(minute, 1320, 360) == want
	}
}

test_a_window_without_length_is_never_open if {
	not lib.in_window(480, 480, 480)
}

_in_window(minute, from, to) if lib.in_window(minute, from, to)

_in_window(minute, from, to) := false if not lib.in_window(minute, from, to)

test_addresses_are_matched_by_block if {
	blocks := {"10.20.0.0/16", "2001:db8:20::/48"}
	cases := {
		"10.20.3.4": true,
		"10.21.3.4": false,
		"2001:db8:20::1": true,
		"2001:db8:21::1": false,
		"0.0.0.0": false,
	}
	every address, want in cases {
		_client_in(blocks, address) == want
	}
}

test_no_block_holds_nobody if {
	not lib.client_in(set()) with input as {"context": {"client_ip": "10.20.3.4"}}
}

_client_in(blocks, address) if lib.client_in(blocks) with input as {"context": {"client_ip": address}}

_client_in(blocks, address) := false if {
	not lib.client_in(blocks) with input as {"context": {"client_ip": address}}
}

test_no_action_stands_in_two_groups if {
	lib.reads & lib.changes == set()
	lib.writes & lib.deletes == set()
	lib.changes == lib.writes | lib.deletes
	"mount.delete" in lib.deletes
}
