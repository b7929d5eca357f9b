// Package policies keeps the rules that a site adds to the shipped ones: their
// revisions, which of them is in force, and the log of decisions that tells why
// something was refused.
//
// It does not evaluate rules; that is the engine's work.
package policies
