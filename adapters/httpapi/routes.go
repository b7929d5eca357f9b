package httpapi

// UseCases are what the operations call. Describing the API needs none of them:
// their zero values may be registered, but not called.
type UseCases struct{}

// Register adds every operation, those that are asked most often first. Each
// file of operations has one function here.
func (a *API) Register(u UseCases) {}
