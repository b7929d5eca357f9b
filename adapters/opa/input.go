package opa

import (
	"net/netip"

	"github.com/open-policy-agent/opa/v1/ast"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// inputVersion is the version of the input document, input.api.
const inputVersion = 1

// noAddress stands for the caller's address where there is none, so that rules
// always read a valid one.
const noAddress = "0.0.0.0"

// The keys of the input document and its commonest values, made once. The
// engine does not change terms, so they are shared by all decisions.
var (
	keyAPI, keySubject, keyAction, keyResource, keyContext = key("api"), key("subject"), key("action"), key("resource"), key("context")

	keyType, keyID, keyName, keyGuest, keyPermissions, keyBasicPath = key("type"), key("id"), key("name"), key("guest"), key("permissions"), key("basic_path")
	keyUsage, keyBytesToday, keyFilesToday, keyBytesStored          = key("usage"), key("bytes_today"), key("files_today"), key("bytes_stored")

	keyKind, keyOwner, keyMount, keyPaths, keyExtension = key("kind"), key("owner"), key("mount"), key("paths"), key("extension")
	keyContentType, keySize, keyURLHost                 = key("content_type"), key("size"), key("url_host")
	keySlug, keyStorage                                 = key("slug"), key("storage")
	keyShare, keyHasPassword, keyExpiresIn, keyMaxViews = key("share"), key("has_password"), key("expires_in"), key("max_views")
	keyKeyOnly                                          = key("key_only")
	keyTime, keyClientIP, keyTLS, keyProtocol           = key("time_ns"), key("client_ip"), key("tls"), key("protocol")
	keyMethod, keyRoute, keyRequestID                   = key("method"), key("route"), key("request_id")

	version = number(inputVersion)
	noUsage = ast.ObjectTerm(field(keyBytesToday, number(0)), field(keyFilesToday, number(0)), field(keyBytesStored, number(0)))
	noShare = ast.ObjectTerm(field(keyHasPassword, ast.InternedTerm(false)), field(keyExpiresIn, number(0)), field(keyMaxViews, number(0)), field(keyKeyOnly, ast.InternedTerm(false)))
)

// inputOf builds the input document of a question. Every field is there: a rule
// that reads a missing field is silently undefined, and a refusal that is
// undefined does not refuse.
func inputOf(q question, on policy.Resource, call *policy.Call, used policy.Usage, clock ports.Clock) ast.Value {
	return ast.NewObject(
		field(keyAPI, version),
		field(keySubject, ast.NewTerm(subjectOf(q.who, used))),
		field(keyAction, text(string(q.do))),
		field(keyResource, ast.NewTerm(resourceOf(on))),
		field(keyContext, ast.NewTerm(contextOf(call, clock))),
	)
}

func subjectOf(who policy.Principal, used policy.Usage) ast.Value {
	known := knownSubject(who)
	known.Insert(keyUsage, usageOf(used))
	return known
}

// knownSubject is the part of the subject that does not change from request to
// request.
func knownSubject(who policy.Principal) ast.Object {
	return ast.NewObject(
		field(keyType, text(string(who.Kind))),
		field(keyID, text(who.ID)),
		field(keyName, text(who.Name)),
		field(keyGuest, ast.InternedTerm(who.Guest)),
		field(keyPermissions, number(int64(who.Permissions))),
		field(keyBasicPath, text(who.BasicPath)),
	)
}

func usageOf(u policy.Usage) *ast.Term {
	if u == (policy.Usage{}) {
		return noUsage
	}
	return ast.ObjectTerm(
		field(keyBytesToday, number(u.BytesToday)),
		field(keyFilesToday, number(u.FilesToday)),
		field(keyBytesStored, number(u.BytesStored)),
	)
}

func resourceOf(on policy.Resource) ast.Value {
	return ast.NewObject(
		field(keyKind, text(on.Kind)),
		field(keyID, text(on.ID)),
		field(keyOwner, text(on.Owner)),
		field(keyMount, text(on.Mount)),
		field(keyPaths, list(on.Paths)),
		field(keyName, text(on.Name)),
		field(keyExtension, text(on.Extension)),
		field(keyContentType, text(on.ContentType)),
		field(keySize, number(on.Size)),
		field(keyShare, shareOf(on.Share)),
		field(keyURLHost, text(on.URLHost)),
		field(keySlug, text(on.Slug)),
		field(keyStorage, text(on.Storage)),
	)
}

func shareOf(s policy.ShareTerms) *ast.Term {
	if s == (policy.ShareTerms{}) {
		return noShare
	}
	return ast.ObjectTerm(
		field(keyHasPassword, ast.InternedTerm(s.HasPassword)),
		field(keyExpiresIn, number(s.ExpiresIn)),
		field(keyMaxViews, number(s.MaxViews)),
		field(keyKeyOnly, ast.InternedTerm(s.KeyOnly)),
	)
}

func contextOf(call *policy.Call, clock ports.Clock) ast.Value {
	at := call.Time
	if at.IsZero() {
		at = clock.Now()
	}
	return ast.NewObject(
		field(keyTime, number(at.UnixNano())),
		field(keyClientIP, text(address(call.ClientIP))),
		field(keyTLS, ast.InternedTerm(call.TLS)),
		field(keyProtocol, text(call.Protocol)),
		field(keyMethod, text(call.Method)),
		field(keyRoute, text(call.Route)),
		field(keyRequestID, text(call.RequestID)),
	)
}

// address returns ip in the form rules compare with blocks: without a zone, and
// an IPv4 address as such even when it came wrapped in IPv6. What is no address
// is passed on as it is, so that a rule that looks at it fails and refuses.
func address(ip string) string {
	if ip == "" {
		return noAddress
	}
	a, err := netip.ParseAddr(ip)
	if err != nil || (a.Zone() == "" && !a.Is4In6()) {
		return ip
	}
	return a.WithZone("").Unmap().String()
}

func key(name string) *ast.Term { return ast.StringTerm(name) }

func field(key, value *ast.Term) [2]*ast.Term { return [2]*ast.Term{key, value} }

func text(s string) *ast.Term { return ast.InternedTerm(s) }

func number(n int64) *ast.Term { return ast.InternedTerm(n) }

func list(items []string) *ast.Term {
	if len(items) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(items))
	for i, s := range items {
		terms[i] = text(s)
	}
	return ast.ArrayTerm(terms...)
}
