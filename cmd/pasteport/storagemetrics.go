package main

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"pasteport/domain/storage"
)

// storageMetrics shows how the storages of this node are. Labels hold ids of
// configs, of which there are few, never keys.
type storageMetrics struct{ opener *storage.Opener }

var (
	storageDown = prometheus.NewDesc("pasteport_storage_down",
		"1 while calls to the storage are answered without asking it.", []string{"config"}, nil)
	storageRefused = prometheus.NewDesc("pasteport_storage_refused",
		"1 while the storage does not let this server in.", []string{"config"}, nil)
	storageInFlight = prometheus.NewDesc("pasteport_storage_calls_in_flight",
		"Short calls under way, of at most 64.", []string{"config"}, nil)
	storageWaiting = prometheus.NewDesc("pasteport_storage_calls_waiting",
		"Calls that wait for one of those, at most 16.", []string{"config"}, nil)
	storageStreams = prometheus.NewDesc("pasteport_storage_transfers",
		"Uploads, downloads and copies under way.", []string{"config"}, nil)
	storageCalls = prometheus.NewDesc("pasteport_storage_calls_total",
		"Calls since the start or the last change of the config, by operation and how they ended.", []string{"config", "op", "result"}, nil)
)

// Describe implements prometheus.Collector.
func (storageMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{storageDown, storageRefused, storageInFlight, storageWaiting, storageStreams, storageCalls} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m storageMetrics) Collect(to chan<- prometheus.Metric) {
	for _, s := range m.opener.Status() {
		gauge := func(d *prometheus.Desc, value int) {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value), s.ConfigID)
		}
		gauge(storageDown, bit(s.Health.State == storage.Down))
		gauge(storageRefused, bit(s.Health.State == storage.Refused))
		gauge(storageInFlight, s.InFlight)
		gauge(storageWaiting, s.Waiting)
		gauge(storageStreams, s.Streams)
		for call, n := range s.Calls {
			to <- prometheus.MustNewConstMetric(storageCalls, prometheus.CounterValue, float64(n), s.ConfigID, call.Op, call.Result)
		}
	}
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

// watchStorages logs, counts and tells how the storages are.
func (a *app) watchStorages() {
	a.metrics.MustRegister(storageMetrics{a.opener})
	herald := storage.NewHerald(a.store.StorageConfigs(), a.events, a.report)
	a.closers = append(a.closers, herald.Close)
	a.opener.OnHealth(func(configID string, h storage.Health) {
		level := slog.LevelInfo
		if h.State != storage.Healthy {
			level = slog.LevelError
		}
		a.log.Log(context.Background(), level, "storage is "+string(h.State), "config", configID, "cause", h.Cause, "detail", h.Detail)
		herald.Tell(configID, h)
	})
}
