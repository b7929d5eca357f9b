// Package routes puts together all operations of the product. Its tests are those
// that walk over every operation, and it makes docs/openapi.json.
package routes

import (
	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/adminapi"
	"pasteport/adapters/httpapi/requestapi"
	"pasteport/adapters/httpapi/shareapi"
	"pasteport/adapters/httpapi/treeapi"
)

// UseCases are what the operations call. Describing the API needs none of them
// but an empty Admin.System: their zero values may be registered, but not called.
type UseCases struct {
	Shares   shareapi.UseCases
	Tree     treeapi.UseCases
	Requests requestapi.UseCases
	Admin    adminapi.UseCases
}

// Register adds every operation of the product, those that are asked most often
// first.
func Register(a *httpapi.API, u UseCases) {
	shareapi.Register(a, u.Shares)
	treeapi.Register(a, u.Tree)
	requestapi.Register(a, u.Requests)
	adminapi.Register(a, u.Admin)
}
