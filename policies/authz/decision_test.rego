package pasteport.authz_test

import data.pasteport.authz
import data.pasteport.site

_request(type, action) := {
	"subject": {"type": type, "id": "k1", "guest": false, "permissions": 1, "basic_path": "/"},
	"action": action,
	"resource": {"owner": "", "paths": []},
}

_refusal := {{"code": "closed", "message": "The site is closed."}}

test_without_site_rules_the_built_in_rules_decide if {
	authz.allow with input as _request("apikey", "paste.create")
	not authz.allow with input as _request("apikey", "file.upload")
	not authz.allow with input as _request("anonymous", "paste.create")
}

test_a_site_rule_refuses_what_the_built_in_rules_allow if {
	not authz.allow with input as _request("apikey", "paste.create") with site.deny as _refusal
	not authz.allow with input as _request("admin", "paste.create") with site.deny as _refusal
	not authz.allow with input as _request("anonymous", "share.view") with site.deny as _refusal
}

test_site_rules_cannot_widen if {
	not authz.allow with input as _request("anonymous", "paste.create") with site.deny as set()
	not authz.allow with input as _request("anonymous", "paste.create") with site.limit as {{"name": "max_size", "value": 1}}
}

test_reasons_of_both_are_told if {
	reasons := authz.reasons with input as _request("apikey", "file.upload") with site.deny as _refusal
	{[reason.source, reason.code] | some reason in reasons} == {["", "permission_missing"], ["site", "closed"]}
}

test_an_allowed_request_has_no_reasons if {
	authz.reasons == set() with input as _request("apikey", "paste.create")
}

test_an_admin_sees_all_records_and_others_their_own if {
	cases := {"admin": "all", "apikey": "own", "anonymous": "own", "system": "own"}
	every type, want in cases {
		_scope(type) == want
	}
}

_scope(type) := got if got := authz.scope with input as _request(type, "paste.list")

test_without_a_subject_the_scope_is_narrow if {
	authz.scope == "own" with input as {}
}

test_the_smallest_limit_of_a_name_holds if {
	limits := {
		{"name": "max_size", "value": 20},
		{"name": "max_size", "value": 10},
		{"name": "max_size", "value": 30},
		{"name": "list_limit", "value": 5},
	}
	got := authz.obligations with input as _request("admin", "paste.list") with site.limit as limits
	got == {"max_size": 10, "list_limit": 5}
}

test_the_decision_holds_every_part if {
	got := authz.decision with input as _request("admin", "paste.list") with site.deny as _refusal
	got == {
		"allow": false,
		"reasons": {{"code": "closed", "message": "The site is closed.", "source": "site"}},
		"obligations": {},
		"scope": "all",
	}
}

test_nothing_is_allowed_without_input if {
	not authz.allow with input as {}
}
