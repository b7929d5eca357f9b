package httpapi

import (
	"pasteport/domain/audit"
	"pasteport/domain/backup"
	"pasteport/domain/keys"
	"pasteport/domain/mounts"
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
	Settings  *settings.Settings
	System    *System
	Shares    Shares
	Storage   *storage.Configs
	Blobs     *storage.Blobs
	Transfers Transfers
	Tree      *mounts.Tree
	Mounts    *mounts.Mounts
	Tasks     *tasks.Tasks
	Policies  *policies.Policies
	Audit     *audit.Audit
	Backups   *backup.Backups
	Inventory *shares.Inventory
}

// Register adds every operation, those that are asked most often first. Each
// file of operations has one function here.
func (a *API) Register(u UseCases) {
	a.pasteOps(u.Shares)
	a.publicFileOps(u.Shares)
	a.fileOps(u.Shares)
	a.uploadOps(u.Shares)
	a.fsOps(u.Tree)
	a.urlOps(u.Shares)
	a.systemOps(u.System)
	a.abilityOps(u.System)
	a.sandboxOps(u.System)
	a.settingOps(u.Settings)
	a.authOps(u.Access)
	a.usageOps(u.Access, u.System)
	a.totpOps(u.Access)
	a.keyOps(u.Access)
	a.blobOps(u.Blobs)
	a.storageOps(u.Storage)
	a.transferOps(u.Transfers)
	a.mountOps(u.Mounts, u.Tree)
	a.taskOps(u.Tasks)
	a.policyOps(u.Policies)
	a.keyAbilityOps(u.Policies)
	a.auditOps(u.Audit)
	a.backupOps(u.Backups)
	a.inventoryOps(u.Inventory)
	a.dashboardOps(u)
}
