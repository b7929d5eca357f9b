// Package mounts is the tree that people browse: folders of many buckets under
// one root. It alone knows how a path becomes a bucket and a key, and it keeps
// every caller inside what the caller may see (spec §6, basic_path).
//
// Use cases are methods of Tree. Each asks the policy once, with all its paths,
// before it touches a storage; below that stands one pure check, Within, where
// a path becomes an object key.
package mounts
