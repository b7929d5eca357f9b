// Package portstest holds fakes of the ports for tests: they keep what they
// are given in memory and pass the same contract suites as the real thing.
package portstest
