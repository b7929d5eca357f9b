// Package portstest holds small fakes of the ports for tests of the domain and
// of the adapters, a PostgreSQL of a test's own, and the check for goroutines
// left behind. It knows nothing of the domain: what does stands in
// domain/domaintest. The package is for tests only; no product code imports it.
package portstest
