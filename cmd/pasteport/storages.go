package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"pasteport/adapters/datadir"
	"pasteport/adapters/pluginhost"
	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/plugins/aws"
	"pasteport/plugins/b2"
	"pasteport/plugins/local"
	"pasteport/plugins/r2"
	"pasteport/plugins/s3"
	"pasteport/plugins/s3/core"
	"pasteport/plugins/sftp"
	"pasteport/plugins/webdav"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
	"pasteport/ports/policy"
)

// builtIn are the drivers that run inside this process.
func builtIn(disk local.Driver) map[string]objstore.Driver {
	return map[string]objstore.Driver{local.Name: disk}
}

// ownNames are what the server makes in the data folder, as patterns. Some of it
// comes and goes, and is swept.
var ownNames = []string{"pasteport.db*", "secret.key*", "node.id*", "audit.heads*", "audit.sent*", "plugins", "plugins.*", datadir.Spool, "backup-*", "backups", "restore-*", "restore.*", "reserve*", "policies", ".*"}

// disk is the driver of local disks: relative folders lie below the data folder.
func (s *settings) disk() local.Driver {
	return local.Driver{Base: s.DataDir, Closed: s.closed(), Roots: s.LocalRoot, Own: ownNames}
}

// place refuses configs that lead where the operator lets no storage be.
func (s *settings) place(driver string, options map[string]string) error {
	if driver != local.Name {
		return nil
	}
	return s.disk().Allowed(options[local.OptionDirectory])
}

// tellMisplaced names the storages that lie outside of where new ones may: they
// go on, but are not changed.
func (a *app) tellMisplaced(ctx context.Context, s *settings) error {
	all, err := a.configs.Misplaced(ctx)
	for _, c := range all {
		var options map[string]string
		if json.Unmarshal([]byte(c.Options), &options) != nil {
			options = nil
		}
		home, err := s.disk().Home(options[local.OptionDirectory])
		if err != nil {
			home = options[local.OptionDirectory]
		}
		a.log.Warn("a storage lies outside of the data folder and of --local-root; it goes on, but cannot be changed",
			"storage", c.ID, "name", c.Name, "directory", home, "flag", "--local-root="+home)
	}
	return err
}

// closed are the files and folders of this server that no storage may reach.
func (s *settings) closed() []string {
	list := []string{s.keyFile(), s.pluginDir(), s.PolicyDir, s.backupDir(), filepath.Join(s.DataDir, datadir.Spool)}
	if s.AuditFile != "" {
		list = append(list, s.AuditFile)
	}
	if database := s.databaseURL(); !strings.Contains(database, "://") {
		list = append(list, database)
	}
	return list
}

// s3Drivers are the drivers that share the S3 core, within reach.
func s3Drivers(reach outbound.Reach) []core.Driver {
	drivers := []core.Driver{aws.Driver(), r2.Driver(), b2.Driver(), s3.Driver()}
	for i := range drivers {
		drivers[i].Reach = reach
	}
	return drivers
}

// apart are the drivers that each run in a process of their own: this program
// as "pasteport driver NAME", started when a config first needs it.
func apart(reach outbound.Reach) map[string]objstore.Driver {
	drivers := map[string]objstore.Driver{}
	for _, d := range s3Drivers(reach) {
		drivers[d.Profile.Info.Name] = d
	}
	drivers[sftp.Name], drivers[webdav.Name] = sftp.Driver{Reach: reach}, webdav.Driver{Reach: reach}
	return drivers
}

// processes says how the drivers of apart are started. What they say of
// themselves is known here, so that a form needs no process.
func processes() map[string]pluginhost.Command {
	commands := map[string]pluginhost.Command{}
	for _, d := range s3Drivers(outbound.Anywhere) { // to describe them
		command := pluginhost.Self(d.Profile.Info.Name)
		command.About = &d.Profile.Info
		if d.Profile.Info.Name == aws.Name {
			command.Env = aws.Environment
		}
		commands[d.Profile.Info.Name] = command
	}
	for _, about := range []objstore.Info{sftp.About(), webdav.About()} {
		command := pluginhost.Self(about.Name)
		command.About = &about
		commands[about.Name] = command
	}
	return commands
}

// storages joins the storage module to what shares need of it.
type storages struct {
	*storage.Opener
	configs *storage.Configs
}

var _ shares.Storages = storages{}

// Storage returns a config.
func (s storages) Storage(ctx context.Context, id string) (objstore.Storage, error) {
	return storageOf(s.configs.Lookup(ctx, id))
}

// Default returns the config to use when none is named.
func (s storages) Default(ctx context.Context, publicOnly bool) (objstore.Storage, error) {
	return storageOf(s.configs.Default(ctx, publicOnly))
}

func storageOf(c *storage.Config, err error) (objstore.Storage, error) {
	if err != nil {
		return objstore.Storage{}, err
	}
	return c.Storage(), nil
}

// storageChanged lets everybody hear of a storage config that was changed.
func (a *app) storageChanged(id string) {
	a.tree.ForgetStorage(id)
	if err := a.ledger.Changed(context.Background(), id); err != nil {
		a.report("count a changed storage anew", err)
	}
}

// usageOf tells rules what their callers have used. They are compiled before
// there is a ledger, and ask it when it is there.
type usageOf struct{ *app }

var _ policy.UsageSource = usageOf{}

// Usage implements policy.UsageSource.
func (u usageOf) Usage(ctx context.Context, who policy.Principal) (policy.Usage, error) {
	if u.ledger == nil {
		return policy.Usage{}, ports.ErrUnavailable
	}
	return u.ledger.Usage(ctx, who)
}
