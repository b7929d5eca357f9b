//go:build !linux

package main

// dropProgramPages does nothing where the system offers nothing like it.
func dropProgramPages() {}
