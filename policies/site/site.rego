# METADATA
# title: Site rules
# description: |
#   The rules of this site, empty as shipped. Rules that a site adds join these sets: `deny` refuses a request,
#   `limit` lowers one of the limits max_size, rate_per_minute, share_max_age, share_max_views, list_limit, link_expires,
#   quota_bytes_day, quota_files_day, quota_bytes_stored.
package pasteport.site

# METADATA
# description: Refusals, each with a stable code and a message as text or as one text per language.
deny contains {"code": "", "message": ""} if false

# METADATA
# description: Limits, each with a name and a whole number from 1.
limit contains {"name": "", "value": 0} if false
