package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"pasteport/domain/storage"
	"pasteport/ports/policy"
)

// storageOps are the reading calls about storage configs (contract §8).
// Secrets are in none of their answers.
func (a *API) storageOps(configs *storage.Configs) {
	actions := []policy.Action{policy.StorageList}

	Handle(a, Op{Name: "storage.list", Method: http.MethodGet, Path: "/api/s3-configs", Actions: actions,
		Summary: "Lists the storage configs that the caller may use, by name."},
		func(ctx context.Context, who policy.Principal, _ None) ([]any, error) {
			all, err := configs.List(ctx, who)
			out := make([]any, len(all))
			for i := range all {
				out[i] = configFor(who, &all[i])
			}
			return out, err
		})

	Handle(a, Op{Name: "storage.get", Method: http.MethodGet, Path: "/api/s3-configs/{id}", Actions: actions, Errors: []string{"not_found"},
		Summary: "Reads one storage config."},
		func(ctx context.Context, who policy.Principal, in idRequest) (any, error) {
			config, err := configs.Get(ctx, who, in.ID)
			if err != nil {
				return nil, err
			}
			return configFor(who, config), nil
		})
}

// configFor is what a caller may see: the administrator all but secrets, a key
// what it needs to choose.
func configFor(who policy.Principal, c *storage.Config) any {
	if who.Kind == policy.Admin {
		return configOf(c)
	}
	return publicConfigJSON{ID: c.ID, Name: c.Name, ProviderType: c.ProviderType, IsDefault: Bit(c.IsDefault), IsPublic: Bit(c.IsPublic),
		TotalStorageBytes: c.TotalStorageBytes, DefaultFolder: c.DefaultFolder}
}

// publicConfigJSON is a storage config as keys see it.
type publicConfigJSON struct {
	ID                string `json:"id"`
	Name              string `json:"name"`
	ProviderType      string `json:"provider_type"`
	IsDefault         Bit    `json:"is_default"`
	IsPublic          Bit    `json:"is_public"`
	TotalStorageBytes int64  `json:"total_storage_bytes"`
	DefaultFolder     string `json:"default_folder"`
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
	PathStyle          Bit             `json:"path_style"`
	Options            json.RawMessage `json:"options"` // of the driver, an object
	DefaultFolder      string          `json:"default_folder"`
	IsPublic           Bit             `json:"is_public"`
	IsDefault          Bit             `json:"is_default"`
	TotalStorageBytes  int64           `json:"total_storage_bytes"` // 0 means no bound
	CustomHost         *string         `json:"custom_host"`
	SignatureExpiresIn int64           `json:"signature_expires_in"` // seconds
	AdminID            string          `json:"admin_id"`
	CreatedAt          instant         `json:"created_at"`
	UpdatedAt          instant         `json:"updated_at"`
	LastUsed           instant         `json:"last_used"`
}

func configOf(c *storage.Config) configJSON {
	out := configJSON{ID: c.ID, Name: c.Name, Driver: c.Driver, StorageType: c.StorageType, ProviderType: c.ProviderType, EndpointURL: c.EndpointURL,
		BucketName: c.BucketName, Region: c.Region, PathStyle: Bit(c.PathStyle), Options: json.RawMessage("{}"), DefaultFolder: c.DefaultFolder,
		IsPublic: Bit(c.IsPublic), IsDefault: Bit(c.IsDefault), TotalStorageBytes: c.TotalStorageBytes, SignatureExpiresIn: c.SignatureExpiresIn,
		AdminID: c.AdminID, CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt), LastUsed: instantOf(c.LastUsed)}
	if c.Options != "" {
		out.Options = json.RawMessage(c.Options)
	}
	if c.CustomHost != "" {
		out.CustomHost = &c.CustomHost
	}
	return out
}
