// Package settings is the table of what the operator can set: key, group,
// type, default, rule and who may read it. It feeds the API, the defaults and
// the forms, and answers the other modules from memory.
package settings
