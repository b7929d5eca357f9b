// Package openapi checks that docs/openapi.json is one that generators of clients
// understand.
package openapi

import _ "github.com/oapi-codegen/runtime" // what generated clients need
