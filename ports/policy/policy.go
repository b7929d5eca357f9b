// Package policy is the vocabulary of permission: who asks, to do what, on
// what, and the answer. Rules live in Rego, not here.
package policy

import (
	"context"
	"net/netip"
	"time"

	"pasteport/ports"
	"pasteport/ports/capacity"
)

// Kind is the kind of a principal.
type Kind string

// The kinds of principals.
const (
	Anonymous Kind = "anonymous"
	APIKey    Kind = "apikey"
	Admin     Kind = "admin"
	System    Kind = "system" // the janitor and other work of our own
)

// Permission is a bit of an API key (spec §6).
type Permission int64

// The permission bits of spec §6.
const (
	PermText         Permission = 1
	PermFileShare    Permission = 2
	PermMountView    Permission = 256
	PermMountUpload  Permission = 512
	PermMountCopy    Permission = 1024
	PermMountRename  Permission = 2048
	PermMountDelete  Permission = 4096
	PermWebDAVRead   Permission = 65536
	PermWebDAVManage Permission = 131072
)

// AllPermissions is every bit of spec §6.
const AllPermissions = PermText | PermFileShare | PermMountView | PermMountUpload | PermMountCopy | PermMountRename | PermMountDelete | PermWebDAVRead | PermWebDAVManage

// Names lists the permission names of spec §6 in bit order, with their bits.
var Names = []struct {
	Name string
	Bit  Permission
}{
	{"text", PermText}, {"file_share", PermFileShare}, {"mount_view", PermMountView}, {"mount_upload", PermMountUpload},
	{"mount_copy", PermMountCopy}, {"mount_rename", PermMountRename}, {"mount_delete", PermMountDelete},
	{"webdav_read", PermWebDAVRead}, {"webdav_manage", PermWebDAVManage},
}

// Principal is who asks. It is comparable; the zero value is not valid, use
// Nobody for an anonymous caller.
type Principal struct {
	Kind        Kind
	ID          string // uuid of the admin or key; empty for anonymous
	Name        string
	Permissions Permission
	BasicPath   string // canonical, no trailing slash but for "/"
	Guest       bool
	Role        string // of a key; changes nothing (contract §2.3), so no rule reads it
}

// Nobody is the anonymous principal.
var Nobody = Principal{Kind: Anonymous, BasicPath: "/"}

// Owner returns the created_by value of what the principal creates: an
// admin's id, or "apikey:" and the key's id (spec §3).
func (p Principal) Owner() string {
	if p.Kind == APIKey {
		return "apikey:" + p.ID
	}
	return p.ID
}

// Owns reports whether the principal created an item, by its created_by with
// or without the prefix (spec §6). An admin owns everything.
func (p Principal) Owns(createdBy string) bool {
	switch p.Kind {
	case Admin:
		return true
	case APIKey:
		return createdBy == p.ID || createdBy == "apikey:"+p.ID
	}
	return false
}

// Resource is what an action touches. Zero fields mean "not applicable".
type Resource struct {
	Kind        string // paste, file, mount, storage, key, settings, ...
	ID          string
	Owner       string // created_by of an existing item
	Mount       string // mount name
	Paths       []string
	Name        string // file name
	Extension   string // lower case, no dot
	ContentType string
	Size        int64 // bytes, as announced
	Share       ShareTerms
	URLHost     string
	Slug        string // of a share; as asked for when there is none
	Storage     string // id of the storage config that holds a shared file
}

// ShareTerms are the limits a new or changed share asks for.
type ShareTerms struct {
	HasPassword bool
	ExpiresIn   int64 // seconds, 0 means never
	MaxViews    int64 // 0 means unlimited
	KeyOnly     bool  // strangers may not open it
}

// Call is the circumstance of a request that policies may read.
type Call struct {
	Time      time.Time // one value per request, UTC
	ClientIP  string    // after trusted-proxy handling
	TLS       bool
	Protocol  string // http or webdav
	Method    string
	Route     string // route template
	RequestID string
	UserAgent string // how the client calls itself; rules do not see it
}

// CallKey is the key under which a context carries its *Call, for contexts that
// are made by hand.
type CallKey struct{}

// WithCall returns a context that carries call.
func WithCall(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, CallKey{}, call)
}

// CallFrom returns the call in ctx, or an empty one.
func CallFrom(ctx context.Context) *Call {
	if c, ok := ctx.Value(CallKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}

// ClientOf is the address of a caller that limits count: an IPv6 address by its
// /64.
func ClientOf(ctx context.Context) string {
	ip := CallFrom(ctx).ClientIP
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	a = a.Unmap()
	if a.Is4() {
		return a.String()
	}
	p, err := a.WithZone("").Prefix(64)
	if err != nil {
		return ip
	}
	return p.String()
}

// Usage is what a principal has used so far, for quota rules.
type Usage struct {
	BytesToday  int64 // bytes uploaded since midnight UTC
	FilesToday  int64 // files uploaded since midnight UTC
	BytesStored int64 // bytes of all items it owns
}

// UsageSource counts. It is asked only when a rule in force reads the
// counters; an error counts as a refusal.
type UsageSource interface {
	Usage(ctx context.Context, who Principal) (Usage, error)
}

// Scope tells lists what to show.
type Scope string

// The scopes.
const (
	Own Scope = "own"
	All Scope = "all"
)

// Reason is why a policy refused.
type Reason struct {
	Code    string            // stable, lower case
	Message map[string]string // language tag to text; "" holds a text without language
	Source  string            // "site" for site rules, empty for the built-in ones
}

// Obligations are limits that an allowed call must keep; zero means no limit.
type Obligations struct {
	MaxSize       int64 // bytes
	RatePerMinute int64
	ShareMaxAge   int64 // seconds
	ShareMaxViews int64
	ListLimit     int64
	LinkExpires   int64           // seconds
	Quotas        capacity.Limits // of the caller; the ledger of capacity keeps them exactly
}

// Limits are the limits that rules may set, by name, with where the answer
// holds each.
var Limits = []struct {
	Name string
	Of   func(*Obligations) *int64
}{
	{"max_size", func(o *Obligations) *int64 { return &o.MaxSize }},
	{"rate_per_minute", func(o *Obligations) *int64 { return &o.RatePerMinute }},
	{"share_max_age", func(o *Obligations) *int64 { return &o.ShareMaxAge }},
	{"share_max_views", func(o *Obligations) *int64 { return &o.ShareMaxViews }},
	{"list_limit", func(o *Obligations) *int64 { return &o.ListLimit }},
	{"link_expires", func(o *Obligations) *int64 { return &o.LinkExpires }},
	{capacity.BytesDay, func(o *Obligations) *int64 { return &o.Quotas.BytesDay }},
	{capacity.FilesDay, func(o *Obligations) *int64 { return &o.Quotas.FilesDay }},
	{capacity.BytesStored, func(o *Obligations) *int64 { return &o.Quotas.BytesStored }},
}

// Limit returns where the limit of a name is held; nil for an unknown name.
func (o *Obligations) Limit(name string) *int64 {
	for _, l := range Limits {
		if l.Name == name {
			return l.Of(o)
		}
	}
	return nil
}

// Decision is the policy's answer.
type Decision struct {
	Allow       bool
	Reasons     []Reason // filled only for a refusal
	Obligations Obligations
	Scope       Scope
	ID          string // id of a refusal in the decision log; empty when allowed
}

// Decider answers for the policies in force. It is safe for concurrent use. An
// error means that no decision could be made and counts as a refusal.
type Decider interface {
	Decide(ctx context.Context, who Principal, do Action, on Resource) (Decision, error)
}

// Advisor tells beforehand what a Decider would answer, for hints in pages. It
// leaves no trace in logs and counts for no rate. Errors are as of Decide.
type Advisor interface {
	Would(ctx context.Context, who Principal, do Action, on Resource) (Decision, error)
}

// Check asks and turns a refusal into an error: Unauthenticated for anonymous
// callers, Forbidden for the rest, RateLimited when the caller asked too often
// for what a rule limits, Unavailable when no decision could be made.
// Use cases call it first.
func Check(ctx context.Context, d Decider, who Principal, do Action, on Resource) (Decision, error) {
	decision, err := d.Decide(ctx, who, do, on)
	if ports.Is(err, ports.RateLimited) {
		return Decision{}, err // allowed, but not so often
	}
	if err != nil {
		return Decision{}, &ports.Error{Code: ports.Unavailable, Key: "policy_unavailable", Cause: err}
	}
	if decision.Allow {
		return decision, nil
	}
	return decision, refusal(who, decision)
}

func refusal(who Principal, decision Decision) error {
	e := &ports.Error{Code: ports.Forbidden, Key: "policy_denied", Params: map[string]any{"decision_id": decision.ID}}
	if len(decision.Reasons) > 0 {
		e.Reason = decision.Reasons[0].Code
	}
	if who.Kind == Anonymous {
		e.Code, e.Key = ports.Unauthenticated, "unauthenticated"
		return e
	}
	switch e.Reason {
	case "permission_missing":
		e.Key = "permission_denied"
	case "outside_basic_path":
		e.Key = "path_forbidden"
	case "not_owner":
		e.Key = "not_owner"
	}
	for _, r := range decision.Reasons {
		if r.Source == "site" && len(r.Message) > 0 {
			e.Params["messages"] = r.Message
			break
		}
	}
	return e
}

// Over refuses what goes past a limit that a rule or the site has set: the same
// answer at every door, with the limit and its name as the reason. For max_size
// it is TooLarge, for all others Forbidden.
func Over(limit string, value int64) error {
	e := &ports.Error{Code: ports.Forbidden, Key: "policy_denied", Text: "policy_" + limit, Reason: limit, Params: map[string]any{"limit": value}}
	if limit == "max_size" {
		e.Code, e.Key = ports.TooLarge, "too_large"
	}
	return e
}
