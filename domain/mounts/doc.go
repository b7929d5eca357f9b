// Package mounts is the tree that people browse: folders of many buckets under
// one root. It alone knows how a path becomes a bucket and a key, and it keeps
// every caller inside what the caller may see (spec §6, basic_path).
//
// Tree joins parts that build on each other and can be used alone: Places lead a
// path to its place and ask who may go there, a Reader looks at what is there, a
// Lister lists folders, a Linker makes addresses, Quota finds room. What writes
// is Tree's own. Each use case asks the policy once, with all its paths, before it
// touches a storage; below that stands one pure check, Within, where a path
// becomes an object key.
package mounts
