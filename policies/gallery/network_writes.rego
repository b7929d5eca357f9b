package pasteport.site

import data.pasteport.lib

_writing_networks := {"10.0.0.0/8", "127.0.0.0/8", "192.168.0.0/16", "::1/128"}

# METADATA
# title: Keys change files from these networks only
# description: From elsewhere keys read; who makes or deletes something is refused.
deny contains {"code": "network_writes", "message": {
	"en": "Changes are not possible from this network.",
	"zh-CN": "此网络不能进行更改。",
}} if {
	input.subject.type == "apikey"
	input.action in lib.changes
	not lib.client_in(_writing_networks)
}
