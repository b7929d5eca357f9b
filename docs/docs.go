// Package docs holds the description of the HTTP interface for the server, which
// gives it to whoever asks. Tests generate it from the registry of operations.
package docs

import _ "embed"

// OpenAPI is the OpenAPI 3.1 document, without the address of a server.
//
//go:embed openapi.json
var OpenAPI []byte
