package storage

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// maxName bounds the name of a config, in characters.
const maxName = 100

// maxSignatureSeconds is the longest life of a signed link (S3).
const maxSignatureSeconds = int64(maxLinkLife / time.Second)

// openTime bounds the trial opening before a config is saved.
const openTime = 6 * time.Second

// Draft holds the fields of a new or changed config; nil means absent.
type Draft struct {
	Name          *string
	Driver        *string // found by ProviderType when absent
	ProviderType  *string
	DefaultFolder *string
	CustomHost    *string // empty means none
	IsPublic      *bool
	IsDefault     *bool
	// Capacity is in bytes; 0 means what the provider usually gives.
	Capacity *int64
	// SignatureSeconds out of 1 s to 7 days means the default.
	SignatureSeconds *int64
	// Options are the driver's fields by key, those of S3 and secrets included.
	Options map[string]string
	// ConfirmRootPrefix says that the root prefix may change although mounts show
	// the config.
	ConfirmRootPrefix bool
	// IfMatch is the ETag that a config must still have that is changed; empty
	// means any.
	IfMatch string
}

// Create stores a new config and returns it as List does. It asks
// admin.storage.write.
//
// Returns Invalid for a missing or bad field and names it.
func (c *Configs) Create(ctx context.Context, who policy.Principal, d Draft) (*Config, error) {
	if err := c.askFor(ctx, who, policy.StorageWrite, ""); err != nil {
		return nil, err
	}
	config, err := c.prepare(ctx, who, d)
	if err != nil {
		return nil, err
	}
	if err := c.tryOpen(ctx, config); err != nil {
		return nil, err
	}
	err = c.changed(ctx, config.ID, func(ctx context.Context) error {
		if err := c.repo.Insert(ctx, config); err != nil || !config.IsDefault {
			return err
		}
		return c.repo.SetDefault(ctx, config.ID)
	})
	if err != nil {
		return nil, err
	}
	shown := c.visible(who, *config)
	return &shown, nil
}

// prepare makes a new config of d.
func (c *Configs) prepare(ctx context.Context, who policy.Principal, d Draft) (*Config, error) {
	now := c.Clock.Now().UTC()
	config := &Config{ID: c.Random.ID(), AdminID: who.ID, SignatureExpiresIn: defaultSignatureSeconds, CreatedAt: now, UpdatedAt: now}
	if d.Name == nil {
		return nil, ports.InvalidInput("field_required", "name")
	}
	if blank(d.Driver) && blank(d.ProviderType) {
		return nil, ports.InvalidInput("field_required", "provider_type")
	}
	if d.Capacity == nil {
		d.Capacity = new(int64)
	}
	if d.Options == nil {
		d.Options = map[string]string{}
	}
	info, err := c.plan(ctx, config, d)
	if err != nil {
		return nil, err
	}
	if err := c.apply(config, info, d); err != nil {
		return nil, err
	}
	return config, nil
}

// Update changes the fields that d names, and returns what the config was and
// is, as List does. It asks admin.storage.write.
//
// Returns NotFound for an unknown config, Invalid for a bad field, Precondition
// when IfMatch does not hold, Conflict with Key "root_prefix_confirm" when mounts
// would show another folder and d does not confirm that, and Unavailable when
// fields of a driver are to change that does not answer.
func (c *Configs) Update(ctx context.Context, who policy.Principal, id string, d Draft) (ports.Change[Config], error) {
	var done ports.Change[Config]
	if err := c.askFor(ctx, who, policy.StorageWrite, id); err != nil {
		return done, err
	}
	config, err := c.repo.Get(ctx, id)
	if err != nil {
		return done, err
	}
	info, err := c.plan(ctx, config, d)
	if err != nil {
		return done, err
	}
	before := *config
	if err := c.apply(config, info, d); err != nil {
		return done, err
	}
	if err := c.mayMove(ctx, &before, config, d); err != nil {
		return done, err
	}
	if info != nil {
		if err := c.tryOpen(ctx, config); err != nil {
			return done, err
		}
	}
	err = c.changed(ctx, id, func(ctx context.Context) error {
		changed, err := c.repo.Update(ctx, id, func(now *Config) error {
			if err := ports.Unchanged(d.IfMatch, now.tag()); err != nil {
				return err
			}
			done.Before = *now
			now.UpdatedAt = c.Clock.Now().UTC()
			return c.apply(now, info, d)
		})
		if err != nil {
			return err
		}
		if err := c.mayMove(ctx, &done.Before, changed, d); err != nil {
			return err
		}
		if done.After = *changed; d.IsDefault == nil || !changed.IsDefault {
			return nil
		}
		return c.repo.SetDefault(ctx, id)
	})
	if err != nil {
		return ports.Change[Config]{}, err
	}
	return ports.Change[Config]{Before: c.visible(who, done.Before), After: c.visible(who, done.After)}, nil
}

// mayMove returns Conflict when mounts of a config would show another folder of
// the bucket and nobody has confirmed that.
func (c *Configs) mayMove(ctx context.Context, before, after *Config, d Draft) error {
	from, to := before.RootPrefix(), after.RootPrefix()
	if from == to || d.ConfirmRootPrefix || c.Uses.Mounts == nil {
		return nil
	}
	n, err := c.Uses.Mounts(ctx, before.ID)
	if err != nil || n == 0 {
		return err
	}
	return &ports.Error{Code: ports.Conflict, Key: "root_prefix_confirm", Params: map[string]any{"count": n, "before": "/" + from, "after": "/" + to}}
}

// SetDefault makes a config the one that is used when none is named, and
// returns the id of the one it was before, empty when there was none. It asks
// admin.storage.write. Returns NotFound.
func (c *Configs) SetDefault(ctx context.Context, who policy.Principal, id string) (before string, err error) {
	if err := c.askFor(ctx, who, policy.StorageWrite, id); err != nil {
		return "", err
	}
	err = c.changed(ctx, id, func(ctx context.Context) error {
		page, err := c.repo.List(ctx, ConfigFilter{})
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(page.Items, func(config Config) bool { return config.IsDefault }); i >= 0 {
			before = page.Items[i].ID
		}
		return c.repo.SetDefault(ctx, id)
	})
	return before, err
}

// Delete removes a config and returns what it was; what lies in the storage
// stays. It asks admin.storage.write.
//
// Returns NotFound, and Conflict with Key "in_use" while something needs it.
func (c *Configs) Delete(ctx context.Context, who policy.Principal, id string) (before *Config, err error) {
	if err := c.askFor(ctx, who, policy.StorageWrite, id); err != nil {
		return nil, err
	}
	var old Config
	err = c.changed(ctx, id, func(ctx context.Context) error {
		config, err := c.repo.Update(ctx, id, func(*Config) error { return nil }) // waits for those who hold it
		if err != nil {
			return err
		}
		if err := c.unused(ctx, id); err != nil {
			return err
		}
		old = *config
		n, err := c.repo.Delete(ctx, id)
		if err == nil && n == 0 {
			return ports.ErrNotFound
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	shown := c.visible(who, old)
	return &shown, nil
}

// unused returns Conflict when something needs the config.
func (c *Configs) unused(ctx context.Context, id string) error {
	for _, use := range []struct {
		count func(context.Context, string) (int64, error)
		text  string
	}{{c.Uses.Files, "storage_used_by_files"}, {c.Uses.Mounts, "storage_used_by_mounts"}} {
		if use.count == nil {
			continue
		}
		n, err := use.count(ctx, id)
		if err != nil {
			return err
		}
		if n > 0 {
			return &ports.Error{Code: ports.Conflict, Key: "in_use", Text: use.text, Params: map[string]any{"count": n}}
		}
	}
	return nil
}

// changed runs a change in one transaction and makes this and the other nodes
// forget the open bucket and what is kept of configs.
func (c *Configs) changed(ctx context.Context, id string, change func(context.Context) error) error {
	err := c.Work.Do(ctx, func(ctx context.Context) error {
		if err := change(ctx); err != nil {
			return err
		}
		return c.Invalidation.Publish(ctx, InvalidationKind, id)
	})
	if err == nil {
		c.kept.forget()
		c.Opener.Forget(id)
		c.tests.Delete(id)
		if c.Changed != nil {
			c.Changed(id)
		}
	}
	return err
}

// plan describes the driver of a changed config; nil when nothing of the
// driver is to change.
func (c *Configs) plan(ctx context.Context, config *Config, d Draft) (*objstore.Info, error) {
	name := c.driverAfter(config, d)
	if name == config.Driver && d.Options == nil {
		return nil, nil
	}
	info, err := c.info(ctx, name)
	return &info, err
}

// driverAfter is the driver that a config has after a change: the one that is
// named, else that of a new provider, else the old one.
func (c *Configs) driverAfter(config *Config, d Draft) string {
	switch {
	case !blank(d.Driver):
		return strings.TrimSpace(*d.Driver)
	case d.ProviderType != nil && strings.TrimSpace(*d.ProviderType) != config.ProviderType:
		return driverOf(c.Drivers, strings.TrimSpace(*d.ProviderType))
	}
	return config.Driver
}

// OwnDisk reports whether the config id (of a new one "") keeps its objects on
// the disk of this server, or would once d is applied. It asks no policy and
// tells nothing else of the config.
func (c *Configs) OwnDisk(ctx context.Context, id string, d Draft) (bool, error) {
	config := &Config{}
	if id != "" {
		stored, err := c.repo.Get(ctx, id)
		if ports.Is(err, ports.NotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		config = stored
	}
	if config.StorageType == objstore.OwnDisk {
		return true, nil
	}
	name := c.driverAfter(config, d)
	if name == config.Driver {
		return false, nil
	}
	info, err := c.info(ctx, name)
	if ports.Is(err, ports.Invalid) {
		return false, nil // there is no such driver
	}
	return info.StorageType == objstore.OwnDisk, err
}

// apply changes config as d says. info describes the driver it will have; nil
// means that nothing of the driver changes.
func (c *Configs) apply(config *Config, info *objstore.Info, d Draft) error {
	var err error
	if d.Name != nil {
		if config.Name, err = cleanLine("name", *d.Name); err != nil {
			return err
		}
	}
	if info != nil {
		if err := c.applyDriver(config, info, d); err != nil {
			return err
		}
	}
	if d.ProviderType != nil {
		if config.ProviderType, err = cleanLine("provider_type", *d.ProviderType); err != nil {
			return err
		}
	}
	if d.DefaultFolder != nil {
		if config.DefaultFolder, err = cleanFolder("default_folder", *d.DefaultFolder); err != nil {
			return err
		}
	}
	if d.CustomHost != nil {
		config.CustomHost = strings.TrimSpace(*d.CustomHost)
		if config.CustomHost != "" {
			if config.CustomHost, err = cleanURL("custom_host", config.CustomHost); err != nil {
				return err
			}
		}
	}
	applyNumbers(config, d)
	return c.placed(config)
}

func applyNumbers(config *Config, d Draft) {
	if d.IsPublic != nil {
		config.IsPublic = *d.IsPublic
	}
	if d.IsDefault != nil {
		config.IsDefault = *d.IsDefault
	}
	if d.Capacity != nil {
		if config.TotalStorageBytes = *d.Capacity; config.TotalStorageBytes <= 0 {
			config.TotalStorageBytes = capacityOf(config.Driver)
		}
	}
	if d.SignatureSeconds != nil {
		if config.SignatureExpiresIn = *d.SignatureSeconds; config.SignatureExpiresIn < 1 || config.SignatureExpiresIn > maxSignatureSeconds {
			config.SignatureExpiresIn = defaultSignatureSeconds
		}
	}
}

// applyDriver sets driver and options.
func (c *Configs) applyDriver(config *Config, info *objstore.Info, d Draft) error {
	old := optionsOf(c.Sealer, config)
	if config.Driver != info.Name && !(s3Family(config.Driver) && s3Family(info.Name)) {
		old = options{map[string]string{}, map[string]string{}} // credentials reach no driver they were not entered for
	}
	if config.Driver != info.Name {
		maps.DeleteFunc(old.secrets, func(key, _ string) bool {
			return !slices.ContainsFunc(fieldsOf(*info), func(f objstore.Field) bool { return f.Key == key })
		})
	}
	next, err := old.merge(*info, d.Options)
	if err != nil {
		return err
	}
	if config.Driver != info.Name && d.ProviderType == nil {
		config.ProviderType = providerOf(*info)
	}
	config.Driver, config.StorageType = info.Name, info.StorageType
	return next.put(c.Sealer, config)
}

// s3Family reports whether a driver is one of ours for S3.
func s3Family(driver string) bool {
	return slices.ContainsFunc(providers, func(p provider) bool { return p.driver == driver && driver != "local" })
}

// tryOpen opens the bucket once and lets go of it. Only settings that the
// driver cannot use are an error: a storage that does not answer now may later.
func (c *Configs) tryOpen(ctx context.Context, config *Config) error {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	bucket, err := c.Opener.openBucket(ctx, config)
	if err == nil {
		_ = bucket.Close()
	}
	if ports.Is(err, ports.Invalid) {
		return err
	}
	return nil
}

func blank(s *string) bool { return s == nil || strings.TrimSpace(*s) == "" }

// cleanLine checks a short text for people.
func cleanLine(field, value string) (string, error) {
	value = strings.TrimSpace(value)
	switch {
	case value == "":
		return "", ports.InvalidInput("field_required", field)
	case utf8.RuneCountInString(value) > maxName:
		return "", ports.InvalidInput("too_long", field)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return "", ports.InvalidInput("field_invalid", field)
	}
	return value, nil
}

// askFor asks the policy about one config, or about all of them.
func (c *Configs) askFor(ctx context.Context, who policy.Principal, do policy.Action, id string) error {
	_, err := policy.Check(ctx, c.Decider, who, do, policy.Resource{Kind: policy.KindStorage, ID: id})
	return err
}
