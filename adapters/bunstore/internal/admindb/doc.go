// Package admindb stores what an administrator runs the site with: accounts,
// sessions, API keys, settings and rules, what was done and decided, tasks, and
// the counters that protect all of it.
package admindb
