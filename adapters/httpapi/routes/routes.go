// Package routes puts together all operations of the product. Its tests are those
// that walk over every operation, and it makes docs/openapi.json.
package routes

import (
	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/adminapi"
)

// UseCases are what the operations call. Describing the API needs none of them
// but an empty Admin.System: their zero values may be registered, but not called.
type UseCases struct {
	Shares httpapi.Shares
	Tree   httpapi.TreeUseCases
	Admin  adminapi.UseCases
}

// Register adds every operation of the product, those that are asked most often
// first.
func Register(a *httpapi.API, u UseCases) {
	httpapi.RegisterShares(a, u.Shares)
	httpapi.RegisterTree(a, u.Tree)
	adminapi.Register(a, u.Admin)
}
