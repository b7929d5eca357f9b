// Package content sends bytes that users stored: conditional requests, ranges,
// content types, and the headers that keep hostile content inert. It knows
// nothing of who asks.
package content
