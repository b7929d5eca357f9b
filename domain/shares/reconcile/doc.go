// Package reconcile compares a storage with the records of its shares: objects
// that no record points at, records whose object is gone, and uploads in parts that
// nobody finished. A check only tells; what a check has told of can then be adopted
// or deleted. Both are tasks that pass over any number of objects with a page of
// them in memory.
//
// It looks below the folder that shares are written to and nowhere else, and leaves
// alone what may be somebody's: what mounts show, what another storage config may
// know of, what is younger than SafeAge, backups, and names that begin with "_" or
// ".".
package reconcile
