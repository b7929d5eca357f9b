//go:build race

package pluginhost_test

// The race detector takes five to ten times the memory of the program, and its
// shadow of the heap counts as data, which the memory limit bounds.
func init() {
	driverPeak *= 5
	driverLimit *= 5
}
