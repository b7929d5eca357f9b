package pasteport.site

import data.pasteport.lib

_unshared_folders := {"/team"}

# METADATA
# title: Keys of a folder may not share
# description: Keys whose own folder is one of these, or lies in one, make no texts, file shares or links to mounted files.
deny contains {"code": "folder_unshared", "message": {
	"en": "Keys of this folder may not share.",
	"zh-CN": "此文件夹的密钥不能分享。",
}} if {
	input.subject.type == "apikey"
	input.action in {"paste.create", "file.upload", "url.fetch", "mount.share"}
	some folder in _unshared_folders
	lib.under(input.subject.basic_path, folder)
}
