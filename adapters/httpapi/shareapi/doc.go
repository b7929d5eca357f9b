// Package shareapi holds the operations of shares: texts, files, uploads, what is
// fetched from other sites, the public side of a share, the signed links to
// stored bytes, and the list of all shares.
package shareapi
