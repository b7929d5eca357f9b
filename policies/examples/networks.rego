# Rules by network: the admin panel from the office only, blocked networks, folders with networks of their own, and WebDAV over TLS.
package pasteport.site

import data.pasteport.lib

# METADATA
# title: Administration from the office only
# description: Actions of the administrator need an address of the office network.
deny contains {"code": "admin_network", "message": "Administration is open to the office network only."} if {
	startswith(input.action, "admin.")
	not lib.client_in({"10.20.0.0/16", "2001:db8:20::/48"})
}

# METADATA
# title: Blocked networks
# description: Nobody in a network of the data document blocked_networks gets in. Without the document nothing is blocked.
deny contains {"code": "blocked_network", "message": "This network is blocked."} if {
	lib.client_in(data.site.blocked_networks)
}

# METADATA
# title: Folders for some networks
# description: |
#   The data document folder_networks names folders of the mounts and the networks that reach them. It holds for the
#   explorer, WebDAV and proxy links, and for links of shares that were made from files in there. Without the document
#   every network reaches all.
deny contains {"code": "folder_network", "message": "This folder is not open to your network."} if {
	some folder, networks in data.site.folder_networks
	some path in input.resource.paths
	lib.under(path, folder)
	not lib.client_in(networks)
}

# METADATA
# title: WebDAV over TLS only
# description: WebDAV sends the credential with every request.
deny contains {"code": "tls", "message": {"en": "WebDAV needs https.", "zh-CN": "WebDAV 需要 https。"}} if {
	startswith(input.action, "webdav.")
	not input.context.tls
}
