// Package predecessor takes over the records of the program that Pasteport
// follows, from its SQLite file. It hides the old tables, their odd values and
// the old form of stored secrets. What the rules of the domain do not let in is
// left where it is and told in the report; nothing is repaired silently.
//
// The old file is only read. The same file may be taken over again: a record
// whose id is already here is not touched, so a run that was cut short is
// finished by the next.
package predecessor
