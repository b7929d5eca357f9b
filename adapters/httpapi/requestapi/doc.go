// Package requestapi holds the operations of requests for files: those of their
// owners, and those of the people who send, who have no account.
package requestapi
