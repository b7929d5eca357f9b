//go:build race

package pluginhost_test

// The race detector takes five to ten times the memory of the program.
func init() { driverPeak *= 5 }
