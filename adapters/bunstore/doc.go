// Package bunstore keeps records in SQLite or PostgreSQL. It is the only code
// with queries. It hides which of the two is in use, the single writer of
// SQLite with its group commit, retries, migrations and the errors of drivers:
// what comes out is a ports.Error or an error of the caller's own.
package bunstore
