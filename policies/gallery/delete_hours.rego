package pasteport.site

import data.pasteport.lib

_delete_zone := "Europe/Berlin"

_delete_from := 480

_delete_to := 1080

# METADATA
# title: Nobody deletes outside working hours
# description: On working days only, between two times of the day. What expires goes all the same. WebDAV asks webdav.write, which this leaves alone.
deny contains {"code": "delete_hours", "message": {
	"en": "Deleting is possible in working hours only.",
	"zh-CN": "仅可在工作时间内删除。",
}} if {
	input.action in lib.deletes
	input.subject.type != "system"
	not _delete_open
}

_delete_open if {
	not lib.weekday(_delete_zone) in {"Saturday", "Sunday"}
	lib.in_window(lib.minute_of_day(_delete_zone), _delete_from, _delete_to)
}
