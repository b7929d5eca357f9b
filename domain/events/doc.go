// Package events tells people and programs outside what has happened on the site.
// A module notes an event in the transaction that makes it true (the outbox); a
// round of work that one node does at a time hands it to the channels that want it
// and brings it there, again and again until it has arrived or is given up. How a
// message is written and sent is a port.
package events
