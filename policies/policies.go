// Package policies holds the Rego rules that Pasteport ships: what the bits of
// a key allow, how site rules narrow that, and worked examples for people who
// write site rules. It only embeds the files; adapters/opa compiles them.
package policies

import "embed"

// Files is this folder: the shipped packages with their tests, the schema of
// the input document, the allowed built-in functions, the examples and the gallery of ready rules.
//
//go:embed lib permissions authz site schemas examples gallery capabilities.json
var Files embed.FS
