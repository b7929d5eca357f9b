package httpapi

import (
	"context"

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
