package adminapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/adapters/httpapi/words"
	"pasteport/domain/storage"
	"pasteport/ports/policy"
)

// storageOps are the calls about storage configs (contract §8). Secrets are in
// none of their answers.
func storageOps(a *httpapi.API, configs *storage.Configs) {
	read, write := []policy.Action{policy.StorageList}, []policy.Action{policy.StorageWrite}
	secrets := []string{"access_key_id", "secret_access_key"}
	ofOwnDisk := httpapi.ConfirmIf(func(ctx context.Context, in configRequest) (bool, error) { return isOwnDisk(ctx, configs, in.ID, in) })

	httpapi.Handle(a, httpapi.Op{Name: "storage.list", Method: http.MethodGet, Path: "/api/s3-configs", Actions: read,
		Summary: "Lists the storage configs that the caller may use, by name."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (any, error) {
			all, err := configs.List(ctx, who)
			out := make([]any, len(all))
			for i := range all {
				out[i] = configFor(ctx, who, &all[i])
			}
			return out, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "storage.get", Method: http.MethodGet, Path: "/api/s3-configs/{id}", Actions: read, Errors: []string{"not_found"},
		Summary: "Reads one storage config."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (any, error) {
			config, err := configs.Get(ctx, who, in.ID)
			if err != nil {
				return nil, err
			}
			if config.ETag != "" {
				httpapi.ScopeOf(ctx).Header().Set("ETag", config.ETag)
			}
			return configFor(ctx, who, config), nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "storage.create", Method: http.MethodPost, Path: "/api/s3-configs", Actions: write, Body: httpapi.JSON, Answer: httpapi.Created, Confirm: ofOwnDisk,
		Idem: httpapi.Afterwards, Secrets: secrets, Errors: []string{"storage_unavailable"},
		Summary: "Makes a storage config. Its driver's description says which fields it has; those without a name of their own go into options."},
		func(ctx context.Context, who policy.Principal, in configRequest) (createdConfigJSON, error) {
			draft, err := in.draft()
			if err != nil {
				return createdConfigJSON{}, err
			}
			config, err := configs.Create(ctx, who, draft)
			if err != nil {
				return createdConfigJSON{}, err
			}
			made := createdConfigJSON{configJSON: configOf(ctx, config), PathStyle: config.PathStyle, IsPublic: config.IsPublic}
			made.Health = nil
			return made, nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "storage.update", Method: http.MethodPut, Path: "/api/s3-configs/{id}", Actions: write, Body: httpapi.JSON, Confirm: ofOwnDisk,
		Idem: httpapi.Afterwards, Secrets: secrets, Errors: []string{"not_found", "storage_unavailable", "precondition_failed", "root_prefix_confirm"},
		Summary: "Changes the named fields of a storage config. Blank secrets keep the old ones. With If-Match only when it still has that entity tag. The answer has the new one."},
		func(ctx context.Context, who policy.Principal, in configRequest) (httpapi.None, error) {
			draft, err := in.draft()
			if err != nil {
				return httpapi.None{}, err
			}
			draft.IfMatch = httpapi.ScopeOf(ctx).IfMatch()
			done, err := configs.Update(ctx, who, in.ID, draft)
			if err == nil {
				httpapi.ScopeOf(ctx).Header().Set("ETag", done.After.ETag)
				httpapi.ScopeOf(ctx).NoteBefore(in, configOf(ctx, &done.Before))
			}
			return httpapi.None{}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "storage.delete", Method: http.MethodDelete, Path: "/api/s3-configs/{id}", Actions: write, Errors: []string{"not_found", "in_use"},
		Summary: "Deletes a storage config that nothing uses; what lies in the storage stays."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.None, error) {
			before, err := configs.Delete(ctx, who, in.ID)
			if err == nil {
				httpapi.ScopeOf(ctx).NoteBefore(nil, configOf(ctx, before))
			}
			return httpapi.None{}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "storage.set_default", Method: http.MethodPut, Path: "/api/s3-configs/{id}/set-default", Actions: write, Errors: []string{"not_found"},
		Summary: "Makes a storage config the one that is used when none is named."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.None, error) {
			before, err := configs.SetDefault(ctx, who, in.ID)
			httpapi.ScopeOf(ctx).Note("before", before)
			return httpapi.None{}, err
		})
	httpapi.Describe(a, "storage.list", httpapi.None{}, []configJSON{}, []publicConfigJSON{})
	httpapi.Describe(a, "storage.get", wire.IDRequest{}, configJSON{}, publicConfigJSON{})
	storageTestOps(a, configs)
	storageRuleOps(a, configs)
	driverOps(a, configs)
}

// isOwnDisk reports whether a config lies on this server's disk, or would after
// a change.
func isOwnDisk(ctx context.Context, configs *storage.Configs, id string, in configRequest) (bool, error) {
	draft, err := in.draft()
	if err != nil {
		return false, err
	}
	return configs.OwnDisk(ctx, id, draft)
}

// configRequest holds the fields of a new or changed config.
type configRequest struct {
	ID              string              `path:"id"`
	Name            wire.Opt[string]    `json:"name"`
	Driver          wire.Opt[string]    `json:"driver"` // found by provider_type when absent
	ProviderType    wire.Opt[string]    `json:"provider_type"`
	EndpointURL     wire.Opt[string]    `json:"endpoint_url"`
	BucketName      wire.Opt[string]    `json:"bucket_name"`
	Region          wire.Opt[string]    `json:"region"`
	AccessKeyID     wire.Opt[string]    `json:"access_key_id"`
	SecretAccessKey wire.Opt[string]    `json:"secret_access_key"`
	PathStyle       wire.Opt[wire.Flag] `json:"path_style"`
	DefaultFolder   wire.Opt[string]    `json:"default_folder"`
	IsPublic        wire.Opt[wire.Flag] `json:"is_public"`
	IsDefault       wire.Opt[wire.Flag] `json:"is_default"`
	CustomHost      wire.Opt[string]    `json:"custom_host"` // null and empty mean none
	// Capacity and SignatureExpiresIn are never refused: what is no number
	// counts as absent or as the default (contract §8).
	Capacity           wire.Opt[json.RawMessage]            `json:"total_storage_bytes"` // null means the provider's default
	SignatureExpiresIn wire.Opt[json.RawMessage]            `json:"signature_expires_in"`
	Options            wire.Opt[map[string]json.RawMessage] `json:"options"` // further fields of the driver
	// ConfirmRootPrefix goes with a root_prefix in options that differs, where
	// mounts show the config: they will show another folder of the bucket.
	ConfirmRootPrefix wire.Opt[wire.Flag] `json:"confirm_root_prefix"`
}

// draft turns the request into the words of the domain.
func (in configRequest) draft() (storage.Draft, error) {
	d := storage.Draft{Name: wire.Optional(in.Name), Driver: wire.Optional(in.Driver), ProviderType: wire.Optional(in.ProviderType),
		DefaultFolder: wire.Optional(in.DefaultFolder), IsPublic: wire.AsPlain[bool](wire.Optional(in.IsPublic)), IsDefault: wire.AsPlain[bool](wire.Optional(in.IsDefault)),
		ConfirmRootPrefix: in.ConfirmRootPrefix.Set && bool(in.ConfirmRootPrefix.Value)}
	if in.CustomHost.Set {
		d.CustomHost = &in.CustomHost.Value
	}
	if in.Capacity.Null {
		d.Capacity = new(int64)
	} else if n := looseNumber(in.Capacity.Value); n > 0 {
		d.Capacity = &n
	}
	if in.SignatureExpiresIn.Set {
		n := looseNumber(in.SignatureExpiresIn.Value)
		d.SignatureSeconds = &n
	}
	options := map[string]string{}
	for key, raw := range in.Options.Value {
		value, _, err := wire.Scalar(raw)
		if err != nil {
			return d, httpapi.TextError(httpapi.ErrJSON.With(err), "field_type", map[string]any{"field": "options." + key})
		}
		if string(raw) == "null" {
			value = ""
		}
		options[key] = value
	}
	for key, value := range map[string]*string{storage.OptionEndpoint: wire.Optional(in.EndpointURL), storage.OptionBucket: wire.Optional(in.BucketName),
		storage.OptionRegion: wire.Optional(in.Region), storage.OptionAccessKey: wire.Optional(in.AccessKeyID), storage.OptionSecretKey: wire.Optional(in.SecretAccessKey)} {
		if value != nil {
			options[key] = *value
		}
	}
	if on := wire.Optional(in.PathStyle); on != nil {
		options[storage.OptionPathStyle] = "0"
		if *on {
			options[storage.OptionPathStyle] = "1"
		}
	}
	if len(options) > 0 {
		d.Options = options
	}
	return d, nil
}

// looseNumber reads a whole number; 0 when it is none.
func looseNumber(raw json.RawMessage) int64 {
	var n wire.Int
	if len(raw) == 0 || n.UnmarshalJSON(raw) != nil {
		return 0
	}
	return int64(n)
}

// configFor is what a caller may see: the administrator all but secrets, a key
// what it needs to choose.
func configFor(ctx context.Context, who policy.Principal, c *storage.Config) any {
	if who.Kind == policy.Admin {
		return configOf(ctx, c)
	}
	return publicConfigJSON{ID: c.ID, Name: c.Name, ProviderType: c.ProviderType, IsDefault: wire.Bit(c.IsDefault), IsPublic: wire.Bit(c.IsPublic),
		TotalStorageBytes: c.TotalStorageBytes, DefaultFolder: c.DefaultFolder}
}

// publicConfigJSON is a storage config as keys see it.
type publicConfigJSON struct {
	ID                string   `json:"id"`
	Name              string   `json:"name"`
	ProviderType      string   `json:"provider_type"`
	IsDefault         wire.Bit `json:"is_default"`
	IsPublic          wire.Bit `json:"is_public"`
	TotalStorageBytes int64    `json:"total_storage_bytes"`
	DefaultFolder     string   `json:"default_folder"`
}

// configJSON is a storage config as the administrator sees it (contract §3.4).
type configJSON struct {
	ID                 string          `json:"id"`
	Name               string          `json:"name"`
	Driver             string          `json:"driver"`
	StorageType        string          `json:"storage_type"`
	ProviderType       string          `json:"provider_type"`
	EndpointURL        string          `json:"endpoint_url"`
	BucketName         string          `json:"bucket_name"`
	Region             string          `json:"region"`
	PathStyle          wire.Bit        `json:"path_style"`
	Options            json.RawMessage `json:"options"` // of the driver, an object
	DefaultFolder      string          `json:"default_folder"`
	IsPublic           wire.Bit        `json:"is_public"`
	IsDefault          wire.Bit        `json:"is_default"`
	TotalStorageBytes  int64           `json:"total_storage_bytes"` // 0 means no bound
	CustomHost         *string         `json:"custom_host"`
	SignatureExpiresIn int64           `json:"signature_expires_in"` // seconds
	AdminID            string          `json:"admin_id"`
	CreatedAt          wire.Instant    `json:"created_at"`
	UpdatedAt          wire.Instant    `json:"updated_at"`
	LastUsed           wire.Instant    `json:"last_used"`
	HasSecrets         wire.Bit        `json:"has_credentials"`
	AccessKeyTail      string          `json:"key_tail"`         // the last 4 characters, to tell keys apart
	Health             *healthJSON     `json:"health,omitempty"` // not of a new config
	Tested             *testedJSON     `json:"tested,omitempty"` // only when this node has tried the config as it stands
}

// testedJSON is how the last test of a storage ended.
type testedJSON struct {
	At      wire.Instant `json:"at"`
	Verdict string       `json:"verdict"` // full, partial or unusable
}

// healthJSON is how a storage is, as far as this node knows. A storage that
// refuses or is down is broken for everybody.
type healthJSON struct {
	State   string       `json:"state"`   // unknown, ok, refused or down
	Since   wire.Instant `json:"since"`   // null when unknown
	Message string       `json:"message"` // what is wrong, for people; empty when nothing is
}

func healthOf(ctx context.Context, h storage.Health) *healthJSON {
	out := &healthJSON{State: string(h.State), Since: wire.Instant(h.Since)}
	if h.Cause != "" {
		out.Message = cmp.Or(words.OwnWords(h.Messages, httpapi.ScopeOf(ctx).Language()), httpapi.ScopeOf(ctx).Say(h.Cause, h.Params))
	}
	return out
}

// createdConfigJSON is a new config; old clients read two flags as booleans
// there.
type createdConfigJSON struct {
	configJSON
	PathStyle bool `json:"path_style"`
	IsPublic  bool `json:"is_public"`
}

func configOf(ctx context.Context, c *storage.Config) configJSON {
	out := configJSON{ID: c.ID, Name: c.Name, Driver: c.Driver, StorageType: c.StorageType, ProviderType: c.ProviderType, EndpointURL: c.EndpointURL,
		BucketName: c.BucketName, Region: c.Region, PathStyle: wire.Bit(c.PathStyle), Options: json.RawMessage("{}"), DefaultFolder: c.DefaultFolder,
		IsPublic: wire.Bit(c.IsPublic), IsDefault: wire.Bit(c.IsDefault), TotalStorageBytes: c.TotalStorageBytes, SignatureExpiresIn: c.SignatureExpiresIn,
		AdminID: c.AdminID, CreatedAt: wire.Instant(c.CreatedAt), UpdatedAt: wire.Instant(c.UpdatedAt), LastUsed: wire.InstantOf(c.LastUsed),
		HasSecrets: wire.Bit(c.HasSecrets), AccessKeyTail: c.AccessKeyTail, Health: healthOf(ctx, c.Health)}
	if c.Tested != nil {
		out.Tested = &testedJSON{wire.Instant(c.Tested.At), string(c.Tested.Verdict)}
	}
	if c.Options != "" {
		out.Options = json.RawMessage(c.Options)
	}
	if c.CustomHost != "" {
		out.CustomHost = &c.CustomHost
	}
	return out
}
