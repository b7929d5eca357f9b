// Package forms reads multipart forms that bring one file: the fields before it,
// the file itself as a stream whose length is told where it can be, and a place
// on disk for a file that comes before its fields.
package forms
