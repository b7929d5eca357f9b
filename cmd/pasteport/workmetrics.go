package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pasteport/adapters/process"
	"pasteport/domain/tasks"
)

// taskMetrics shows the work in the background: what waits anywhere, and what
// this node does. Labels hold kinds of tasks, of which there are few.
type taskMetrics struct{ a *app }

var (
	tasksUnfinished = prometheus.NewDesc("pasteport_tasks",
		"Tasks on all nodes that are not finished, by status.", []string{"status"}, nil)
	taskRunning = prometheus.NewDesc("pasteport_task_runs_in_progress",
		"Tasks that this node works on.", []string{"kind"}, nil)
	taskRuns = prometheus.NewDesc("pasteport_task_runs_total",
		"Runs of tasks on this node that are over, by how they ended.", []string{"kind", "result"}, nil)
	taskSeconds = prometheus.NewDesc("pasteport_task_run_seconds_total",
		"Time that those runs took.", []string{"kind"}, nil)
	taskItems = prometheus.NewDesc("pasteport_task_items_total",
		"Files and folders that those runs have settled, by what became of them.", []string{"kind", "result"}, nil)
	taskBytes = prometheus.NewDesc("pasteport_task_bytes_total",
		"Bytes of the files that those runs have completed.", []string{"kind"}, nil)
)

// scrapeTime bounds what a scrape may wait for the database.
const scrapeTime = 2 * time.Second

// Describe implements prometheus.Collector.
func (taskMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{tasksUnfinished, taskRunning, taskRuns, taskSeconds, taskItems, taskBytes} {
		to <- d
	}
}

// Collect implements prometheus.Collector. What the database does not tell in
// time is left out.
func (m taskMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	if unfinished, err := m.a.tasks.Unfinished(ctx); err == nil {
		for status, n := range unfinished {
			to <- prometheus.MustNewConstMetric(tasksUnfinished, prometheus.GaugeValue, float64(n), string(status))
		}
	}
	for _, s := range m.a.tasks.Stats() {
		count := func(d *prometheus.Desc, n float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, n, append([]string{s.Kind}, labels...)...)
		}
		to <- prometheus.MustNewConstMetric(taskRunning, prometheus.GaugeValue, float64(s.Running), s.Kind)
		for _, result := range []tasks.Status{tasks.Completed, tasks.Partial, tasks.Failed, tasks.Cancelled, tasks.Interrupted} {
			count(taskRuns, float64(s.Runs[result]), string(result))
		}
		count(taskSeconds, s.Seconds)
		count(taskItems, float64(s.Items.Completed), "completed")
		count(taskItems, float64(s.Items.Skipped), "skipped")
		count(taskItems, float64(s.Items.Failed), "failed")
		count(taskBytes, float64(s.Items.Bytes))
	}
}

// driverMetrics shows the processes of the storage drivers.
type driverMetrics struct{ a *app }

var (
	driverUp = prometheus.NewDesc("pasteport_driver_up",
		"1 while the process of the driver runs; it is started when it is first needed.", []string{"driver"}, nil)
	driverOut = prometheus.NewDesc("pasteport_driver_out_of_service",
		"1 while the driver is not started because it crashed too often.", []string{"driver"}, nil)
	driverStarts = prometheus.NewDesc("pasteport_driver_starts_total",
		"Starts of the process since the server's start.", []string{"driver"}, nil)
	driverFailures = prometheus.NewDesc("pasteport_driver_failures_total",
		"Crashes, hangs and failed starts of the process since the server's start.", []string{"driver"}, nil)
	driverMemory = prometheus.NewDesc("pasteport_driver_resident_memory_bytes",
		"Resident memory of the process, on Linux.", []string{"driver"}, nil)
	driverCPU = prometheus.NewDesc("pasteport_driver_cpu_seconds_total",
		"Processor time of the running process, on Linux; it begins anew with each start.", []string{"driver"}, nil)
)

// Describe implements prometheus.Collector.
func (driverMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{driverUp, driverOut, driverStarts, driverFailures, driverMemory, driverCPU} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m driverMetrics) Collect(to chan<- prometheus.Metric) {
	for _, s := range m.a.drivers.Status() {
		gauge := func(d *prometheus.Desc, n float64) {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, n, s.Driver)
		}
		count := func(d *prometheus.Desc, n float64) {
			to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, n, s.Driver)
		}
		gauge(driverUp, float64(bit(s.PID != 0)))
		gauge(driverOut, float64(bit(time.Now().Before(s.OutUntil))))
		count(driverStarts, float64(s.Starts))
		count(driverFailures, float64(s.Failures))
		if resident, cpu, known := process.Use(s.PID); known {
			gauge(driverMemory, float64(resident))
			count(driverCPU, cpu.Seconds())
		}
	}
}

// watchWork counts the work in the background and the drivers.
func (a *app) watchWork() { a.metrics.MustRegister(taskMetrics{a}, driverMetrics{a}) }
