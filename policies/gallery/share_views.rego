package pasteport.site

_share_views := 100

# METADATA
# title: New shares of keys have a view limit
# description: They can be opened this often at most.
limit contains {"name": "share_max_views", "value": _share_views} if input.subject.type == "apikey"
