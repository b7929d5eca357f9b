# Quotas and limits: how much a key may upload in a day, and how large and how old its shares may get.
package pasteport.site

# METADATA
# title: Daily quota of a key
# description: |
#   2 GiB and 1000 files a day. The limits hold exactly, however many uploads come at once; the rule refuses what cannot
#   fit anyway with words of its own. It is written as "not within", so that a missing counter refuses.
deny contains {"code": "daily_quota", "message": "This key has used its 2 GiB for today."} if {
	input.subject.type == "apikey"
	input.action in {"file.upload", "mount.upload", "url.fetch", "webdav.write"}
	not _within_quota
}

_within_quota if {
	input.subject.usage.bytes_today + input.resource.size <= ((2 * 1024) * 1024) * 1024
}

limit contains {"name": "quota_bytes_day", "value": ((2 * 1024) * 1024) * 1024} if input.subject.type == "apikey"

limit contains {"name": "quota_files_day", "value": 1000} if input.subject.type == "apikey"

# METADATA
# title: Limits of keys
# description: Files up to 1 GiB, shares up to 30 days.
limit contains {"name": "max_size", "value": (1024 * 1024) * 1024} if input.subject.type == "apikey"

limit contains {"name": "share_max_age", "value": 30 * 86400} if input.subject.type == "apikey"
