package pasteport.site

_key_quota_mib := 2048

_key_quota_files := 1000

# METADATA
# title: What a key may upload in a day
# description: By shares, folders and WebDAV together; a day ends at midnight, UTC.
limit contains {"name": "quota_bytes_day", "value": (_key_quota_mib * 1024) * 1024} if input.subject.type == "apikey"

# METADATA
# title: How many files a key may upload in a day
limit contains {"name": "quota_files_day", "value": _key_quota_files} if input.subject.type == "apikey"
