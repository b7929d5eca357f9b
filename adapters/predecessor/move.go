package predecessor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pasteport/domain/keys"
	"pasteport/domain/mounts"
	"pasteport/domain/settings"
	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/ports"
)

// Target is where the records go.
type Target struct {
	Work         ports.UnitOfWork
	Admins       keys.AdminRepository
	Settings     settings.Repository
	Configs      storage.ConfigRepository
	Keys         keys.KeyRepository
	Mounts       mounts.MountRepository
	Pastes       shares.PasteRepository
	Files        shares.FileRepository
	Invalidation ports.Invalidation
	MAC          ports.MAC
	Hasher       ports.Hasher
	Clock        ports.Clock
	// PrepareConfig checks a storage config and seals its secrets.
	PrepareConfig func(ctx context.Context, c storage.Config, d storage.Draft) (*storage.Config, error)
	// FirstAdmin makes an administrator where the old one cannot be taken over.
	FirstAdmin func(ctx context.Context) (*keys.NewAdmin, error)
}

// One unit of work takes so many records, or so many bytes of content. A server
// on the same PostgreSQL goes on working between two of them.
const (
	batchRecords = 100
	batchBytes   = 4 << 20
)

// Import takes over what src holds, in batches; the next run finishes one that
// was cut short. secret is the predecessor's encryption secret: credentials that
// were not stored with it are refused. Without it they are taken as they are.
func Import(ctx context.Context, src *Source, to Target, secret string) (*Report, error) {
	m := &move{src: src, to: to, secret: secret, now: to.Clock.Now().UTC().Truncate(time.Millisecond), report: &Report{}, limited: map[string]bool{}}
	if err := m.checkSecret(ctx); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{
		m.moveAdmin, m.moveSettings, m.moveConfigs, m.moveKeys, m.moveMounts, m.movePastes, m.moveFiles, m.tellRest,
	} {
		if err := step(ctx); err != nil {
			return m.report, err
		}
	}
	return m.report, nil
}

// move is one import.
type move struct {
	src       *Source
	to        Target
	secret    string
	now       time.Time
	report    *Report
	admin     string          // id of the administrator here, who owns what the old one made
	defaultID string          // the default storage config here
	limited   map[string]bool // old ids of keys that were bound to certain storages
}

// kind is how records of one kind are moved.
type kind[E any] struct {
	name    string   // in the report
	tables  []string // each is read, if it is there
	label   []string // the first of these columns that has a text names a record
	taken   string   // why a record conflicts with one that is here
	event   string   // tells other nodes; empty for none
	convert func(context.Context, *row) *E
	get     func(ctx context.Context, id string) (*E, error)
	insert  func(context.Context, *E) error
	id      func(*E) string
	bytes   func(*E) int // of content; nil for small records
}

// pending is a record that waits for its unit of work.
type pending[E any] struct {
	entity *E
	label  string
	notes  []string
}

// carry moves all records of a kind.
func carry[E any](ctx context.Context, m *move, k kind[E]) error {
	part := m.report.part(k.name)
	var batch []pending[E]
	bytes := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		done, err := carryBatch(ctx, m, k, batch)
		if err != nil {
			return fmt.Errorf("take over %s: %w", k.name, err)
		}
		part.add(done)
		batch, bytes = nil, 0
		return nil
	}
	for _, table := range k.tables {
		err := m.src.each(ctx, table, func(r *row) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			name := label(r, k.label...)
			entity := k.convert(ctx, r)
			switch {
			case r.failure != nil:
				return fmt.Errorf("take over %s %q: %w", k.name, name, r.failure)
			case r.reason != "":
				part.Left = append(part.Left, Item{name, r.reason})
				return nil
			}
			batch = append(batch, pending[E]{entity, name, r.notes})
			if k.bytes != nil {
				bytes += k.bytes(entity)
			}
			if len(batch) < batchRecords && bytes < batchBytes {
				return nil
			}
			return flush()
		})
		if err != nil {
			return err
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return nil
}

// carryBatch stores records in one unit of work and tells what became of them.
func carryBatch[E any](ctx context.Context, m *move, k kind[E], batch []pending[E]) (Part, error) {
	var done Part
	err := m.to.Work.Do(ctx, func(ctx context.Context) error {
		done = Part{} // a unit of work may be repeated
		for _, p := range batch {
			_, err := k.get(ctx, k.id(p.entity))
			if err == nil {
				done.Present++
				continue
			}
			if !ports.Is(err, ports.NotFound) {
				return err
			}
			err = k.insert(ctx, p.entity)
			if ports.Is(err, ports.Conflict) {
				done.Conflicts = append(done.Conflicts, Item{p.label, k.taken})
				continue
			}
			if err != nil {
				return err
			}
			done.Added++
			for _, note := range p.notes {
				done.Notes = append(done.Notes, Item{p.label, note})
			}
			if k.event == "" {
				continue
			}
			if err := m.to.Invalidation.Publish(ctx, k.event, k.id(p.entity)); err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

func (m *move) moveConfigs(ctx context.Context) error {
	page, err := m.to.Configs.List(ctx, storage.ConfigFilter{})
	if err != nil {
		return err
	}
	for _, c := range page.Items {
		if c.IsDefault {
			m.defaultID = c.ID
		}
	}
	seen := map[string]bool{}
	return carry(ctx, m, kind[storage.Config]{
		name: "storage configs", tables: []string{"storage_configs", "s3_configs"}, label: []string{"name", "id"}, event: storage.InvalidationKind,
		taken: "there is another one like it here",
		convert: func(ctx context.Context, r *row) *storage.Config {
			c := m.storageConfig(ctx, r)
			if c != nil && seen[c.ID] {
				r.leave("it stands in the newer table, too")
			} else if c != nil {
				seen[c.ID] = true
			}
			return c
		},
		get: m.to.Configs.Get, insert: m.to.Configs.Insert, id: func(c *storage.Config) string { return c.ID },
	})
}

func (m *move) moveKeys(ctx context.Context) error {
	err := m.src.each(ctx, "principal_storage_acl", func(r *row) error {
		if strings.EqualFold(r.text("subject_type"), "API_KEY") {
			m.limited[r.text("subject_id")] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	return carry(ctx, m, kind[keys.Key]{
		name: "API keys", tables: []string{"api_keys"}, label: []string{"name", "id"}, event: keys.Changed, taken: "its name or its value is taken here", convert: m.key,
		get: m.to.Keys.Get, insert: m.to.Keys.Insert, id: func(k *keys.Key) string { return k.ID },
	})
}

func (m *move) moveMounts(ctx context.Context) error {
	return carry(ctx, m, kind[mounts.Mount]{
		name: "mounts", tables: []string{"storage_mounts"}, label: []string{"mount_path", "name"}, event: mounts.MountsChanged, taken: "its path is taken here", convert: m.mount,
		get: m.to.Mounts.Get, insert: m.to.Mounts.Insert, id: func(e *mounts.Mount) string { return e.ID },
	})
}

func (m *move) movePastes(ctx context.Context) error {
	return carry(ctx, m, kind[shares.Paste]{
		name: "texts", tables: []string{"pastes"}, label: []string{"slug", "id"}, taken: "its link is taken here", convert: m.paste,
		get: m.to.Pastes.Get, insert: m.to.Pastes.Insert, id: func(p *shares.Paste) string { return p.ID },
		bytes: func(p *shares.Paste) int { return len(p.Content) },
	})
}

func (m *move) moveFiles(ctx context.Context) error {
	return carry(ctx, m, kind[shares.File]{
		name: "files", tables: []string{"files"}, label: []string{"slug", "id"}, taken: "its link is taken here", convert: m.file,
		get: m.to.Files.Get, insert: m.to.Files.Insert, id: func(f *shares.File) string { return f.ID },
	})
}

// configByID finds a storage config that is here, by its id here.
func (m *move) configByID(ctx context.Context, id string) (*storage.Config, error) {
	return m.to.Configs.Get(ctx, id)
}

// factoryHash is the password of every fresh installation of the predecessor,
// known to all the world.
const factoryHash = "240be518fabd2724ddb6f04eeb1da5967448d7e831c08c8fa822809f74c720a9"

// moveAdmin makes the old administrator that of this server, unless it has one.
// There is one; it owns what any old one has made.
func (m *move) moveAdmin(ctx context.Context) error {
	part := m.report.part("administrators")
	page, err := m.to.Admins.List(ctx, keys.AdminFilter{Paging: ports.Paging{Limit: 1}})
	if err != nil {
		return err
	}
	if page.Total > 0 {
		m.admin = page.Items[0].ID
	}
	err = m.src.each(ctx, "admins", func(r *row) error {
		name := label(r, "username", "id")
		switch id := r.id(); {
		case m.admin != "" && id == m.admin:
			part.Present++
			return nil
		case m.admin != "":
			part.Left = append(part.Left, Item{name, "there is one administrator here, who now owns what it made"})
			return nil
		}
		admin := m.adminOf(ctx, r)
		if r.failure != nil {
			return r.failure
		}
		if r.reason != "" {
			part.Left = append(part.Left, Item{name, r.reason})
			return nil
		}
		if err := m.to.Admins.Insert(ctx, admin); err != nil {
			return err
		}
		m.admin = admin.ID
		part.Added++
		return nil
	})
	if err != nil || m.admin != "" {
		return err
	}
	made, err := m.to.FirstAdmin(ctx)
	if err != nil {
		return err
	}
	if made == nil {
		return errors.New("another administrator was made meanwhile; repeat the import")
	}
	m.admin, m.report.NewAdmin = made.ID, made
	return nil
}

func (m *move) adminOf(ctx context.Context, r *row) *keys.Admin {
	name, err := keys.CheckUsername(r.text("username"))
	r.obey(err)
	hash := m.passwordHash(ctx, r)
	switch hash {
	case "":
		r.leave("it has no password that can be checked")
	case factoryHash:
		r.leave("its password is the one that everybody knows")
	}
	return &keys.Admin{ID: r.id(), Username: name, PasswordHash: hash, CreatedAt: r.past("created_at", m.now), UpdatedAt: m.now}
}

// moveSettings takes over values of settings that nobody has touched here.
func (m *move) moveSettings(ctx context.Context) error {
	part := m.report.part("settings")
	var wanted []settings.Setting
	err := m.src.each(ctx, "system_settings", func(r *row) error {
		key, old := r.text("key"), r.text("value")
		value, err := settings.Adopt(key, old)
		if strings.HasPrefix(key, "migration_") {
			r.leave("it belongs to the program, not to the site")
		}
		r.obey(err)
		if r.failure != nil {
			return r.failure
		}
		if r.reason != "" {
			part.Left = append(part.Left, Item{label(r, "key"), r.reason})
			return nil
		}
		wanted = append(wanted, settings.Setting{Key: key, Value: value})
		return nil
	})
	if err != nil || len(wanted) == 0 {
		return err
	}
	var done Part
	err = m.to.Work.Do(ctx, func(ctx context.Context) error {
		done = Part{}
		return m.storeSettings(ctx, wanted, &done)
	})
	part.add(done)
	return err
}

func (m *move) storeSettings(ctx context.Context, wanted []settings.Setting, done *Part) error {
	rows, err := m.to.Settings.All(ctx)
	if err != nil {
		return err
	}
	var changed []settings.Setting
	for _, s := range wanted {
		at := slices.IndexFunc(rows, func(here settings.Setting) bool { return here.Key == s.Key })
		switch {
		case at >= 0 && rows[at].Value == s.Value:
			done.Present++
			continue
		case at >= 0 && !rows[at].Untouched():
			done.Conflicts = append(done.Conflicts, Item{s.Key, "it was set to something else here"})
			continue
		}
		s.CreatedAt, s.UpdatedAt = m.now, m.now.Add(time.Millisecond) // touched, from now on
		changed = append(changed, s)
	}
	if len(changed) == 0 {
		return nil
	}
	done.Added = len(changed)
	if err := m.to.Settings.Put(ctx, changed...); err != nil {
		return err
	}
	return m.to.Invalidation.Publish(ctx, settings.Invalidated, "")
}

// checkSecret refuses an encryption secret with which none of the stored
// credentials was stored, before anything is written.
func (m *move) checkSecret(ctx context.Context) error {
	if m.secret == "" {
		return nil
	}
	marked, proven := 0, 0
	look := func(r *row) error {
		if _, has := r.cells["config_json"]; has {
			r.unfold("config_json")
		}
		for _, column := range []string{"access_key_id", "secret_access_key"} {
			stored := r.text(column)
			if _, fits, ok := unseal(stored, m.secret); ok && strings.HasPrefix(stored, sealMark) {
				marked++
				if fits {
					proven++
				}
			}
		}
		return nil
	}
	for _, table := range []string{"storage_configs", "s3_configs"} {
		if err := m.src.each(ctx, table, look); err != nil {
			return err
		}
	}
	if marked > 0 && proven == 0 {
		return errors.New("the encryption secret is not that of this database: no stored credential was stored with it")
	}
	return nil
}

// rest says why tables are not taken over.
var rest = map[string]string{
	"admin_tokens":          "administrators sign in again",
	"paste_passwords":       "passwords in clear text are not kept here; the texts keep theirs as hashes",
	"file_passwords":        "passwords in clear text are not kept here; the files keep theirs as hashes",
	"principal_storage_acl": "keys cannot be bound to certain storages here; those that were are switched off",
	"fs_meta":               "folders have no texts, passwords and hidden names of their own here",
}

// moved are the tables that the steps read.
var moved = []string{"admins", "system_settings", "storage_configs", "s3_configs", "api_keys", "storage_mounts", "pastes", "files"}

// tellRest tells what lies in the other tables.
func (m *move) tellRest(ctx context.Context) error {
	part := m.report.part("other tables")
	for _, table := range m.src.names() {
		if slices.Contains(moved, table) {
			continue
		}
		n, err := m.src.count(ctx, table)
		if err != nil {
			return err
		}
		why, known := rest[table]
		if !known {
			why = "nothing here is like it"
		}
		if n > 0 {
			part.Left = append(part.Left, Item{fmt.Sprintf("%s (%d rows)", table, n), why})
		}
	}
	return nil
}
