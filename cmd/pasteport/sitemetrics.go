package main

import (
	"context"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"pasteport/adapters/notify"
)

// siteMetricsTime bounds what a scrape asks the database.
const siteMetricsTime = 3 * time.Second

var (
	siteShares = prometheus.NewDesc("pasteport_shares",
		"Shares there are, by kind.", []string{"kind"}, nil)
	siteFiles = prometheus.NewDesc("pasteport_storage_files",
		"Shared files in a storage, by the id of its config.", []string{"config"}, nil)
	siteBytes = prometheus.NewDesc("pasteport_storage_used_bytes",
		"Bytes of the shared files in a storage, by the id of its config.", []string{"config"}, nil)
	indexScanned = prometheus.NewDesc("pasteport_index_last_scan_timestamp_seconds",
		"When the last whole scan of a mounted storage began, 0 before the first.", []string{"config"}, nil)
	indexFailed = prometheus.NewDesc("pasteport_index_scan_failed",
		"1 when a scan has failed after the last whole one.", []string{"config"}, nil)
	backupGood = prometheus.NewDesc("pasteport_backup_last_success_timestamp_seconds",
		"When the last scheduled backup began that was made and proved, 0 before the first.", nil, nil)
	checkEnded = prometheus.NewDesc("pasteport_storage_check_timestamp_seconds",
		"When the latest scheduled check of the storage ended.", []string{"config"}, nil)
	checkFailed = prometheus.NewDesc("pasteport_storage_check_failed",
		"1 when it did not come to its end.", []string{"config"}, nil)
	checkFound = prometheus.NewDesc("pasteport_storage_check_astray",
		"What it found: files without a share, shares without a file, unfinished uploads.", []string{"config", "kind"}, nil)
	backupFailed = prometheus.NewDesc("pasteport_backup_failed",
		"1 when the last scheduled backup failed.", nil, nil)
	backupInterval = prometheus.NewDesc("pasteport_backup_interval_seconds",
		"How often a backup is to be made, 0 for never.", nil, nil)
)

// siteMetrics tell what the site holds. A part whose database does not answer is
// left out of the scrape.
type siteMetrics struct{ *app }

// Describe implements prometheus.Collector.
func (siteMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{siteShares, siteFiles, siteBytes, indexScanned, indexFailed, checkEnded, checkFailed, checkFound, backupGood, backupFailed, backupInterval} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m siteMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), siteMetricsTime)
	defer cancel()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	if n, err := m.pastes.Numbers(ctx, 1); err == nil {
		gauge(siteShares, float64(n.Total), "paste")
	}
	if n, err := m.files.Numbers(ctx, 1); err == nil {
		gauge(siteShares, float64(n.Total), "file")
	}
	if usage, err := m.files.Usage(ctx); err == nil {
		for config, u := range usage {
			gauge(siteFiles, float64(u.Files), config)
			gauge(siteBytes, float64(u.Bytes), config)
		}
	}
	m.backup(ctx, to)
	m.checked(ctx, gauge)
	states, err := m.store.Index().States(ctx)
	if err != nil {
		return
	}
	for _, s := range states {
		at := 0.0
		if s.ScannedAt != nil {
			at = float64(s.ScannedAt.UnixMilli()) / 1000
		}
		gauge(indexScanned, at, s.StorageID)
		gauge(indexFailed, float64(bit(s.FailedAt != nil)), s.StorageID)
	}
}

// checked tells what scheduled checks of storages have found.
func (m siteMetrics) checked(ctx context.Context, gauge func(d *prometheus.Desc, value float64, labels ...string)) {
	last, err := m.checks.Last(ctx)
	if err != nil {
		return
	}
	for _, c := range last {
		if c.Ended.IsZero() {
			continue
		}
		gauge(checkEnded, float64(c.Ended.UnixMilli())/1000, c.StorageID)
		gauge(checkFailed, float64(bit(c.Failed != "")), c.StorageID)
		for kind, n := range map[string]int64{"files": c.Orphans, "shares": c.Missing, "uploads": c.Uploads} {
			gauge(checkFound, float64(n), c.StorageID, kind)
		}
	}
}

// backup tells how scheduled backups went.
func (m siteMetrics) backup(ctx context.Context, to chan<- prometheus.Metric) {
	record, err := m.schedule.Record(ctx)
	if err != nil {
		return
	}
	at := 0.0
	if record.Good != nil {
		at = float64(record.Good.Began.UnixMilli()) / 1000
	}
	failed := record.Last != nil && record.Last.Problem != ""
	for d, value := range map[*prometheus.Desc]float64{backupGood: at, backupFailed: float64(bit(failed)), backupInterval: m.schedule.Plan().Every.Seconds()} {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
}

// watchSite counts what the site holds, the connections to the database and
// what the process uses.
func (a *app) watchSite() {
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "pasteport_build_info", Help: "1, with the version and commit of the program and the version of Go.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit, "goversion": runtime.Version()}})
	build.Set(1)
	a.metrics.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewDBStatsCollector(a.store.ReadDB().DB, "main"), siteMetrics{a}, notify.NewMetrics(a.events, time.Now))
}
