// Package migrations holds the SQL that brings a database up to date, a folder
// for each dialect.
package migrations

import "embed"

// Files are the folders sqlite and postgres.
//
//go:embed sqlite postgres
var Files embed.FS
