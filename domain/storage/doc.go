// Package storage turns a storage config, as the administrator saved it, into
// an open bucket. It is the only code that unseals storage credentials.
package storage
