// Package live holds the suite that asks real accounts; it is made of tests
// behind the build tag live.
package live
