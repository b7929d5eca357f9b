// Package domaintest holds what tests of the domain and of its adapters share
// and what knows the domain: repositories in memory, and the suites that every
// implementation of a repository must pass. The repositories in memory pass
// the same suites as the real stores, so a domain test over them tells the
// truth. The package is for tests only; no product code imports it.
package domaintest
