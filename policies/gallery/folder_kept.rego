package pasteport.site

import data.pasteport.lib

_kept_folders := {"/archive"}

_kept_actions := {
	"mount.upload",
	"mount.mkdir",
	"mount.edit",
	"mount.copy",
	"mount.move",
	"mount.rename",
	"mount.delete",
	"webdav.write",
}

# METADATA
# title: Nobody changes anything in these folders
# description: Neither over the web nor over WebDAV; reading and sharing stay possible.
deny contains {"code": "folder_kept", "message": {
	"en": "This folder is read-only.",
	"zh-CN": "此文件夹为只读。",
}} if {
	input.action in _kept_actions
	some path in input.resource.paths
	some folder in _kept_folders
	lib.under(path, folder)
}
