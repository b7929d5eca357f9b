//go:build !linux

package opa

func limitMemory(uint64) {}
