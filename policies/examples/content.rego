# Rules by content: where files may come from, which folders are private, which shares need a password, and a switch that freezes all.
package pasteport.site

import data.pasteport.lib

# METADATA
# title: Only known hosts in URL uploads
# description: Hosts and their subdomains.
deny contains {"code": "fetch_host", "message": "Files may be fetched from example.com only."} if {
	input.action == "url.fetch"
	not _known_host
}

_known_host if input.resource.url_host == "example.com"

_known_host if endswith(input.resource.url_host, ".example.com")

# METADATA
# title: Private folders
# description: A folder named private, at any depth, is for the administrator.
deny contains {"code": "private_folder", "message": "This folder is private."} if {
	input.subject.type != "admin"
	some path in input.resource.paths
	"private" in split(path, "/")
}

# METADATA
# title: Shares from /hr need a password
# description: Applies where an object of a mount becomes a share.
deny contains {"code": "share_password", "message": "Shares of this folder need a password."} if {
	input.action == "mount.share"
	some path in input.resource.paths
	lib.under(path, "/hr")
	not input.resource.share.has_password
}

# METADATA
# title: Freeze
# description: While the data document says freeze, only reading and administration work.
deny contains {"code": "frozen", "message": "The site is frozen; nothing can be changed right now."} if {
	data.site.freeze == true
	input.action in lib.changes
	not startswith(input.action, "admin.")
}
