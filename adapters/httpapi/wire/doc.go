// Package wire holds the values that many operations read and write: numbers and
// flags in their flexible forms, times, pages of lists, addresses of shares. It
// knows JSON and nothing of HTTP.
package wire
