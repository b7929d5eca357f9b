package ports

import "time"

// BackupPlan says when backups are made by themselves, where, and which are
// kept. The zero value makes none.
type BackupPlan struct {
	Every   time.Duration // 0 means never
	Storage string        // id of a storage config; empty means the backup folder
	Keep    int           // how many are kept, at least 1
	MaxAge  time.Duration // older ones are removed; 0 means never
	Files   bool          // with the files of "Local disk"
}
