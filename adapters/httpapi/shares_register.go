package httpapi

// RegisterShares adds the operations of shares: texts, files, uploads and what
// is fetched from other sites, the signed links to their bytes, and the list of
// all shares.
func RegisterShares(a *API, u Shares) {
	pasteOps(a, u)
	publicFileOps(a, u)
	fileOps(a, u)
	uploadOps(a, u)
	urlOps(a, u)
	blobOps(a, u.Blobs)
	inventoryOps(a, u.Inventory)
}
