// Package treeapi holds the operations of the file tree: listing, reading,
// writing and changing files of mounts, archives, search, the proxy of mounts,
// the mounts themselves, and tasks that outlast a request.
package treeapi
