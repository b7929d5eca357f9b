package opa

import "github.com/prometheus/client_golang/prometheus"

// meters count decisions. Constant ones are allowed decisions that needed no
// evaluation; refusals always do, for their reasons.
type meters struct {
	constants, allowed, denied, errors prometheus.Counter
	took                               prometheus.Histogram
	reloads                            *prometheus.CounterVec
}

func newMeters(r prometheus.Registerer) *meters {
	decisions := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "pasteport_policy_decisions_total",
		Help: "Policy decisions by outcome, and whether rules were evaluated for it.",
	}, []string{"outcome", "evaluated"})
	m := &meters{
		constants: decisions.WithLabelValues("allow", "no"),
		allowed:   decisions.WithLabelValues("allow", "yes"),
		denied:    decisions.WithLabelValues("deny", "yes"),
		errors:    decisions.WithLabelValues("error", "yes"),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "pasteport_policy_evaluation_duration_seconds",
			Help:    "Time of policy decisions that evaluated rules.",
			Buckets: []float64{.00002, .00005, .0001, .0002, .0005, .001, .002, .005, .01, .02, .05, .1},
		}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pasteport_policy_activations_total",
			Help: "Attempts to put policy rules in force, by outcome.",
		}, []string{"outcome"}),
	}
	if r != nil {
		r.MustRegister(decisions, m.took, m.reloads)
	}
	return m
}
