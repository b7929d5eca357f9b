package adminapi

import (
	"context"
	"math"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/backup"
	"pasteport/domain/keys"
	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/ports/policy"
)

// The dashboard's curves show so many days: a week, unless it is asked for more.
const (
	dashboardDays     = 7
	mostDashboardDays = 90
)

// Overview is what the dashboard tells of: each module is asked for its numbers.
type Overview struct {
	Pastes  *shares.Pastes
	Files   *shares.Files
	Storage *storage.Configs
	Keys    *keys.Keys
	System  *System
	Usage   Usage // nil: nothing is counted
	// Schedule is asked how scheduled backups went; nil: there are none.
	Schedule *backup.Schedule
}

// dashboardOps is the administrator's overview (contract §10.1).
func dashboardOps(a *httpapi.API, u Overview) {
	httpapi.Handle(a, httpapi.Op{Name: "dashboard.stats", Method: http.MethodGet, Path: "/api/admin/dashboard/stats", Actions: []policy.Action{policy.StatsRead},
		Summary: "Counts shares, keys and storage, and the shares of each of the last days, of which there are 7 to 90, seven unless days says otherwise."},
		func(ctx context.Context, who policy.Principal, in dashboardRequest) (dashboardData, error) {
			if err := u.System.ask(ctx, who, policy.StatsRead); err != nil {
				return dashboardData{}, err
			}
			data, err := u.dashboard(ctx, who, in.days())
			if err == nil {
				data.Uploads, err = siteUsage(ctx, u.Usage)
			}
			return data, err
		})
}

// dashboardRequest says how far back the curves go.
type dashboardRequest struct {
	Days wire.Int `query:"days,lenient"`
}

func (in dashboardRequest) days() int {
	return wire.ClampInt(int64(in.Days), dashboardDays, mostDashboardDays)
}

// curvesJSON are counts by day of UTC, the oldest first, today last.
type curvesJSON struct {
	Pastes []int `json:"pastes"`
	Files  []int `json:"files"`
}

type dashboardData struct {
	TotalPastes      int          `json:"totalPastes"`
	TotalFiles       int          `json:"totalFiles"`
	TotalAPIKeys     int          `json:"totalApiKeys"`
	TotalS3Configs   int          `json:"totalS3Configs"`
	TotalStorageUsed int64        `json:"totalStorageUsed"` // bytes
	Uploads          usageJSON    `json:"uploads"`          // of the whole site
	S3Buckets        []bucketJSON `json:"s3Buckets"`
	LastWeekPastes   []int        `json:"lastWeekPastes"`
	LastWeekFiles    []int        `json:"lastWeekFiles"`
	PerDay           curvesJSON   `json:"perDay"` // of as many days as were asked for
	// Clock is the server's time when nothing is erased because of it.
	Clock *clockJSON `json:"clock"`
	// Disk is that of the data folder when it fills up.
	Disk *diskJSON `json:"disk"`
	// Backup is the last scheduled backup when it failed or is overdue.
	Backup *lateBackupJSON `json:"backup"`
}

// bucketJSON is a storage config with its use.
type bucketJSON struct {
	configJSON
	Usage struct {
		FileCount int64 `json:"file_count"`
		TotalSize int64 `json:"total_size"`
	} `json:"usage"`
	UsedStorage  int64  `json:"usedStorage"`
	TotalStorage int64  `json:"totalStorage"`
	FileCount    int64  `json:"fileCount"`
	UsagePercent int    `json:"usagePercent"` // 0 to 100
	Provider     string `json:"providerType"`
}

func (u Overview) dashboard(ctx context.Context, who policy.Principal, days int) (data dashboardData, err error) {
	pastes, err := u.Pastes.Numbers(ctx, days)
	if err != nil {
		return data, err
	}
	files, err := u.Files.Numbers(ctx, days)
	if err != nil {
		return data, err
	}
	usage, err := u.Files.Usage(ctx)
	if err != nil {
		return data, err
	}
	configs, err := u.Storage.List(ctx, who)
	if err != nil {
		return data, err
	}
	count, err := u.Keys.CountKeys(ctx)
	if err != nil {
		return data, err
	}
	data = dashboardData{TotalPastes: pastes.Total, TotalFiles: files.Total, TotalAPIKeys: count, TotalS3Configs: len(configs),
		S3Buckets: make([]bucketJSON, len(configs)), LastWeekPastes: pastes.PerDay[days-dashboardDays:], LastWeekFiles: files.PerDay[days-dashboardDays:], PerDay: curvesJSON{pastes.PerDay, files.PerDay}}
	for i := range configs {
		data.S3Buckets[i] = bucketOf(configOf(ctx, &configs[i]), usage[configs[i].ID])
	}
	if u.System.Janitor != nil {
		state, err := u.System.Janitor.Clock(ctx, who)
		if err != nil {
			return data, err
		}
		if state.Held {
			clock := clockOf(state)
			data.Clock = &clock
		}
	}
	data.Disk = u.System.filling()
	if u.Schedule != nil {
		if data.Backup, err = lateBackup(ctx, u.Schedule); err != nil {
			return data, err
		}
	}
	for _, u := range usage { // of deleted configs too
		data.TotalStorageUsed += u.Bytes
	}
	return data, nil
}

func bucketOf(c configJSON, u shares.FileUsage) bucketJSON {
	b := bucketJSON{configJSON: c, UsedStorage: u.Bytes, TotalStorage: c.TotalStorageBytes, FileCount: u.Files, Provider: c.ProviderType}
	b.Usage.FileCount, b.Usage.TotalSize = u.Files, u.Bytes
	if c.TotalStorageBytes > 0 {
		b.UsagePercent = min(100, int(math.Round(100*float64(u.Bytes)/float64(c.TotalStorageBytes))))
	}
	return b
}
