package pasteport.site

_guest_types := {"pdf", "png"}

_guest_types_mib := 20

_guest_types_uploads := {"file.upload", "mount.upload", "mount.edit", "url.fetch", "webdav.write"}

# METADATA
# title: Guests upload some types of files only
# description: Looks at the end of the name, so a renamed file passes.
deny contains {"code": "guest_type", "message": {
	"en": "Guests may not upload files of this type.",
	"zh-CN": "访客密钥不能上传此类文件。",
}} if {
	input.subject.guest
	input.action in _guest_types_uploads
	not input.resource.extension in _guest_types
}

# METADATA
# title: Files of guests are small
limit contains {"name": "max_size", "value": (_guest_types_mib * 1024) * 1024} if input.subject.guest
