package pasteport.site

_refused_types := {"bat", "cmd", "exe", "msi", "scr"}

_refused_types_uploads := {"file.upload", "mount.upload", "mount.edit", "request.upload", "url.fetch", "webdav.write"}

# METADATA
# title: Nobody uploads files of some types
# description: Looks at the end of the name, so a renamed file passes.
deny contains {"code": "type_refused", "message": {
	"en": "Files of this type may not be uploaded.",
	"zh-CN": "不能上传此类文件。",
}} if {
	input.action in _refused_types_uploads
	input.resource.extension in _refused_types
}
