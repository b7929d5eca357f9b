// Package adminapi holds the operations of the administrator's panel: accounts,
// keys, settings, storage configs, rules, the audit log and backups; and those
// by which pages learn about the site and about whom they serve.
package adminapi
