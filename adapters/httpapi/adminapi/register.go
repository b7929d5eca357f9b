package adminapi

import (
	"pasteport/adapters/httpapi"
	"pasteport/domain/audit"
	"pasteport/domain/backup"
	"pasteport/domain/doctor"
	"pasteport/domain/events"
	"pasteport/domain/keys"
	"pasteport/domain/policies"
	"pasteport/domain/settings"
	"pasteport/domain/shares"
	"pasteport/domain/shares/reconcile"
	"pasteport/domain/storage"
)

// UseCases are what the operations of the administrator's panel call.
// Describing them needs a System alone, which may be empty: the rest may be
// registered as it is, but not called.
type UseCases struct {
	Access     *keys.Access
	Keys       *keys.Keys
	Settings   *settings.Settings
	System     *System // required
	Storage    *storage.Configs
	Policies   *policies.Policies
	Audit      *audit.Audit
	Backups    *backup.Backups
	Schedule   *backup.Schedule
	Doctor     *doctor.Doctor
	Events     *events.Events
	Reconciler *reconcile.Reconciler
	Pastes     *shares.Pastes // asked for their numbers
	Files      *shares.Files  // asked for their numbers
	// Usage tells what callers have uploaded; nil: nothing is counted.
	Usage Usage
}

// Register adds the operations of the panel, and those by which pages learn
// about the site and about whom they serve.
func Register(a *httpapi.API, u UseCases) {
	systemOps(a, u.System)
	abilityOps(a, u.System)
	sandboxOps(a, u.System.Decider)
	settingOps(a, u.Settings)
	authOps(a, u.Access, u.Usage)
	usageOps(a, u.Access, u.System, u.Usage)
	totpOps(a, u.Access)
	keyOps(a, u.Keys, u.Usage)
	storageOps(a, u.Storage)
	policyOps(a, u.Policies)
	keyAbilityOps(a, u.Policies)
	auditOps(a, u.Audit)
	backupOps(a, u.Backups, u.Schedule)
	keptOps(a, u.Schedule)
	doctorOps(a, u.Doctor, u.System)
	eventOps(a, u.Events)
	notificationOps(a, u.Events.Own())
	reconcileOps(a, u.Reconciler)
	dashboardOps(a, Overview{Pastes: u.Pastes, Files: u.Files, Storage: u.Storage, Keys: u.Keys, System: u.System, Usage: u.Usage, Schedule: u.Schedule})
}
