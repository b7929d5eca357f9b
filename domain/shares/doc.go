// Package shares holds what a link can open: pastes and files, with the gate
// (password, expiry, view limit) that both have in common. It decides who may
// create, see and change them and keeps the count of views exact. It knows
// nothing of HTTP, SQL or the storage behind a file.
package shares
