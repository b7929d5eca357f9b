package httpapi

import (
	"pasteport/domain/audit"
	"pasteport/domain/backup"
	"pasteport/domain/keys"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/thumbnail"
	"pasteport/domain/mounts/transfer"
	"pasteport/domain/policies"
	"pasteport/domain/settings"
	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/domain/tasks"
)

// UseCases are what the operations call. Describing the API needs none of them:
// their zero values may be registered, but not called.
type UseCases struct {
	Access    *keys.Access
	Keys      *keys.Keys
	Settings  *settings.Settings
	System    *System
	Shares    Shares
	Storage   *storage.Configs
	Blobs     *storage.Blobs
	Transfers Transfers
	Tree      *mounts.Tree
	// Thumbnails are small pictures of the files in Tree.
	Thumbnails *thumbnail.Thumbnails
	Mounts     *mounts.Mounts
	Index      *index.Index
	Moves      *transfer.Transfers // within the tree
	Tasks      *tasks.Tasks
	Policies   *policies.Policies
	Audit      *audit.Audit
	Backups    *backup.Backups
	Inventory  *shares.Inventory
	// Usage tells what callers have uploaded; nil: nothing is counted.
	Usage Usage
}

// Register adds every operation, those that are asked most often first. Each
// file of operations has one function here.
func Register(a *API, u UseCases) {
	pasteOps(a, u.Shares)
	publicFileOps(a, u.Shares)
	fileOps(a, u.Shares)
	uploadOps(a, u.Shares)
	fsOps(a, u.Tree, u.Index, u.Moves)
	fsThumbnailOps(a, u.Thumbnails)
	urlOps(a, u.Shares)
	systemOps(a, u.System)
	abilityOps(a, u.System)
	sandboxOps(a, u.System.Decider)
	settingOps(a, u.Settings)
	authOps(a, u.Access, u.Usage)
	usageOps(a, u.Access, u.System, u.Usage)
	totpOps(a, u.Access)
	keyOps(a, u.Keys, u.Usage)
	blobOps(a, u.Blobs)
	storageOps(a, u.Storage)
	transferOps(a, u.Transfers)
	mountOps(a, u.Mounts, u.Tree, u.Index)
	taskOps(a, u.Tasks)
	policyOps(a, u.Policies)
	keyAbilityOps(a, u.Policies)
	auditOps(a, u.Audit)
	backupOps(a, u.Backups)
	inventoryOps(a, u.Inventory)
	dashboardOps(a, Overview{Pastes: u.Shares.Pastes, Files: u.Shares.Files, Storage: u.Storage, Keys: u.Keys, System: u.System, Usage: u.Usage})
}
