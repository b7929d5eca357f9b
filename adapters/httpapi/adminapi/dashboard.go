package adminapi

import (
	"context"
	"math"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/domain/backup"
	"pasteport/domain/keys"
	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/ports/policy"
)

// dashboardDays is how many days the dashboard's curves show.
const dashboardDays = 7

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
		Summary: "Counts shares, keys and storage, and the shares of each of the last seven days."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (dashboardData, error) {
			if err := u.System.ask(ctx, who, policy.StatsRead); err != nil {
				return dashboardData{}, err
			}
			data, err := u.dashboard(ctx, who)
			if err == nil {
				data.Uploads, err = siteUsage(ctx, u.Usage)
			}
			return data, err
		})
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

func (u Overview) dashboard(ctx context.Context, who policy.Principal) (data dashboardData, err error) {
	pastes, err := u.Pastes.Numbers(ctx, dashboardDays)
	if err != nil {
		return data, err
	}
	files, err := u.Files.Numbers(ctx, dashboardDays)
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
		S3Buckets: make([]bucketJSON, len(configs)), LastWeekPastes: pastes.PerDay, LastWeekFiles: files.PerDay}
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
