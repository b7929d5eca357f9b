package domaintest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/keys"
	"pasteport/domain/mounts"
	"pasteport/domain/settings"
	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/policy"
)

func newKey(n int) *keys.Key {
	return &keys.Key{
		ID: testID(n), Name: fmt.Sprintf("key %d", n), MAC: fmt.Sprintf("mac%d", n), Masked: "abcdef...", Permissions: policy.AllPermissions,
		Role: "GENERAL", BasicPath: "/团队", IsGuest: true, IsActive: true, ExpiresAt: keys.Never, CreatedAt: minute(n), UpdatedAt: minute(n + 1),
		LastUsed: ptr(minute(n + 2)),
	}
}

func newAdmin(n int) *keys.Admin {
	return &keys.Admin{ID: testID(n), Username: fmt.Sprintf("admin%d", n), PasswordHash: "hash", CreatedAt: minute(n), UpdatedAt: minute(n)}
}

// RunKeys checks the repositories of API keys, admin accounts and sessions.
func RunKeys(t *testing.T, open OpenStores) {
	t.Run("api keys", func(t *testing.T) {
		RunRepository(t, func(t *testing.T) ports.Repository[keys.Key, keys.KeyFilter] { return open(t).Keys },
			Subject[keys.Key, keys.KeyFilter]{
				New: newKey,
				ID:  func(k *keys.Key) string { return k.ID },
				Change: func(k *keys.Key) {
					*k = keys.Key{ID: k.ID, Name: "other", MAC: "m", ExpiresAt: minute(3), CreatedAt: minute(1), UpdatedAt: minute(2)}
				},
				Clash: func(first, second *keys.Key) { second.Name = first.Name },
				Key:   "already_exists",
				Page:  func(p ports.Paging) keys.KeyFilter { return keys.KeyFilter{Paging: p} },
			})
	})
	t.Run("admin accounts", func(t *testing.T) {
		RunRepository(t, func(t *testing.T) ports.Repository[keys.Admin, keys.AdminFilter] { return open(t).Admins },
			Subject[keys.Admin, keys.AdminFilter]{
				New:    newAdmin,
				ID:     func(a *keys.Admin) string { return a.ID },
				Change: func(a *keys.Admin) { a.Username, a.PasswordHash = "other", "new" },
				Clash:  func(first, second *keys.Admin) { second.Username = first.Username },
				Key:    "already_exists",
				Page:   func(p ports.Paging) keys.AdminFilter { return keys.AdminFilter{Paging: p} },
			})
	})
	t.Run("a key is found by its portstest.MAC, which is unique", func(t *testing.T) {
		r := open(t).Keys
		must(t, r.Insert(t.Context(), newKey(1)))
		got, err := r.ByMAC(t.Context(), "mac1")
		must(t, err)
		equal(t, got, newKey(1))
		_, err = r.ByMAC(t.Context(), "mac2")
		wantCode(t, err, ports.NotFound, "not_found")
		again := newKey(2)
		again.MAC = "mac1"
		wantCode(t, r.Insert(t.Context(), again), ports.Conflict, "already_exists")

		former := keys.Former{MAC: "mac0", Masked: "pp_old...", Until: minute(9)}
		_, err = r.Update(t.Context(), newKey(1).ID, func(k *keys.Key) error { k.Former = former; return nil })
		must(t, err)
		got, err = r.ByMAC(t.Context(), "mac0")
		must(t, err)
		equal(t, got.Former, former)
		again.MAC, again.Former = "mac2", former
		wantCode(t, r.Insert(t.Context(), again), ports.Conflict, "already_exists")
		_, err = r.ByMAC(t.Context(), "")
		wantCode(t, err, ports.NotFound, "not_found")
	})
	t.Run("keys are searched, sorted, narrowed and paged", func(t *testing.T) {
		r, now := open(t).Keys, minute(30)
		for n, change := range []func(*keys.Key){
			func(k *keys.Key) { k.Name, k.BasicPath, k.ExpiresAt, k.LastUsed = "beta", "/b", minute(30), nil },
			func(k *keys.Key) {
				k.Name, k.BasicPath, k.ExpiresAt, k.LastUsed = "Alpha", "/a%", minute(31), ptr(minute(60))
			},
			func(k *keys.Key) {
				k.Name, k.BasicPath, k.Masked, k.IsActive, k.LastUsed = "gamma", "/B", "pp_xyz...", false, ptr(minute(50))
			},
			func(k *keys.Key) {
				k.Name, k.BasicPath, k.ExpiresAt, k.LastUsed = "钥匙", "/团队", minute(29), ptr(minute(55))
			},
		} {
			k := newKey(n)
			change(k)
			must(t, r.Insert(t.Context(), k))
		}
		for _, c := range []struct {
			name   string
			filter keys.KeyFilter
			want   []string
			total  int
		}{
			{"newest", keys.KeyFilter{}, []string{"钥匙", "gamma", "Alpha", "beta"}, 4},
			{"oldest", keys.KeyFilter{KeySort: keys.KeySort{By: keys.SortCreated, Ascending: true}}, []string{"beta", "Alpha", "gamma", "钥匙"}, 4},
			{"by name", keys.KeyFilter{KeySort: keys.KeySort{By: keys.SortName, Ascending: true}}, []string{"Alpha", "beta", "gamma", "钥匙"}, 4},
			{"by path", keys.KeyFilter{KeySort: keys.KeySort{By: keys.SortPath, Ascending: true}}, []string{"gamma", "Alpha", "beta", "钥匙"}, 4},
			{"latest end", keys.KeyFilter{KeySort: keys.KeySort{By: keys.SortExpiry}}, []string{"gamma", "Alpha", "beta", "钥匙"}, 4},
			{"last use", keys.KeyFilter{KeySort: keys.KeySort{By: keys.SortUsed, Ascending: true}}, []string{"beta", "gamma", "钥匙", "Alpha"}, 4},
			{"active", keys.KeyFilter{KeySort: keys.KeySort{State: keys.StateActive, Now: now}}, []string{"Alpha"}, 1},
			{"expired, at exactly now", keys.KeyFilter{KeySort: keys.KeySort{State: keys.StateExpired, Now: now}}, []string{"钥匙", "beta"}, 2},
			{"off", keys.KeyFilter{KeySort: keys.KeySort{State: keys.StateOff, Now: now}}, []string{"gamma"}, 1},
			{"a name in any case", keys.KeyFilter{Search: "ALPH"}, []string{"Alpha"}, 1},
			{"a Chinese path", keys.KeyFilter{Search: "团"}, []string{"钥匙"}, 1},
			{"a masked value", keys.KeyFilter{Search: "pp_xyz"}, []string{"gamma"}, 1},
			{"a percent sign stands for itself", keys.KeyFilter{Search: "%"}, []string{"Alpha"}, 1},
			{"search, order and state", keys.KeyFilter{Search: "/", KeySort: keys.KeySort{By: keys.SortName, State: keys.StateExpired, Now: now}}, []string{"钥匙", "beta"}, 2},
			{"nothing", keys.KeyFilter{Search: "nowhere"}, nil, 0},
			{"second page", keys.KeyFilter{Paging: ports.Paging{Limit: 2, Offset: 2}, KeySort: keys.KeySort{By: keys.SortName, Ascending: true}}, []string{"gamma", "钥匙"}, 4},
			{"past the end", keys.KeyFilter{Paging: ports.Paging{Limit: 2, Offset: 9}}, nil, 4},
		} {
			page, err := r.List(t.Context(), c.filter)
			must(t, err)
			var got []string
			for _, k := range page.Items {
				got = append(got, k.Name)
			}
			if d := cmp.Diff(got, c.want); d != "" || page.Total != c.total {
				t.Errorf("%s: %d in all, want %d, got -, want +\n%s", c.name, page.Total, c.total, d)
			}
		}
	})
	t.Run("uses are counted by day, and the last one is stored", func(t *testing.T) {
		r := open(t).Keys
		must(t, r.Insert(t.Context(), newKey(1)))
		must(t, r.Insert(t.Context(), newKey(2)))
		must(t, r.AddUse(t.Context(), []keys.Use{
			{KeyID: testID(1), Day: "2026-01-01", Calls: 3, Last: minute(40)}, {KeyID: testID(2), Day: "2026-01-01", Calls: 9, Last: minute(40)},
			{KeyID: testID(1), Day: "2026-01-02", Calls: 2, Last: minute(50)}, {KeyID: "missing", Day: "2026-01-02", Calls: 1, Last: minute(51)},
		}))
		must(t, r.AddUse(t.Context(), nil))
		must(t, r.AddUse(t.Context(), []keys.Use{{KeyID: testID(1), Day: "2026-01-02", Calls: 4, Last: minute(52)}}))
		must(t, r.AddUse(t.Context(), []keys.Use{{KeyID: testID(1), Day: "2026-01-02", Calls: 1, Last: minute(51)}})) // of a node that tells later
		got, err := r.Get(t.Context(), testID(1))
		must(t, err)
		want := newKey(1)
		want.LastUsed = ptr(minute(52))
		equal(t, got, want)
		uses := func(id, from string) []keys.Use {
			t.Helper()
			all, err := r.Uses(t.Context(), id, from)
			must(t, err)
			return all
		}
		equal(t, uses(testID(1), "2025-12-31"), []keys.Use{{KeyID: testID(1), Day: "2026-01-01", Calls: 3}, {KeyID: testID(1), Day: "2026-01-02", Calls: 7}})
		equal(t, uses(testID(1), "2026-01-02"), []keys.Use{{KeyID: testID(1), Day: "2026-01-02", Calls: 7}})
		equal(t, uses("missing", "2025-12-31"), []keys.Use{})
		n, err := r.DeleteUses(t.Context(), time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC))
		must(t, err)
		equal(t, n, 2)
		equal(t, uses(testID(1), "2025-12-31"), []keys.Use{{KeyID: testID(1), Day: "2026-01-02", Calls: 7}})
	})
	t.Run("an admin is found by name", func(t *testing.T) {
		r := open(t).Admins
		must(t, r.Insert(t.Context(), newAdmin(1)))
		got, err := r.ByName(t.Context(), "admin1")
		must(t, err)
		equal(t, got, newAdmin(1))
		_, err = r.ByName(t.Context(), "Admin1")
		wantCode(t, err, ports.NotFound, "not_found")
	})
	t.Run("the oldest sessions give way", func(t *testing.T) {
		r := open(t).Sessions
		session := func(n int, admin string) *keys.Session {
			return &keys.Session{ID: fmt.Sprintf("s%d", n), AdminID: admin, CreatedAt: minute(n), ExpiresAt: minute(n + 10), ClientIP: "::1", UserAgent: "a"}
		}
		for n := range 4 {
			must(t, r.Insert(t.Context(), session(n, "a1"), 3))
		}
		must(t, r.Insert(t.Context(), session(9, "a2"), 3))
		wantCode(t, r.Insert(t.Context(), session(9, "a2"), 3), ports.Conflict, "")
		got, err := r.List(t.Context(), "a1")
		must(t, err)
		equal(t, got, []keys.Session{*session(3, "a1"), *session(2, "a1"), *session(1, "a1")})
		_, err = r.Get(t.Context(), "s0")
		wantCode(t, err, ports.NotFound, "not_found")
		one, err := r.Get(t.Context(), "s9")
		must(t, err)
		equal(t, one, session(9, "a2"))
		n, err := r.DeleteExpired(t.Context(), minute(11))
		must(t, err)
		equal(t, n, 1)
		must(t, r.Delete(t.Context(), "s2"))
		must(t, r.Delete(t.Context(), "missing"))
		must(t, r.DeleteByAdmin(t.Context(), "a2"))
		_, err = r.Get(t.Context(), "s9")
		wantCode(t, err, ports.NotFound, "not_found")
		got, err = r.List(t.Context(), "a1")
		must(t, err)
		equal(t, got, []keys.Session{*session(3, "a1")})
	})
	t.Run("of many sessions opened at once as many stay as may", func(t *testing.T) { runManySessions(t, open) })
}

// runManySessions opens sessions at once.
func runManySessions(t *testing.T, open OpenStores) {
	r := open(t).Sessions
	for round := range 10 {
		admin := fmt.Sprint("a", round)
		atOnce(8, func(n int) {
			must(t, r.Insert(t.Context(), &keys.Session{ID: fmt.Sprint(admin, "-", n), AdminID: admin, CreatedAt: minute(n), ExpiresAt: minute(n + 10)}, 2))
		})
		got, err := r.List(t.Context(), admin)
		must(t, err)
		equal(t, len(got), 2)
	}
}

// atOnce calls do from many goroutines and waits for all.
func atOnce(many int, do func(n int)) {
	var all sync.WaitGroup
	for n := range many {
		all.Go(func() { do(n) })
	}
	all.Wait()
}

// RunSettings checks a repository of setting values.
func RunSettings(t *testing.T, open OpenStores) {
	t.Run("put replaces and seed does not", func(t *testing.T) {
		r := open(t).Settings
		got, err := r.All(t.Context())
		must(t, err)
		equal(t, got, []settings.Setting{})
		value := func(key, value string, n int) settings.Setting {
			return settings.Setting{Key: key, Value: value, CreatedAt: minute(n), UpdatedAt: minute(n)}
		}
		must(t, r.Seed(t.Context(), value("b", "1", 1), value("a", "标题", 1)))
		must(t, r.Seed(t.Context(), value("b", "2", 2), value("c", "2", 2)))
		must(t, r.Put(t.Context(), value("c", "3", 3), value("d", "", 3)))
		must(t, r.Put(t.Context()))
		got, err = r.All(t.Context())
		must(t, err)
		changed := value("c", "3", 3)
		changed.CreatedAt = minute(2)
		equal(t, got, []settings.Setting{value("a", "标题", 1), value("b", "1", 1), changed, value("d", "", 3)})
	})
	t.Run("a check sees what is stored, and nothing is stored when it refuses", func(t *testing.T) {
		r := open(t).Settings
		value := func(key, value string) settings.Setting {
			return settings.Setting{Key: key, Value: value, CreatedAt: minute(1), UpdatedAt: minute(1)}
		}
		must(t, r.Seed(t.Context(), value("b", "1"), value("a", "2")))
		refusal := &ports.Error{Code: ports.Precondition, Key: "precondition_failed"}
		err := r.PutAfter(t.Context(), func(stored []settings.Setting) error {
			equal(t, stored, []settings.Setting{value("a", "2"), value("b", "1")})
			return refusal
		}, value("a", "3"))
		wantCode(t, err, ports.Precondition, "precondition_failed")
		must(t, r.PutAfter(t.Context(), func([]settings.Setting) error { return nil }, value("b", "4"), value("c", "5")))
		got, err := r.All(t.Context())
		must(t, err)
		equal(t, got, []settings.Setting{value("a", "2"), value("b", "4"), value("c", "5")})
	})
	t.Run("of many who have seen the same, one is stored", func(t *testing.T) {
		r := open(t).Settings
		value := func(text string) settings.Setting {
			return settings.Setting{Key: "a", Value: text, CreatedAt: minute(1), UpdatedAt: minute(1)}
		}
		must(t, r.Seed(t.Context(), value("0")))
		var stored atomic.Int64
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() {
				err := r.PutAfter(t.Context(), func(now []settings.Setting) error { return ports.Unchanged("0", now[0].Value) }, value(fmt.Sprint(n+1)))
				if err == nil {
					stored.Add(1)
				} else if !ports.Is(err, ports.Precondition) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		equal(t, stored.Load(), int64(1))
	})
}

func newConfig(n int) *storage.Config {
	return &storage.Config{
		ID: testID(n), Name: fmt.Sprintf("Config %d", n), Driver: "s3", ProviderType: "Other", StorageType: "S3", EndpointURL: "https://s3.example",
		BucketName: "b", Region: "auto", PathStyle: true, Sealed: []byte{0, 1, 255}, Options: `{"a":"b"}`, DefaultFolder: "up", IsPublic: true,
		TotalStorageBytes: 1 << 40, CustomHost: "https://cdn.example", SignatureExpiresIn: 3600, AdminID: "a1",
		CreatedAt: minute(n), UpdatedAt: minute(n), LastUsed: ptr(minute(n)),
	}
}

// RunStorageConfigs checks a repository of storage configs.
func RunStorageConfigs(t *testing.T, open OpenStores) {
	RunRepository(t, func(t *testing.T) ports.Repository[storage.Config, storage.ConfigFilter] {
		return open(t).StorageConfigs
	},
		Subject[storage.Config, storage.ConfigFilter]{
			New:    newConfig,
			ID:     func(c *storage.Config) string { return c.ID },
			Change: func(c *storage.Config) { c.Sealed, c.LastUsed, c.IsPublic, c.Region = nil, nil, false, "" },
			Page:   func(p ports.Paging) storage.ConfigFilter { return storage.ConfigFilter{Paging: p} },
			Oldest: true,
		})
	t.Run("one config is the default, and keys see public ones only", func(t *testing.T) {
		r := open(t).StorageConfigs
		for n := range 3 {
			c := newConfig(n)
			c.IsPublic = n != 1
			must(t, r.Insert(t.Context(), c))
		}
		must(t, r.SetDefault(t.Context(), testID(0)))
		must(t, r.SetDefault(t.Context(), testID(2)))
		wantCode(t, r.SetDefault(t.Context(), "missing"), ports.NotFound, "not_found")
		page, err := r.List(t.Context(), storage.ConfigFilter{})
		must(t, err)
		got := []bool{}
		for _, c := range page.Items {
			got = append(got, c.IsDefault)
		}
		equal(t, got, []bool{false, false, true})
		page, err = r.List(t.Context(), storage.ConfigFilter{PublicOnly: true})
		must(t, err)
		equal(t, page.Total, 2)
	})
	t.Run("a config that is deleted is needed by nothing that was stored at that moment", func(t *testing.T) {
		s := open(t)
		for n := range 20 {
			config, mount, file := newConfig(n), newMount(n), openFile(n, nil)
			mount.StorageConfigID, file.StorageConfigID = config.ID, config.ID
			must(t, s.StorageConfigs.Insert(t.Context(), config))
			deleting := func(ctx context.Context) error {
				if _, err := s.StorageConfigs.Update(ctx, config.ID, func(*storage.Config) error { return nil }); err != nil {
					return err
				}
				files, err := s.FileObjects.Retire(ctx, config.ID)
				if err != nil || files > 0 {
					return err
				}
				shown, err := s.Mounts.List(ctx, mounts.MountFilter{ConfigID: config.ID})
				if err != nil || shown.Total > 0 {
					return err
				}
				_, err = s.StorageConfigs.Delete(ctx, config.ID)
				return err
			}
			mounting := func(ctx context.Context) error {
				if _, err := s.StorageConfigs.Hold(ctx, config.ID); err != nil {
					return err
				}
				return s.Mounts.Insert(ctx, mount)
			}
			atOnce(3, func(who int) {
				var err error
				switch {
				case who == 0:
					must(t, s.Unit.Do(t.Context(), deleting))
				case n%2 == 0:
					err = s.Unit.Do(t.Context(), mounting)
				case who == 1:
					err = s.Files.Insert(t.Context(), file)
				default:
					reserved := *file
					reserved.ID, reserved.Slug = reserved.ID+"r", reserved.Slug+"r"
					err = s.Files.Reserve(t.Context(), &reserved, 0)
				}
				if err != nil && !ports.Is(err, ports.NotFound) && !ports.Is(err, ports.Conflict) {
					t.Error(err)
				}
			})
			_, err := s.StorageConfigs.Get(t.Context(), config.ID)
			usage, err2 := s.Files.Usage(t.Context())
			shown, err3 := s.Mounts.List(t.Context(), mounts.MountFilter{ConfigID: config.ID})
			must(t, errors.Join(err2, err3))
			if gone, needed := ports.Is(err, ports.NotFound), usage[config.ID].Files > 0 || shown.Total > 0; gone == needed {
				t.Errorf("deleted: %t, %v; needed: %t", gone, err, needed)
			}
		}
	})
	t.Run("a storage to which no file comes keeps nothing of one that is refused", func(t *testing.T) {
		s := open(t)
		must(t, s.Files.Insert(t.Context(), openFile(1, nil)))
		for want, config := range map[int64]string{1: "c1", 0: "c2"} {
			n, err := s.FileObjects.Retire(t.Context(), config)
			must(t, err)
			equal(t, n, want)
		}
		must(t, s.Files.Insert(t.Context(), openFile(2, nil)))
		late := openFile(3, func(f *shares.File) { f.StorageConfigID = "c2" })
		wantCode(t, s.Files.Insert(t.Context(), late), ports.NotFound, "not_found")
		wantCode(t, s.Files.Reserve(t.Context(), late, 0), ports.NotFound, "not_found")
		_, err := s.Files.Get(t.Context(), late.ID)
		wantCode(t, err, ports.NotFound, "not_found")
		must(t, s.Files.Insert(t.Context(), openFile(3, nil)))
		again := newConfig(4)
		again.ID = "c2"
		must(t, s.StorageConfigs.Insert(t.Context(), again))
		late.ID, late.Slug = testID(4), "again"
		must(t, s.Files.Insert(t.Context(), late))
	})
	t.Run("of many made the default at once one is", func(t *testing.T) {
		r := open(t).StorageConfigs
		for n := range 4 {
			must(t, r.Insert(t.Context(), newConfig(n)))
		}
		for range 10 {
			atOnce(4, func(n int) { must(t, r.SetDefault(t.Context(), testID(n))) })
			page, err := r.List(t.Context(), storage.ConfigFilter{})
			must(t, err)
			defaults := 0
			for _, c := range page.Items {
				if c.IsDefault {
					defaults++
				}
			}
			equal(t, defaults, 1)
		}
	})
	t.Run("touching stores the last use", func(t *testing.T) {
		r := open(t).StorageConfigs
		must(t, r.Insert(t.Context(), newConfig(1)))
		must(t, r.Insert(t.Context(), newConfig(2)))
		idle, err := r.Get(t.Context(), testID(2))
		must(t, err)
		must(t, r.Touch(t.Context(), minute(50), testID(1), "missing"))
		must(t, r.Touch(t.Context(), minute(49), testID(1))) // of a node that tells later
		must(t, r.Touch(t.Context(), minute(51)))
		got, err := r.Get(t.Context(), testID(1))
		must(t, err)
		equal(t, got.LastUsed, ptr(minute(50)))
		got, err = r.Get(t.Context(), testID(2))
		must(t, err)
		equal(t, got.LastUsed, idle.LastUsed)
	})
}

// RunGuesses checks the counters of failed guesses.
func RunGuesses(t *testing.T, open OpenStores) {
	t.Run("guesses are refused after the limit, for a growing time", func(t *testing.T) {
		s := open(t)
		l := ports.GuessLimit{Subject: "login|x", Max: 3, Window: 15 * time.Minute}
		for range 3 {
			wantWait(t, s, 0, l)
			must(t, s.Guesses.Fail(t.Context(), l))
		}
		for _, m := range []int{1, 2, 4, 8, 15} {
			wantWait(t, s, time.Duration(m)*time.Minute, l)
			if m == 15 {
				break
			}
			s.Clock.Add(time.Duration(m)*time.Minute - time.Second)
			wantWait(t, s, time.Second, l)
			s.Clock.Add(time.Second)
			wantWait(t, s, 0, l)
			must(t, s.Guesses.Fail(t.Context(), l))
		}
		s.Clock.Add(15 * time.Minute)
		wantWait(t, s, 0, l)
		must(t, s.Guesses.Fail(t.Context(), l))
		wantWait(t, s, 0, l)
	})
	t.Run("the window begins with the first failure and ends by itself", func(t *testing.T) {
		s := open(t)
		l := ports.GuessLimit{Subject: "x", Max: 2, Window: time.Minute}
		must(t, s.Guesses.Fail(t.Context(), l))
		s.Clock.Add(time.Minute)
		must(t, s.Guesses.Fail(t.Context(), l))
		wantWait(t, s, 0, l)
		s.Clock.Add(59 * time.Second)
		must(t, s.Guesses.Fail(t.Context(), l))
		wantWait(t, s, time.Minute, l)
	})
	t.Run("a slow limit allows one try at a time", func(t *testing.T) {
		s := open(t)
		l := ports.GuessLimit{Subject: "share|1", Max: 2, Window: time.Hour, Slow: 30 * time.Second}
		for range 4 {
			must(t, s.Guesses.Fail(t.Context(), l))
		}
		wantWait(t, s, 30*time.Second, l)
		s.Clock.Add(30 * time.Second)
		wantWait(t, s, 0, l)
		must(t, s.Guesses.Fail(t.Context(), l))
		wantWait(t, s, 30*time.Second, l)
		s.Clock.Add(time.Hour)
		wantWait(t, s, 0, l)
	})
	t.Run("the longest wait of several subjects counts, and success forgets", func(t *testing.T) {
		s := open(t)
		a := ports.GuessLimit{Subject: "a", Max: 1, Window: time.Hour}
		b := ports.GuessLimit{Subject: "b", Max: 2, Window: time.Hour}
		must(t, s.Guesses.Fail(t.Context(), b, a))
		must(t, s.Guesses.Fail(t.Context(), a))
		wantWait(t, s, 2*time.Minute, a, b)
		wantWait(t, s, 0, b)
		must(t, s.Guesses.Forget(t.Context(), a, ports.GuessLimit{Subject: "unknown"}))
		wantWait(t, s, 0, a, b)
		must(t, s.Guesses.Fail(t.Context(), b))
		wantWait(t, s, time.Minute, a, b)
	})
	t.Run("no failure is lost in parallel", func(t *testing.T) {
		s := open(t)
		l := ports.GuessLimit{Subject: "x", Max: 21, Window: time.Hour}
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if err := s.Guesses.Fail(t.Context(), l); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		wantWait(t, s, 0, l)
		must(t, s.Guesses.Fail(t.Context(), l))
		wantWait(t, s, time.Minute, l)
	})
}

func wantWait(t *testing.T, s Stores, want time.Duration, limits ...ports.GuessLimit) {
	t.Helper()
	got, err := s.Guesses.Check(t.Context(), limits...)
	must(t, err)
	if got != want {
		t.Errorf("wait = %v, want %v", got, want)
	}
}

// RunIdempotency checks a store of answers.
func RunIdempotency(t *testing.T, open OpenStores) {
	call := ports.IdempotentCall{Key: "k", Caller: "apikey:1", Method: "POST", Path: "/api/paste", Body: [32]byte{1}}
	answer := ports.IdempotentAnswer{Status: 201, Type: "application/json", Body: []byte(`{"a":"值"}`)}
	begin := func(t *testing.T, r ports.Idempotency, call ports.IdempotentCall, now time.Time) *ports.IdempotentAnswer {
		t.Helper()
		got, err := r.Begin(t.Context(), call, now)
		must(t, err)
		return got
	}
	t.Run("a finished call gives its answer again for 7 days", func(t *testing.T) {
		r := open(t).Idempotency
		if got := begin(t, r, call, minute(0)); got != nil {
			t.Fatalf("answer of a new call = %v", got)
		}
		must(t, r.Finish(t.Context(), call, answer))
		equal(t, begin(t, r, call, minute(1)), &answer)
		equal(t, begin(t, r, call, minute(7*24*60-1)), &answer)
		if got := begin(t, r, call, minute(7*24*60)); got != nil {
			t.Errorf("answer after 7 days = %v, want none", got)
		}
	})
	t.Run("a running call is refused, until its lease has run out", func(t *testing.T) {
		r := open(t).Idempotency
		begin(t, r, call, minute(0))
		_, err := r.Begin(t.Context(), call, minute(1))
		wantCode(t, err, ports.Conflict, "idempotency_running")
		if e, ok := err.(*ports.Error); !ok || e.RetryAfter <= 0 {
			t.Errorf("error = %v, want one that says when to retry", err)
		}
		if got := begin(t, r, call, minute(2)); got != nil {
			t.Errorf("answer after the lease = %v", got)
		}
	})
	t.Run("a key belongs to one request of one caller", func(t *testing.T) {
		r := open(t).Idempotency
		begin(t, r, call, minute(0))
		must(t, r.Finish(t.Context(), call, answer))
		for _, change := range []func(*ports.IdempotentCall){
			func(c *ports.IdempotentCall) { c.Body[31] = 9 },
			func(c *ports.IdempotentCall) { c.Path = "/api/other" },
			func(c *ports.IdempotentCall) { c.Method = "PUT" },
		} {
			other := call
			change(&other)
			_, err := r.Begin(t.Context(), other, minute(1))
			wantCode(t, err, ports.Unprocessable, "idempotency_reused")
		}
		other := call
		other.Caller = "apikey:2"
		if got := begin(t, r, other, minute(1)); got != nil {
			t.Errorf("another caller got %v", got)
		}
	})
	t.Run("an abandoned call may run again, a finished one is not abandoned", func(t *testing.T) {
		r := open(t).Idempotency
		begin(t, r, call, minute(0))
		must(t, r.Abandon(t.Context(), call))
		if got := begin(t, r, call, minute(0)); got != nil {
			t.Errorf("answer = %v, want none", got)
		}
		must(t, r.Finish(t.Context(), call, answer))
		must(t, r.Abandon(t.Context(), call))
		equal(t, begin(t, r, call, minute(0)), &answer)
	})
	t.Run("an answer that is too long is kept without its body", func(t *testing.T) {
		r := open(t).Idempotency
		begin(t, r, call, minute(0))
		must(t, r.Finish(t.Context(), call, ports.IdempotentAnswer{Status: 200, Type: "text/plain", Body: []byte(strings.Repeat("x", ports.IdempotencyMaxBody+1))}))
		equal(t, begin(t, r, call, minute(0)), &ports.IdempotentAnswer{Status: 200, Type: "text/plain"})
	})
	t.Run("of parallel calls one owns the key", func(t *testing.T) {
		r := open(t).Idempotency
		var owners atomic.Int64
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				switch got, err := r.Begin(t.Context(), call, minute(0)); {
				case err == nil && got == nil:
					owners.Add(1)
				case !errors.Is(err, ports.ErrIdempotencyRunning):
					t.Errorf("got %v, %v", got, err)
				}
			})
		}
		wg.Wait()
		equal(t, owners.Load(), int64(1))
	})
}

// RunUnitOfWork checks that several writes are one.
func RunUnitOfWork(t *testing.T, open OpenStores) {
	t.Run("all is stored together, and seen inside before", func(t *testing.T) {
		s := open(t)
		must(t, s.Unit.Do(t.Context(), func(ctx context.Context) error {
			if err := s.Pastes.Insert(ctx, newPaste(1)); err != nil {
				return err
			}
			if _, err := s.Pastes.BySlug(ctx, "slug-1"); err != nil {
				return fmt.Errorf("read own write: %w", err)
			}
			return s.Unit.Do(ctx, func(ctx context.Context) error { return s.Files.Reserve(ctx, openFile(1, nil), 0) })
		}))
		_, err := s.Pastes.Get(t.Context(), testID(1))
		must(t, err)
		_, err = s.Files.Get(t.Context(), testID(1))
		must(t, err)
	})
	t.Run("an error undoes all of it", func(t *testing.T) {
		s := open(t)
		must(t, s.Pastes.Insert(t.Context(), newPaste(1)))
		refused := errors.New("refused")
		err := s.Unit.Do(t.Context(), func(ctx context.Context) error {
			if err := s.Files.Insert(ctx, newFile(1)); err != nil {
				return err
			}
			if _, err := s.Pastes.Update(ctx, testID(1), func(p *shares.Paste) error { p.Slug = "changed"; return nil }); err != nil {
				return err
			}
			if _, err := s.Pastes.Delete(ctx, testID(1)); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Errorf("error = %v, want that of the function", err)
		}
		got, err := s.Pastes.Get(t.Context(), testID(1))
		must(t, err)
		equal(t, got, newPaste(1))
		usage, err := s.Files.Usage(t.Context())
		must(t, err)
		equal(t, usage, map[string]shares.FileUsage{})
	})
	t.Run("a taken slug inside can be answered by another one", func(t *testing.T) {
		s := open(t)
		must(t, s.Pastes.Insert(t.Context(), newPaste(1)))
		must(t, s.Files.Insert(t.Context(), newFile(1)))
		must(t, s.Unit.Do(t.Context(), func(ctx context.Context) error {
			p, f := newPaste(2), newFile(2)
			p.Slug, f.Slug = "slug-1", "slug-1"
			wantCode(t, s.Pastes.Insert(ctx, p), ports.Conflict, "slug_taken")
			wantCode(t, s.Files.Reserve(ctx, f, 0), ports.Conflict, "slug_taken")
			p.Slug, f.Slug = "slug-2", "slug-2"
			return errors.Join(s.Pastes.Insert(ctx, p), s.Files.Reserve(ctx, f, 0))
		}))
		_, err := s.Pastes.BySlug(t.Context(), "slug-2")
		must(t, err)
		usage, err := s.Files.Usage(t.Context())
		must(t, err)
		equal(t, usage, map[string]shares.FileUsage{"c1": {Files: 2, Bytes: 200}})
	})
	t.Run("an idempotent answer is stored with its write or not at all", func(t *testing.T) {
		s := open(t)
		call := ports.IdempotentCall{Key: "k", Caller: "c", Method: "POST", Path: "/x"}
		_, err := s.Idempotency.Begin(t.Context(), call, minute(0))
		must(t, err)
		refused := errors.New("refused")
		err = s.Unit.Do(t.Context(), func(ctx context.Context) error {
			return errors.Join(s.Idempotency.Finish(ctx, call, ports.IdempotentAnswer{Status: 200}), refused)
		})
		if !errors.Is(err, refused) {
			t.Errorf("error = %v", err)
		}
		_, err = s.Idempotency.Begin(t.Context(), call, minute(0))
		wantCode(t, err, ports.Conflict, "idempotency_running")
	})
}
