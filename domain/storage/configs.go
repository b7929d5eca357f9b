package storage

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// InvalidationKind is the kind of events about changed storage configs.
const InvalidationKind = "storage_config"

// defaultSignatureSeconds is the lifetime of signed read links when nothing
// else is said (contract §3.4).
const defaultSignatureSeconds = 3600

// errForbidden is the refusal of a config that the caller may not use.
var errForbidden = &ports.Error{Code: ports.Forbidden, Key: "storage_forbidden"}

// Uses counts what needs a config, so that it is not deleted from under it.
// Nil fields count nothing. They are asked inside the transaction that deletes it,
// and where they count nothing, nothing begins to need it once that has succeeded.
type Uses struct {
	Files  func(ctx context.Context, configID string) (int64, error)
	Mounts func(ctx context.Context, configID string) (int64, error)
}

// Deps are what the use cases of storage configs need.
type Deps struct {
	Configs      ConfigRepository
	Drivers      Catalogue
	Opener       *Opener
	Work         ports.UnitOfWork
	Sealer       ports.Sealer
	Invalidation ports.Invalidation
	Decider      policy.Decider
	Prober       ports.Prober // asks storages as a browser would
	Random       ports.Random
	Clock        ports.Clock
	Uses         Uses
	// Changed hears of every config that was changed or deleted here. Nil means
	// nobody does.
	Changed func(configID string)
	// Place returns Invalid when no config may be made, or changed, that leads
	// where the options of its driver say; what is stored goes on. Nil: any may.
	Place func(driver string, options map[string]string) error
	// Health tells why the process of a driver is out of service, nil when it
	// is not. Foreign lists the driver programs of others, none of which has the
	// name of a built-in driver. Nil: nothing is known.
	Health  func(driver string) error
	Foreign func() []ForeignDriver
}

// Configs is what people may know of storage configs and do to them. It never
// hands out secrets.
type Configs struct {
	Deps
	repo  ConfigRepository
	tests sync.Map // id of a config to its Tested
	kept  kept
}

// NewConfigs returns the use cases of storage configs.
func NewConfigs(d Deps) *Configs { return &Configs{Deps: d, repo: d.Configs} }

// List returns the configs the caller may use, by name: the admin's all, those
// of a key the public ones with what a key may know (contract §8). It asks
// storage.list.
func (c *Configs) List(ctx context.Context, who policy.Principal) ([]Config, error) {
	if err := c.askFor(ctx, who, policy.StorageList, ""); err != nil {
		return nil, err
	}
	page, err := c.repo.List(ctx, ConfigFilter{PublicOnly: who.Kind != policy.Admin})
	if err != nil {
		return nil, err
	}
	for i := range page.Items {
		page.Items[i] = c.visible(who, page.Items[i])
	}
	return page.Items, nil
}

// Get returns one config as List does. It asks storage.list.
//
// Returns NotFound for an unknown config and for one the caller may not use.
func (c *Configs) Get(ctx context.Context, who policy.Principal, id string) (*Config, error) {
	if err := c.askFor(ctx, who, policy.StorageList, id); err != nil {
		return nil, err
	}
	config, err := c.repo.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if who.Kind != policy.Admin && !config.IsPublic {
		return nil, ports.ErrNotFound
	}
	shown := c.visible(who, *config)
	return &shown, nil
}

// placed returns Invalid when no config may be made or changed that leads where
// this one does.
func (c *Configs) placed(config *Config) error {
	if c.Place == nil {
		return nil
	}
	return c.Place(config.Driver, optionsOf(c.Sealer, config).open)
}

// Placed returns Invalid when no config may be made today that leads where this
// one does: it goes on, and nothing is added to it. Returns NotFound. The config is
// not deleted until the unit of work of ctx ends. It asks no policy.
func (c *Configs) Placed(ctx context.Context, id string) error {
	config, err := c.repo.Hold(ctx, id)
	if err != nil {
		return err
	}
	return c.placed(config)
}

// Misplaced returns the stored configs that could not be made today, by name,
// without secrets. It asks no policy: it is for the start of the server.
func (c *Configs) Misplaced(ctx context.Context) ([]Config, error) {
	page, err := c.repo.List(ctx, ConfigFilter{})
	if err != nil {
		return nil, err
	}
	var found []Config
	for _, config := range page.Items {
		if ports.Is(c.placed(&config), ports.Invalid) {
			config.Sealed = nil
			found = append(found, config)
		}
	}
	return found, nil
}

// visible leaves out secrets for everybody and, for keys, all but the fields
// they need to choose a config.
func (c *Configs) visible(who policy.Principal, config Config) Config {
	if who.Kind == policy.Admin {
		config.HasSecrets, config.AccessKeyTail, config.ETag = len(config.Sealed) > 0, c.accessKeyTail(&config), config.tag()
		config.Sealed, config.Health, config.Tested = nil, c.Opener.Health(config.ID), c.lastTest(config.ID)
		return config
	}
	return Config{
		ID: config.ID, Name: config.Name, ProviderType: config.ProviderType, StorageType: config.StorageType, DefaultFolder: config.DefaultFolder,
		IsPublic: config.IsPublic, IsDefault: config.IsDefault, TotalStorageBytes: config.TotalStorageBytes,
	}
}

// accessKeyTail is the end of a config's access key id, by which people tell
// their keys apart; empty when it is too short to be shortened.
func (c *Configs) accessKeyTail(config *Config) string {
	const shown, least = 4, 12
	id := unseal(c.Sealer, config)[OptionAccessKey]
	if len(id) < least {
		return ""
	}
	return id[len(id)-shown:]
}

// Lookup returns a config for other modules, which have asked the policy about
// what they do with it. Sealed is left out. Returns NotFound.
func (c *Configs) Lookup(ctx context.Context, id string) (*Config, error) {
	return c.kept.get(id, func() (*Config, error) { return c.repo.Get(ctx, id) })
}

// Default returns the config to use when none is named: the default one, else
// the first by name; only public ones when publicOnly. Returns NotFound when
// there is none.
func (c *Configs) Default(ctx context.Context, publicOnly bool) (*Config, error) {
	return c.kept.get(" default "+strconv.FormatBool(publicOnly), func() (*Config, error) { return c.readDefault(ctx, publicOnly) })
}

func (c *Configs) readDefault(ctx context.Context, publicOnly bool) (*Config, error) {
	page, err := c.repo.List(ctx, ConfigFilter{PublicOnly: publicOnly})
	if err != nil {
		return nil, err
	}
	if len(page.Items) == 0 {
		return nil, ports.ErrNotFound
	}
	chosen := page.Items[0]
	for _, config := range page.Items {
		if config.IsDefault {
			chosen = config
			break
		}
	}
	return &chosen, nil
}

// ForUpload returns the config that who's upload goes to: the one named by id,
// or the default one when id is empty. The caller asks file.upload.
//
// Returns NotFound for an unknown id and Forbidden when a key names a config
// that is not public.
func (c *Configs) ForUpload(ctx context.Context, who policy.Principal, id string) (*Config, error) {
	if id == "" {
		return c.Default(ctx, who.Kind != policy.Admin)
	}
	config, err := c.Lookup(ctx, id)
	if err != nil {
		return nil, err
	}
	if who.Kind != policy.Admin && !config.IsPublic {
		return nil, errForbidden
	}
	return config, nil
}

// EnsureLocal creates the config "Local disk" on the first start, so that
// uploads work at once: default, public, on directory (absolute, or relative
// to the data folder). When any config exists it does nothing. The returned
// config is nil then.
func (c *Configs) EnsureLocal(ctx context.Context, adminID, directory string) (*Config, error) {
	page, err := c.repo.List(ctx, ConfigFilter{Paging: ports.Paging{Limit: 1}})
	if err != nil || page.Total > 0 {
		return nil, err
	}
	options, err := json.Marshal(map[string]string{"directory": directory})
	if err != nil {
		return nil, err
	}
	now := c.Clock.Now().UTC()
	config := &Config{
		ID: c.Random.ID(), Name: "Local disk", Driver: localDriver, ProviderType: "Local disk", StorageType: objstore.OwnDisk,
		Options: string(options), IsPublic: true, IsDefault: true, SignatureExpiresIn: defaultSignatureSeconds,
		AdminID: adminID, CreatedAt: now, UpdatedAt: now,
	}
	if err := c.repo.Insert(ctx, config); err != nil {
		return nil, err
	}
	c.kept.forget()
	return config, nil
}
