package pasteport.site

_guest_rate := 60

# METADATA
# title: Guests ask slowly
# description: A guest makes this many requests a minute; more answer 429.
limit contains {"name": "rate_per_minute", "value": _guest_rate} if input.subject.guest
