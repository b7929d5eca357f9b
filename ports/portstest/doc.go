// Package portstest holds what tests of the domain and of the adapters share:
// memory repositories and small fakes of the ports, and the suites that every
// implementation of a port must pass. The fakes pass the same suites as the
// real stores, so a domain test over them tells the truth. The package is for
// tests only; no product code imports it.
package portstest
