// Package sharedb stores what share links lead to: pastes and files, and the
// list of both.
package sharedb
