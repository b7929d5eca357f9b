package adminapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/domain/keys"
	"pasteport/ports/policy"
)

// Usage tells what callers have uploaded on this day (UTC) and what their file
// shares hold. The calls that show it have asked the policy.
type Usage interface {
	policy.UsageSource
	// UsageOf tells it of each of many owners, by created_by.
	UsageOf(ctx context.Context, owners []string) (map[string]policy.Usage, error)
	// SiteUsage is that of all together.
	SiteUsage(ctx context.Context) (policy.Usage, error)
}

// usageJSON is what somebody has used.
type usageJSON struct {
	BytesToday  int64 `json:"bytes_today"` // uploaded since midnight UTC
	FilesToday  int64 `json:"files_today"`
	BytesStored int64 `json:"bytes_stored"` // of file shares, but those of files in mounts
}

func usageOf(u policy.Usage) usageJSON { return usageJSON(u) }

// uploading are the actions that count for the quotas of a caller.
var uploading = []policy.Action{policy.FileUpload, policy.URLFetch, policy.MountUpload, policy.WebDAVWrite}

// usageOps tell callers how much they have uploaded, and how much they may.
func usageOps(a *httpapi.API, access *keys.Access, s *System, usage Usage) {
	httpapi.Handle(a, httpapi.Op{Name: "key.quota", Method: http.MethodGet, Path: "/api/usage", Actions: []policy.Action{policy.KeySelf},
		Summary: "Tells an API key, or the administrator, what it has uploaded today and keeps in file shares, and the limits that the rules in force set for that: of several the smallest. Rules that look at sizes, names or other terms may set others."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (quotasJSON, error) {
			if _, err := access.TestKey(ctx, who); err != nil {
				return quotasJSON{}, err
			}
			used, err := ownUsage(ctx, usage, who)
			if err != nil {
				return quotasJSON{}, err
			}
			limits, err := s.quotas(ctx, who)
			return quotasJSON{Usage: used, Limits: limits}, err
		})
}

// quotasJSON is what a caller has used of what it may.
type quotasJSON struct {
	Usage  usageJSON `json:"usage"`
	Limits usageJSON `json:"limits"` // 0: none
}

// quotas are the smallest that the rules set for the uploads of a caller.
func (s *System) quotas(ctx context.Context, who policy.Principal) (limits usageJSON, err error) {
	for _, do := range uploading {
		would, err := s.Advisor.Would(ctx, who, do, abilityOn(who, do, who.BasicPath))
		if err != nil {
			return usageJSON{}, err
		}
		if !would.Allow {
			continue
		}
		o := would.Obligations
		limits.BytesToday = smaller(limits.BytesToday, o.Quotas.BytesDay)
		limits.FilesToday = smaller(limits.FilesToday, o.Quotas.FilesDay)
		limits.BytesStored = smaller(limits.BytesStored, o.Quotas.BytesStored)
	}
	return limits, nil
}

// smaller is the smaller of two limits, of which 0 is none.
func smaller(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// ownUsage is what the caller has used.
func ownUsage(ctx context.Context, from Usage, who policy.Principal) (usageJSON, error) {
	if from == nil {
		return usageJSON{}, nil
	}
	u, err := from.Usage(ctx, who)
	return usageOf(u), err
}

func siteUsage(ctx context.Context, from Usage) (usageJSON, error) {
	if from == nil {
		return usageJSON{}, nil
	}
	u, err := from.SiteUsage(ctx)
	return usageOf(u), err
}

// withUsage adds to keys what each has used.
func withUsage(ctx context.Context, from Usage, list []keyJSON) ([]keyJSON, error) {
	used := map[string]policy.Usage{}
	owner := func(id string) string { return policy.Principal{Kind: policy.APIKey, ID: id}.Owner() }
	if from != nil {
		owners := make([]string, len(list))
		for i := range list {
			owners[i] = owner(list[i].ID)
		}
		var err error
		if used, err = from.UsageOf(ctx, owners); err != nil {
			return nil, err
		}
	}
	for i := range list {
		u := usageOf(used[owner(list[i].ID)])
		list[i].Usage = &u
	}
	return list, nil
}
