package adminapi

import (
	"context"
	"encoding/json"
	"net/http"
	"runtime"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// System is what the server tells about itself.
type System struct {
	Decider     policy.Decider
	Advisor     policy.Advisor
	Settings    ports.Settings
	Clock       ports.Clock
	Version     string
	Commit      string // that was built, and Date, when it was made (RFC 3339); "" where the build does not say
	Date        string
	Environment string // how it was started, for people: "Go binary"
	Storage     string // the database, for people: "SQLite" or "PostgreSQL"
	Started     time.Time
	// Usable returns an error when the database cannot be used.
	Usable func(ctx context.Context) error
	// Caches are the memory caches of shares, by name.
	Caches map[string]Cache
	// Listings is the cache of folders; nil counts as empty.
	Listings Listings
	Janitor  *cleanup.Janitor
	// Description is the OpenAPI document of the HTTP interface.
	Description []byte
	// Disk tells how full the disk of the data folder is; nil where nobody knows.
	Disk func() (DiskUse, error)
}

// DiskUse is how full a disk is.
type DiskUse struct {
	Total int64 // bytes
	Free  int64 // bytes that an ordinary user may still take
}

// Percent is how much of the disk is taken, 0 to 100, rounded down.
func (d DiskUse) Percent() int {
	if d.Total <= 0 {
		return 0
	}
	return int(100 * (d.Total - min(d.Free, d.Total)) / d.Total)
}

// Percents of a disk at which an administrator is warned.
const (
	DiskFilling = 90
	DiskFull    = 95
)

// Listings is the cache of folders of mounts.
type Listings interface {
	CacheUse() mounts.CacheUse
	// ClearCache forgets the listings of a mount, of a storage config, or all,
	// and tells how many there were.
	ClearCache(ctx context.Context, mountID, configID string) (int, error)
}

// Cache is a memory cache that can be counted and emptied.
type Cache interface {
	CacheUse() shares.CacheUse
	// ClearCache empties it and tells how many entries there were.
	ClearCache() int
}

// ask asks an action that concerns no single thing.
func (s *System) ask(ctx context.Context, who policy.Principal, do policy.Action) error {
	_, err := policy.Check(ctx, s.Decider, who, do, policy.Resource{Kind: policy.KindSystem})
	return err
}

// systemOps are the calls about the server itself (contract §10.2, §10.3, §10.5).
func systemOps(a *httpapi.API, s *System) {
	public := []policy.Action{policy.SiteRead}

	httpapi.Stream(a, httpapi.Op{Name: "system.health", Method: http.MethodGet, Path: "/api/health", Actions: public, Public: true, Answer: httpapi.Bare,
		Class: httpapi.Vital, Also: []int{http.StatusServiceUnavailable}, Summary: "Tells whether the server can work; 503 when its database cannot be used."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			status, answer := http.StatusOK, healthAnswer{Status: "ok", Timestamp: wire.Instant(s.Clock.Now())}
			if s.ask(r.Context(), who, policy.SiteRead) != nil || s.Usable(r.Context()) != nil {
				status, answer.Status = http.StatusServiceUnavailable, "error"
				w.Header().Set("Retry-After", "5")
			}
			data, err := json.Marshal(answer)
			if err != nil {
				return err
			}
			httpapi.WriteBytes(w, r, status, content.JSONType, data)
			return nil
		})
	httpapi.Describe(a, "system.health", nil, healthAnswer{})

	httpapi.Handle(a, httpapi.Op{Name: "system.version", Method: http.MethodGet, Path: "/api/version", Actions: public, Public: true,
		Class: httpapi.Vital, Summary: "Tells the version of the server and what it runs on."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (versionData, error) {
			return versionData{Version: s.Version, Commit: s.Commit, Date: s.Date, Name: "pasteport", Environment: s.Environment, Storage: s.Storage,
				NodeVersion: runtime.Version(), Uptime: s.uptime()}, s.ask(ctx, who, policy.SiteRead)
		})

	httpapi.Stream(a, httpapi.Op{Name: "system.openapi", Method: http.MethodGet, Path: "/api/openapi.json", Actions: public, Public: true, Answer: httpapi.Bytes, Type: content.JSONType,
		Class: httpapi.Streaming, Also: []int{http.StatusNotModified}, Summary: "This description of the HTTP interface, with the address of the server."}, s.describe)

	httpapi.Handle(a, httpapi.Op{Name: "system.max_upload_size", Method: http.MethodGet, Path: "/api/system/max-upload-size", Actions: public, Public: true,
		Summary: "Tells the largest upload, in MB."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (uploadSizeData, error) {
			return uploadSizeData{s.Settings.MaxUploadSize() >> 20}, s.ask(ctx, who, policy.SiteRead)
		})

	httpapi.Handle(a, httpapi.Op{Name: "cache.stats", Method: http.MethodGet, Path: "/api/admin/cache/stats", Actions: []policy.Action{policy.StatsRead},
		Summary: "Tells how the memory caches are used."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (cacheData, error) {
			if err := s.ask(ctx, who, policy.StatsRead); err != nil {
				return cacheData{}, err
			}
			return s.cacheData(), nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "cache.clear", Method: http.MethodPost, Path: "/api/admin/cache/clear", Actions: []policy.Action{policy.CacheWrite},
		Body: httpapi.JSON, Idem: httpapi.Afterwards, Summary: "Empties the memory caches."},
		func(ctx context.Context, who policy.Principal, in wire.ClearRequest) (wire.ClearedData, error) {
			if err := s.ask(ctx, who, policy.CacheWrite); err != nil {
				return wire.ClearedData{}, err
			}
			n, err := s.clear(ctx, in)
			return wire.ClearedData{ClearedCount: n, Timestamp: wire.Instant(s.Clock.Now())}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "clock.state", Method: http.MethodGet, Path: "/api/admin/clock", Actions: []policy.Action{policy.StatsRead},
		Summary: "Tells whether nothing is erased because the server's time is in doubt."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (clockJSON, error) {
			state, err := s.Janitor.Clock(ctx, who)
			return clockOf(state), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "clock.confirm", Method: http.MethodPost, Path: "/api/admin/clock/confirm", Actions: []policy.Action{policy.SettingsWrite},
		Summary: "Says that the server's time is right: what is due by it is erased within a minute."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (httpapi.None, error) {
			return httpapi.None{}, s.Janitor.ConfirmClock(ctx, who)
		})
}

// clockJSON is what the janitor thinks of the server's time.
type clockJSON struct {
	Held      bool          `json:"held"`       // nothing is erased
	Now       wire.Instant  `json:"now"`        // of the server
	LastSweep *wire.Instant `json:"last_sweep"` // of the last time something was erased, at most an hour early
	Database  *wire.Instant `json:"database"`   // its time, where it has a clock of its own
	// Until is when erasing goes on without a confirmation.
	Until *wire.Instant `json:"until"`
}

func clockOf(s cleanup.ClockState) clockJSON {
	known := func(t time.Time) *wire.Instant {
		if t.IsZero() {
			return nil
		}
		i := wire.Instant(t)
		return &i
	}
	return clockJSON{Held: s.Held, Now: wire.Instant(s.Now), LastSweep: known(s.Last), Database: known(s.Database), Until: known(s.Until)}
}

// diskJSON is a disk that fills up.
type diskJSON struct {
	Percent int   `json:"percent"` // 0 to 100
	Total   int64 `json:"total"`   // bytes
	Free    int64 `json:"free"`    // bytes
	Full    bool  `json:"full"`    // 95 % and more
}

// filling is the disk of the data folder when it needs attention.
func (s *System) filling() *diskJSON {
	if s.Disk == nil {
		return nil
	}
	use, err := s.Disk()
	if err != nil || use.Percent() < DiskFilling {
		return nil
	}
	return &diskJSON{Percent: use.Percent(), Total: use.Total, Free: use.Free, Full: use.Percent() >= DiskFull}
}

// healthAnswer is bare and small (contract §10.3).
type healthAnswer struct {
	Status    string       `json:"status"` // ok or error
	Timestamp wire.Instant `json:"timestamp"`
}

type versionData struct {
	Version     string `json:"version"`
	Commit      string `json:"commit,omitempty"` // of the source that was built
	Date        string `json:"date,omitempty"`   // of that commit, RFC 3339
	Name        string `json:"name"`
	Environment string `json:"environment"`
	Storage     string `json:"storage"`
	NodeVersion string `json:"nodeVersion"` // of Go; the name is the old clients'
	Uptime      int64  `json:"uptime"`      // seconds
}

type uploadSizeData struct {
	MaxUploadSize int64 `json:"max_upload_size"` // MB
}

type cacheData struct {
	Cache     map[string]cacheJSON `json:"cache"`
	System    systemJSON           `json:"system"`
	Timestamp wire.Instant         `json:"timestamp"`
}

type cacheJSON struct {
	Hits          int64   `json:"hits"`
	Misses        int64   `json:"misses"`
	Expired       int64   `json:"expired"`
	Invalidations int64   `json:"invalidations"`
	Pruned        int64   `json:"pruned"`
	CacheSize     int     `json:"cacheSize"`
	HitRate       float64 `json:"hitRate"` // 0 to 1
	Name          string  `json:"name"`
}

type systemJSON struct {
	Memory memoryJSON `json:"memory"`
	Uptime int64      `json:"uptime"` // seconds
}

// memoryJSON is the memory in MB, in the words of the old clients.
type memoryJSON struct {
	RSS             int64 `json:"rss"`
	HeapTotal       int64 `json:"heapTotal"`
	HeapUsed        int64 `json:"heapUsed"`
	External        int64 `json:"external"`
	ArrayBuffers    int64 `json:"arrayBuffers"`
	HeapUsedPercent int64 `json:"heapUsagePercent"`
}

// uptime is the age of the process in whole seconds.
func (s *System) uptime() int64 { return int64(s.Clock.Now().Sub(s.Started).Seconds()) }

// cacheNames are the caches that old clients look for.
var cacheNames = map[string]string{"directory": "DirectoryCache", "s3Url": "S3UrlCache", "search": "SearchCache"}

func (s *System) cacheData() cacheData {
	data := cacheData{Cache: map[string]cacheJSON{}, Timestamp: wire.Instant(s.Clock.Now())}
	for key, name := range cacheNames {
		data.Cache[key] = cacheJSON{Name: name}
	}
	for key, cache := range s.Caches {
		data.Cache[key] = cacheRow(key, cache.CacheUse())
	}
	if s.Listings != nil {
		data.Cache["directory"] = cacheRow(cacheNames["directory"], shares.CacheUse(s.Listings.CacheUse()))
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	data.System = systemJSON{Uptime: s.uptime(), Memory: memoryJSON{
		RSS: int64(m.Sys-m.HeapReleased) >> 20, HeapTotal: int64(m.HeapSys-m.HeapReleased) >> 20, HeapUsed: int64(m.HeapAlloc) >> 20,
		HeapUsedPercent: int64(100 * m.HeapAlloc / max(m.HeapSys-m.HeapReleased, 1)),
	}}
	return data
}

func cacheRow(name string, use shares.CacheUse) cacheJSON {
	row := cacheJSON{Hits: use.Hits, Misses: use.Misses, Expired: use.Expired, Invalidations: use.Invalidations, Pruned: use.Pruned, CacheSize: use.Size, Name: name}
	if asked := row.Hits + row.Misses; asked > 0 {
		row.HitRate = float64(row.Hits) / float64(asked)
	}
	return row
}

// clear empties the caches that a request means: those of shares belong to no
// mount and no storage config.
func (s *System) clear(ctx context.Context, in wire.ClearRequest) (cleared int, err error) {
	if s.Listings != nil {
		if cleared, err = s.Listings.ClearCache(ctx, in.MountID.Value, in.ConfigID.Value); err != nil {
			return cleared, err
		}
	}
	if in.MountID.Value != "" || in.ConfigID.Value != "" {
		return cleared, nil
	}
	for _, cache := range s.Caches {
		cleared += cache.ClearCache()
	}
	return cleared, nil
}
