// Package listen is the listening side of the process: the servers, connections
// and bodies that end when the other side stands still, the probes, and the
// writer of log lines. It knows nothing of what is served.
package listen
