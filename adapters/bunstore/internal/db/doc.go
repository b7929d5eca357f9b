// Package db is the engine below the repositories: connections to SQLite and
// PostgreSQL, the single writer of SQLite with its group commit, units of work,
// migrations, the errors of drivers, and what lists of every kind have in common.
// It knows no table of the domain.
package db
