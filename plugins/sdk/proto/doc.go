// Package proto holds the protocol of storage drivers. The generated code is
// committed; "make proto" makes it again.
package proto
