// Package eventdb stores what is told of the site to others: the outbox of events,
// the channels and what is on its way to them.
package eventdb
