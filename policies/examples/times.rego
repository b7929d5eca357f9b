# Rules by time: office hours for keys, and an archive that is read-only at night.
package pasteport.site

import data.pasteport.lib

_zone := "Europe/Berlin"

# METADATA
# title: Office hours
# description: Keys upload on working days from 08:00 to 18:00 only.
deny contains {"code": "office_hours", "message": "Uploads are open on working days from 08:00 to 18:00."} if {
	input.subject.type == "apikey"
	input.action in {"file.upload", "mount.upload", "mount.edit", "url.fetch", "webdav.write"}
	not _office_open
}

_office_open if {
	not lib.weekday(_zone) in {"Saturday", "Sunday"}
	lib.in_window(lib.minute_of_day(_zone), 8 * 60, 18 * 60)
}

# METADATA
# title: The archive rests at night
# description: Nobody changes anything below /archive from 22:00 to 06:00.
deny contains {"code": "night", "message": "The archive is read-only from 22:00 to 06:00."} if {
	input.action in lib.changes
	input.action != "mount.share"
	some path in input.resource.paths
	lib.under(path, "/archive")
	not _day
}

_day if lib.in_window(lib.minute_of_day(_zone), 6 * 60, 22 * 60)
