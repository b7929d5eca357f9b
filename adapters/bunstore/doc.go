// Package bunstore keeps records in SQLite or PostgreSQL. With the packages
// below it, it is the only code with queries. It hides which of the two is in
// use, the single writer of SQLite with its group commit, retries, migrations
// and the errors of drivers: what comes out is a ports.Error or an error of the
// caller's own. It also copies, restores and carries over whole databases.
package bunstore
