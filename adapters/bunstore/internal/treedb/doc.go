// Package treedb stores what the tree of mounts needs: mounts, the index of
// objects, moves that are under way, WebDAV locks and properties, tickets for
// archives.
package treedb
