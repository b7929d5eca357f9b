package pasteport.site

import data.pasteport.lib

# METADATA
# title: Requests into the folder of clients have a password
deny contains {"code": "request_password", "message": {
	"en": "A request for files of clients needs a password.",
	"zh-CN": "向客户收集文件须设置密码。",
}} if {
	input.action in {"request.create", "request.upload"}
	some path in input.resource.paths
	lib.under(path, "/clients")
	not input.resource.share.has_password
}

_requests_refused := {
	"application/vnd.microsoft.portable-executable",
	"application/x-elf",
	"application/x-executable",
	"application/x-mach-binary",
	"application/x-sharedlib",
	"text/x-shellscript",
}

# METADATA
# title: Strangers send no programs
# description: The second question has the type of the content, whatever the name says.
deny contains {"code": "request_program", "message": ""} if {
	input.action == "request.upload"
	input.resource.content_type in _requests_refused
}

# METADATA
# title: Files of strangers are at most 2 GB
limit contains {"name": "max_size", "value": 2000000000} if input.action == "request.upload"
