// Package webapp serves the built web UI: its files, the page for every address
// with what a browser must know of the site, and the administrator's own code.
package webapp
