// Package storagedb stores what there is to know of storages: their configs, the
// ledger of their capacity and the uploads in parts that are under way.
package storagedb
