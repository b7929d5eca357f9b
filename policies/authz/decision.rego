# METADATA
# title: Decision
# description: |
#   The answer to one request: the built-in rules narrowed by the site rules. A site rule can refuse or lower a limit;
#   no site rule can allow what the built-in rules refuse.
package pasteport.authz

import data.pasteport.permissions
import data.pasteport.site

# METADATA
# title: Decision
# description: Everything about one request, for people and tools. The server asks for the parts one by one.
# entrypoint: true
decision := {
	"allow": allow,
	"reasons": reasons,
	"obligations": obligations,
	"scope": scope,
}

# METADATA
# description: Whether the request may go on.
default allow := false

allow if granted

# METADATA
# description: True when the request may go on, else undefined. Without a default the answer can be worked out ahead.
granted if {
	permissions.granted
	not _denied
}

_denied if some _ in site.deny

# METADATA
# description: For lists, whether the caller sees all records or only its own.
scope := "all" if input.subject.type == "admin"

scope := "own" if not input.subject.type == "admin"

# METADATA
# description: Why the request is refused; every rule that refuses has its say.
reasons contains reason if some reason in permissions.reasons

reasons contains object.union(reason, {"source": "site"}) if some reason in site.deny

# METADATA
# description: Limits that an allowed request must keep. Of several limits of one name the smallest holds.
obligations[name] := min(values) if {
	some entry in site.limit
	name := entry.name
	values := {limit.value | some limit in site.limit; limit.name == name}
}
