// Package child is how this program starts itself again as a process below it: its
// own file, and a process that ends with us and all at once.
package child
