package pasteport.site

_fetch_hosts := {"example.com"}

# METADATA
# title: Files are fetched from these hosts only
# description: Hosts below them count too.
deny contains {"code": "fetch_from", "message": {
	"en": "Files may not be fetched from this address.",
	"zh-CN": "不能从此地址获取文件。",
}} if {
	input.action == "url.fetch"
	not _fetch_known
}

_fetch_known if input.resource.url_host in _fetch_hosts

_fetch_known if {
	some host in _fetch_hosts
	endswith(input.resource.url_host, concat("", [".", host]))
}
