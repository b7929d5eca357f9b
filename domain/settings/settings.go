package settings

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Invalidated is the kind of event that other nodes get after a change.
const Invalidated = "settings"

// Settings reads and changes what the operator can set.
type Settings struct {
	repository   Repository
	decider      policy.Decider
	invalidation ports.Invalidation
	clock        ports.Clock
	values       *Values
	reading      sync.Mutex // of rows
	rowsRead     []Setting  // what values were made of
	// noCustomCode hides the custom head and body and keeps them as they are.
	noCustomCode bool
}

// Deps are what Settings needs.
type Deps struct {
	Repository   Repository
	Decider      policy.Decider
	Invalidation ports.Invalidation
	Clock        ports.Clock
	// NoCustomCode turns the custom head and body off: they read as empty and
	// cannot be changed.
	NoCustomCode bool
}

// New returns Settings that answer defaults until Load.
func New(d Deps) *Settings {
	return &Settings{repository: d.Repository, decider: d.Decider, invalidation: d.Invalidation, clock: d.Clock, values: newValues(), noCustomCode: d.NoCustomCode}
}

// Values is what the other modules read.
func (s *Settings) Values() *Values { return s.values }

// Row is a setting with its meaning.
type Row struct {
	Definition
	Value     string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// GroupInfo describes a group and counts its settings.
type GroupInfo struct {
	Group
	Settings int
	ReadOnly int
}

// Problem is a setting that was not saved, and why.
type Problem struct {
	Key   string
	Error *ports.Error
}

// Update is the outcome of changing a group.
type Update struct {
	Total    int
	Updated  int
	Problems []Problem // by key
	ETag     string    // of the group as this update left it; empty when nothing was saved
}

// Seed stores the default of every setting that has no value yet, keeps the
// version of the database schema, and loads all values. A site that has
// settings already gets the older default of one that it lacks.
func (s *Settings) Seed(ctx context.Context, schema int) error {
	stored, err := s.repository.All(ctx)
	if err != nil {
		return ports.Wrap("load settings", err)
	}
	now := s.clock.Now()
	rows := make([]Setting, 0, len(registry))
	for _, d := range registry {
		value := d.Default
		if d.Older != "" && len(stored) > 0 {
			value = d.Older
		}
		rows = append(rows, Setting{Key: d.Key, Value: value, CreatedAt: now, UpdatedAt: now})
	}
	if err := s.repository.Seed(ctx, rows...); err != nil {
		return ports.Wrap("seed settings", err)
	}
	if err := s.Reload(ctx); err != nil {
		return err
	}
	if version := strconv.Itoa(schema); schema > 0 && s.values.Text(schemaVersion) != version {
		return s.save(ctx, []Setting{{Key: schemaVersion, Value: version, CreatedAt: now, UpdatedAt: now}})
	}
	return nil
}

// Reload takes over what the repository holds now.
func (s *Settings) Reload(ctx context.Context) error {
	s.reading.Lock() // so that who has read later stores later
	defer s.reading.Unlock()
	rows, err := s.repository.All(ctx)
	if err != nil {
		return ports.Wrap("load settings", err)
	}
	if s.rowsRead == nil || !slices.Equal(rows, s.rowsRead) {
		s.values.replace(rows)
		s.rowsRead = rows
	}
	return nil
}

// Group returns the settings of a group by place and key; none for an unknown
// group. Asks site.read, or admin.settings.read for the system group and for
// an administrator, who alone sees private settings.
func (s *Settings) Group(ctx context.Context, who policy.Principal, group int) ([]Row, error) {
	full := group == SystemGroup || who.Kind == policy.Admin
	do := policy.SiteRead
	if full {
		do = policy.SettingsRead
	}
	if _, err := policy.Check(ctx, s.decider, who, do, policy.Resource{Kind: policy.KindSettings, ID: strconv.Itoa(group)}); err != nil {
		return nil, err
	}
	return s.rows(func(d *Definition) bool { return d.Group == group && (full || d.Flag != Private) }), nil
}

// All returns every setting, by group; the system group only when asked for.
// Asks admin.settings.read.
func (s *Settings) All(ctx context.Context, who policy.Principal, includeSystem bool) (map[int][]Row, error) {
	if err := s.mayRead(ctx, who); err != nil {
		return nil, err
	}
	all := map[int][]Row{}
	for _, row := range s.rows(func(d *Definition) bool { return includeSystem || d.Group != SystemGroup }) {
		all[row.Group] = append(all[row.Group], row)
	}
	return all, nil
}

// Groups describes the groups but the system's. Asks admin.settings.read.
func (s *Settings) Groups(ctx context.Context, who policy.Principal) ([]GroupInfo, error) {
	if err := s.mayRead(ctx, who); err != nil {
		return nil, err
	}
	var infos []GroupInfo
	for _, g := range groups {
		if g.ID == SystemGroup {
			continue
		}
		info := GroupInfo{Group: g}
		for _, d := range registry {
			if d.Group != g.ID {
				continue
			}
			info.Settings++
			if d.Flag == ReadOnly {
				info.ReadOnly++
			}
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// Metadata returns one setting. Asks admin.settings.read. Returns NotFound for
// an unknown key.
func (s *Settings) Metadata(ctx context.Context, who policy.Principal, key string) (Row, error) {
	if err := s.mayRead(ctx, who); err != nil {
		return Row{}, err
	}
	if definitions[key] == nil {
		return Row{}, errUnknown
	}
	return s.row(definitions[key]), nil
}

// Change asks for new values of a group: decoded JSON by key. Unchecked skips
// the rules of range and choice, not the conversion and not those of addresses.
//
// IfMatch is the ETag that the group must still have; empty means any.
type Change struct {
	Group     int
	Values    map[string]any
	Unchecked bool
	IfMatch   string
}

// Update changes settings of a group, each by itself: the valid ones are saved
// and the others come back as problems. Asks admin.settings.write. Returns
// Invalid for a truth value that is none, and Precondition when IfMatch does not
// hold; then nothing is saved.
func (s *Settings) Update(ctx context.Context, who policy.Principal, change Change) (Update, error) {
	on := policy.Resource{Kind: policy.KindSettings, ID: strconv.Itoa(change.Group)}
	if _, err := policy.Check(ctx, s.decider, who, policy.SettingsWrite, on); err != nil {
		return Update{}, err
	}
	now := s.clock.Now()
	done := Update{Total: len(change.Values)}
	var rows []Setting
	for _, key := range slices.Sorted(maps.Keys(change.Values)) {
		text, problem := s.accept(change, key, change.Values[key])
		if problem != nil && problem.Text == "field_type" {
			return Update{}, problem
		}
		if problem != nil {
			done.Problems = append(done.Problems, Problem{key, problem})
			continue
		}
		rows = append(rows, Setting{Key: key, Value: text, CreatedAt: s.created(key, now), UpdatedAt: now})
	}
	done.Updated = len(rows)
	if len(rows) == 0 {
		return done, nil
	}
	err := s.saveAfter(ctx, rows, func(stored []Setting) error {
		done.ETag = ETag(s.inGroup(change.Group, append(slices.Clone(stored), rows...)))
		return ports.Unchanged(change.IfMatch, ETag(s.inGroup(change.Group, stored)))
	})
	return done, err
}

// ETag identifies the values of settings. It is quoted.
func ETag(rows []Row) string {
	values := make([]any, 0, 2*len(rows))
	for i := range rows {
		values = append(values, rows[i].Key, rows[i].Value)
	}
	return ports.TagOf(values...)
}

// inGroup are the settings of a group as the repository holds them, like the
// rows that an administrator gets. Of two values of a key the last one counts.
func (s *Settings) inGroup(group int, stored []Setting) []Row {
	held := newValues()
	held.replace(stored)
	var rows []Row
	for i := range registry {
		if registry[i].Group == group {
			rows = append(rows, s.rowOf(&registry[i], held))
		}
	}
	return rows
}

// accept returns the text to store for a key, or why it is refused.
func (s *Settings) accept(change Change, key string, value any) (string, *ports.Error) {
	d := definitions[key]
	switch {
	case d == nil:
		return "", errUnknown
	case d.Group != change.Group:
		return "", errGroup
	case d.Flag == ReadOnly || d.Group == SystemGroup || s.off(key):
		return "", errReadOnly
	}
	text, problem := d.convert(value)
	if problem == nil && (d.always || !change.Unchecked) {
		problem = d.check(text)
	}
	return text, problem
}

// save stores rows, takes them over here and tells the other nodes.
func (s *Settings) save(ctx context.Context, rows []Setting) error {
	return s.saveAfter(ctx, rows, func([]Setting) error { return nil })
}

// saveAfter is save once check has agreed to what is stored.
func (s *Settings) saveAfter(ctx context.Context, rows []Setting, check func(stored []Setting) error) error {
	if err := s.repository.PutAfter(ctx, check, rows...); err != nil {
		return ports.Wrap("save settings", err)
	}
	if err := s.Reload(ctx); err != nil {
		return err
	}
	return ports.Wrap("announce settings", s.invalidation.Publish(ctx, Invalidated, ""))
}

func (s *Settings) mayRead(ctx context.Context, who policy.Principal) error {
	_, err := policy.Check(ctx, s.decider, who, policy.SettingsRead, policy.Resource{Kind: policy.KindSettings})
	return err
}

// rows returns the settings that pick chooses, by group, place and key: the
// order of the registry.
func (s *Settings) rows(pick func(*Definition) bool) []Row {
	var rows []Row
	for i := range registry {
		if pick(&registry[i]) {
			rows = append(rows, s.row(&registry[i]))
		}
	}
	return rows
}

func (s *Settings) row(d *Definition) Row { return s.rowOf(d, s.values) }

func (s *Settings) rowOf(d *Definition, values *Values) Row {
	stored := values.current.Load().rows[d.Key]
	row := Row{Definition: *d, Value: values.Text(d.Key), CreatedAt: stored.CreatedAt, UpdatedAt: stored.UpdatedAt}
	if s.off(d.Key) {
		row.Value, row.Flag = "", ReadOnly
	}
	return row
}

// off reports whether a setting is switched off by the operator of the process.
func (s *Settings) off(key string) bool {
	return s.noCustomCode && (key == customHead || key == customBody)
}

func (s *Settings) created(key string, now time.Time) time.Time {
	if row, ok := s.values.current.Load().rows[key]; ok {
		return row.CreatedAt
	}
	return now
}
