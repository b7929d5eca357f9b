// Package webdav serves the tree of mounts as RFC 4918 describes it: classes 1,
// 2 and 3, for file managers and sync programs. It hides the protocol (XML,
// If headers, Destination, multistatus) and its clients' habits; what may be
// done, locks and properties belong to domain/mounts.
package webdav
