package pasteport.site

_guest_password_days := 7

# METADATA
# title: Guests share with a password and an expiry
# description: New texts and files of guests need a password, and end after some days.
deny contains {"code": "guest_password", "message": {
	"en": "Guests share with a password and an expiry only.",
	"zh-CN": "访客密钥分享时必须设置密码和有效期。",
}} if {
	input.subject.guest
	input.action in {"paste.create", "file.upload"}
	not _guest_password_good
}

_guest_password_good if {
	input.resource.share.has_password
	input.resource.share.expires_in > 0
	input.resource.share.expires_in <= _guest_password_days * 86400
}
