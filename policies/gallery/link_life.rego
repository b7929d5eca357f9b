package pasteport.site

_link_life_hours := 24

# METADATA
# title: Direct links of keys end
# description: After these hours at the latest.
limit contains {"name": "link_expires", "value": _link_life_hours * 3600} if input.subject.type == "apikey"
