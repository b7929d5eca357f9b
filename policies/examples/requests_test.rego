package pasteport.site_test

import data.pasteport.site

_requests_ask(action, path, type, password) := {
	"subject": {"type": "anonymous"},
	"action": action,
	"resource": {"paths": [path], "content_type": type, "share": {"has_password": password}},
}

_requests_codes(request) := {entry.code | some entry in site.deny with input as request; startswith(entry.code, "request_")}

test_requests_of_clients_have_a_password if {
	_requests_codes(_requests_ask("request.create", "/clients", "", false)) == {"request_password"}
	_requests_codes(_requests_ask("request.upload", "/clients/a/x.pdf", "application/pdf", false)) == {"request_password"}
	_requests_codes(_requests_ask("request.upload", "/clients/a/x.pdf", "application/pdf", true)) == set()
	_requests_codes(_requests_ask("request.create", "/clientsfoo", "", false)) == set()
}

test_strangers_send_no_programs if {
	_requests_codes(_requests_ask("request.upload", "/inbox/x.pdf", "application/x-elf", true)) == {"request_program"}
	_requests_codes(_requests_ask("mount.upload", "/inbox/x", "application/x-elf", true)) == set()
}

test_files_of_strangers_have_a_size if {
	entry := {"name": "max_size", "value": 2000000000}
	entry in site.limit with input as _requests_ask("request.upload", "/inbox/x.pdf", "", true)
	not entry in site.limit with input as _requests_ask("mount.upload", "/inbox/x.pdf", "", true)
}
