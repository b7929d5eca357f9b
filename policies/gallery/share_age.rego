package pasteport.site

_share_age_days := 30

# METADATA
# title: New shares of keys end
# description: After these days at the latest.
limit contains {"name": "share_max_age", "value": _share_age_days * 86400} if input.subject.type == "apikey"
