package adminapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/adapters/httpapi/words"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// driverOps tell the panel which storages there are and which fields their
// configs have.
func driverOps(a *httpapi.API, configs *storage.Configs) {
	httpapi.Handle(a, httpapi.Op{Name: "driver.list", Method: http.MethodGet, Path: "/api/admin/drivers", Actions: []policy.Action{policy.StorageRead},
		Summary: "Lists the storage drivers with what they can do and the fields of their configs, by name."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) ([]driverJSON, error) {
			all, err := configs.DriverList(ctx, who)
			out := make([]driverJSON, len(all))
			for i := range all {
				out[i] = driverOf(ctx, &all[i])
			}
			return out, err
		})
}

// driverJSON is a storage driver (decision 52).
type driverJSON struct {
	Name         string            `json:"name"`
	Label        map[string]string `json:"label"` // by language
	Version      string            `json:"version"`
	State        string            `json:"state"`  // built_in, approved, pending, not_approved, changed, missing, refused
	Digest       *string           `json:"digest"` // SHA-256 of the program's file, in hex; null for a built-in driver
	StorageType  string            `json:"storage_type"`
	ProviderType string            `json:"provider_type"` // of a new config
	Capacity     int64             `json:"total_storage_bytes"`
	Available    bool              `json:"available"`
	Problem      *string           `json:"problem"` // why it is not available
	Capabilities capabilitiesJSON  `json:"capabilities"`
	Limits       driverLimitsJSON  `json:"limits"` // 0 means none
	Fields       []driverFieldJSON `json:"fields"`
}

type capabilitiesJSON struct {
	HTTPLinks        bool `json:"http_links"`
	LocalLinks       bool `json:"local_links"`
	Stream           bool `json:"stream"`
	Multipart        bool `json:"multipart"`
	ServerCopy       bool `json:"server_copy"`
	PartCopy         bool `json:"part_copy"`
	NativeMove       bool `json:"native_move"`
	Range            bool `json:"range"`
	Usage            bool `json:"usage"`
	VersionedDelete  bool `json:"versioned_delete"`
	CORSAdmin        bool `json:"cors_admin"`
	BrowserUpload    bool `json:"browser_upload"`
	ConditionalWrite bool `json:"conditional_write"`
}

type driverLimitsJSON struct {
	MinPart     int64 `json:"min_part"` // bytes
	MaxPart     int64 `json:"max_part"` // bytes
	MaxParts    int   `json:"max_parts"`
	EqualParts  bool  `json:"equal_parts"`
	MaxPut      int64 `json:"max_put"`  // bytes
	MaxCopy     int64 `json:"max_copy"` // bytes
	MaxKey      int   `json:"max_key"`  // bytes
	LinkSeconds int64 `json:"max_link_seconds"`
}

// driverFieldJSON is one field of a driver's configs. It is sent under its key,
// or inside options where flat is false.
type driverFieldJSON struct {
	Key      string             `json:"key"`
	Label    map[string]string  `json:"label"` // by language
	Help     map[string]string  `json:"help"`  // by language
	Type     string             `json:"type"`  // text, textarea, password, number, bool, select, url
	Required bool               `json:"required"`
	Secret   bool               `json:"secret"` // never answered; blank keeps it
	Flat     bool               `json:"flat"`
	Options  []driverOptionJSON `json:"options"` // of a select
	Default  string             `json:"default"`
}

type driverOptionJSON struct {
	Value string            `json:"value"`
	Label map[string]string `json:"label"` // by language
}

func driverOf(ctx context.Context, d *storage.DriverInfo) driverJSON {
	f, l := d.Features, d.Limits
	out := driverJSON{Name: d.Name, Label: labelOf(d.Label), Version: d.Version, State: string(d.State), Digest: wire.TextOrNull(d.Digest), StorageType: d.StorageType, ProviderType: d.Provider,
		Capacity: d.Capacity, Available: d.Err == nil, Capabilities: capabilitiesJSON(f), Fields: []driverFieldJSON{},
		Limits: driverLimitsJSON{MinPart: l.MinPart, MaxPart: l.MaxPart, MaxParts: l.MaxParts, EqualParts: l.EqualParts, MaxPut: l.MaxPut,
			MaxCopy: l.MaxCopy, MaxKey: l.MaxKey, LinkSeconds: int64(l.MaxLink / time.Second)}}
	if d.Err != nil {
		problem := driverProblem(ctx, d.Err)
		out.Problem = &problem
	}
	for _, field := range d.Fields {
		out.Fields = append(out.Fields, driverFieldOf(field))
	}
	return out
}

// driverProblem says why a driver is not available, as plainly as its error.
func driverProblem(ctx context.Context, err error) string {
	var e *ports.Error
	if errors.As(err, &e) {
		if own := words.OwnWords(e.Messages, httpapi.ScopeOf(ctx).Language()); own != "" {
			return own
		}
		if _, known := words.Catalogue[e.Text]; known {
			return httpapi.ScopeOf(ctx).Say(e.Text, e.Params)
		}
	}
	if ports.Is(err, ports.Unavailable) {
		return httpapi.ScopeOf(ctx).Say("driver_down", nil)
	}
	return httpapi.ScopeOf(ctx).Say("storage_unavailable", nil)
}

func driverFieldOf(f objstore.Field) driverFieldJSON {
	out := driverFieldJSON{Key: f.Key, Label: labelOf(f.Label), Help: labelOf(f.Help), Type: f.Type, Required: f.Required, Secret: storage.IsSecret(f),
		Flat: storage.IsFlat(f.Key), Options: []driverOptionJSON{}, Default: f.Default}
	for _, o := range f.Options {
		out.Options = append(out.Options, driverOptionJSON{Value: o.Value, Label: labelOf(o.Label)})
	}
	return out
}

// labelOf makes sure that a driver without labels answers an object.
func labelOf(texts map[string]string) map[string]string {
	if texts == nil {
		return map[string]string{}
	}
	return texts
}
