package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/systemd"
	"pasteport/adapters/tracing"
	"pasteport/cmd/pasteport/terminal"
	"pasteport/ports"
	"pasteport/ports/outbound"
)

// cli is the command line.
type cli struct {
	settings

	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version and end."`

	terminal.Commands

	Serve    serveCommand    `cmd:"" default:"withargs" help:"Serve (what happens without a command)."`
	Admin    adminCommand    `cmd:"" help:"Look after the administrator's account."`
	Key      keyCommand      `cmd:"" help:"Look after the master key."`
	Import   importCommand   `cmd:"" help:"Take over what another program has."`
	Plugin   pluginCommand   `cmd:"" settings:"+plugin-dir" help:"Look after storage drivers that were not built with this program."`
	Doctor   doctorCommand   `cmd:"" settings:"+internal-listen,public-url" help:"Look for what is wrong with this installation, and tell what helps."`
	Backup   backupCommand   `cmd:"" help:"Make, prove and restore backups."`
	Migrate  migrateCommand  `cmd:"" help:"Bring the tables of the database up to date, or try it."`
	Audit    auditCommand    `cmd:"" help:"Look after the audit log."`
	Clock    clockCommand    `cmd:"" help:"Look after the server's time."`
	Policy   policyCommand   `cmd:"" settings:"none" help:"Look after the rules of the site."`
	Storages storagesCommand `cmd:"" help:"Look after storages."`
	Health   healthCommand   `cmd:"" settings:"config,listen,internal-listen,public-url" help:"Ask the running server whether it is ready, for the health checks of containers."`
	Version  versionCommand  `cmd:"" settings:"none" help:"Print the version."`

	Completion kongcompletion.Completion `cmd:"" settings:"none" help:"Complete commands and flags by the Tab key of a shell."`
	Man        manCommand                `cmd:"" settings:"none" help:"Print the man page (pasteport man | man -l -)."`
}

// settings are what the operator says about the process: by flag, else by
// PASTEPORT_ variable, else in the file of --config.
type settings struct {
	Config configFile `help:"Read settings from a JSON file whose names are those of the flags." placeholder:"FILE"`

	Listen         string   `help:"Address of the public listener (plain http), or unix:PATH." default:":8787"`
	InternalListen string   `help:"Address of the listener for probes and metrics, or unix:PATH; \"off\" for none." default:"127.0.0.1:8788"`
	PublicURL      string   `help:"Address in links; its path is the base path. Default: what the request says." placeholder:"URL"`
	TrustedProxies []string `help:"Addresses or CIDR blocks whose forwarding headers are believed." placeholder:"CIDR"`

	SourceURL string `help:"Address of the program's source, linked in the header. Default: no link." placeholder:"URL"`

	DataDir         string        `help:"Folder of the database file, the master key and local storage." default:"./data"`
	DatabaseURL     string        `help:"postgres://… for several nodes. Default: a SQLite file in the data folder." placeholder:"URL"`
	DatabaseURLFile string        `help:"File that holds it instead." placeholder:"FILE"`
	DatabaseWait    time.Duration `help:"How long a start waits for a PostgreSQL that does not answer." default:"30s"`
	SecretKeyFile   string        `help:"File of the master key. Default: secret.key in the data folder." placeholder:"FILE"`

	EncryptionSecret string `help:"Secret that signs proxy links, of an earlier installation whose links shall stay good. Default: a key derived from the master key." placeholder:"SECRET"`

	EncryptionSecretFile string `help:"File that holds it instead." placeholder:"FILE"`

	BackupDir string `help:"Folder of scheduled backups that go to no storage. Default: backups in the data folder." placeholder:"DIR"`
	PolicyDir string `help:"Folder with site rules in Rego." placeholder:"DIR"`
	PluginDir string `help:"Folder with driver programs of others; only approved ones run. Default: plugins in the data folder." placeholder:"DIR"`

	LocalRoot []string `help:"Folders outside of the data folder below which storages of the driver local may lie." placeholder:"DIR"`

	AllowPrivateStorage string `help:"\"off\" keeps storage configs to public addresses, for sites whose administrator is not the operator." enum:"on,off" default:"on"`

	FetchAllow []string `help:"Hosts, host:port, addresses or CIDR blocks that URL uploads may reach besides public hosts on the usual ports." placeholder:"HOST"`

	AdminUser         string `help:"Name of the first administrator." default:"admin"`
	AdminPassword     string `help:"Password of the first administrator. Default: random, printed once."`
	AdminPasswordFile string `help:"File that holds it instead." placeholder:"FILE"`

	AuditKeep time.Duration `help:"How long the audit log is kept; 0 for ever." default:"4320h"`

	AuditSyslog    string `help:"Syslog server that gets the audit log as well: udp://HOST:PORT, tcp://HOST:PORT, tls://HOST:PORT or unix:///PATH." placeholder:"URL"`
	AuditSyslogCA  string `name:"audit-syslog-ca" help:"File of the certificates that prove a TLS syslog server. Default: those of the system." placeholder:"FILE"`
	AuditFile      string `help:"File that gets the audit log as well, as JSON lines, and rotates." placeholder:"FILE"`
	AuditFileSize  int    `help:"Megabytes after which that file rotates." default:"100"`
	AuditFileDays  int    `help:"Days that rotated files are kept; 0 for ever." default:"0"`
	AuditFileCount int    `help:"Rotated files that are kept; 0 for all." default:"10"`

	TaskWorkers int `help:"Tasks in the background (copies, deletions of many files) that run at once, 1 to 16." default:"2"`

	IndexRescan time.Duration `help:"How often the index of mounted objects is made to agree with the storages; 0 for once only." default:"24h"`

	StorageCheck time.Duration `help:"How often storages are compared with the records of shares; nothing is changed. 0 for never." default:"0"`

	CustomCode string `help:"\"off\" keeps the custom head and body of the site settings from all pages." enum:"on,off" default:"on"`

	TraceEndpoint string  `env:"PASTEPORT_TRACE_ENDPOINT,OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,OTEL_EXPORTER_OTLP_ENDPOINT" help:"OpenTelemetry collector that gets traces by OTLP over HTTP, such as http://127.0.0.1:4318. Default: no traces." placeholder:"URL"`
	TraceRatio    float64 `help:"Share of the traces that are recorded, above 0 up to 1." default:"1"`

	LogFormat string `help:"text, json, or auto: text on a terminal, fields in the journal of systemd, else json." enum:"auto,text,json" default:"auto"`
	LogTarget string `help:"How the request log names the share or path of a request: none, hash (keyed; the same share has the same hash) or plain (who reads the log can open the shares)." enum:"none,hash,plain" default:"hash"`
	LogLevel  string `help:"debug, info, warn or error." enum:"debug,info,warn,error" default:"info"`

	RateLimits            string `help:"\"off\" turns every rate limit off, for load tests." enum:"on,off" default:"on"`
	LimitAnonymousReads   int    `help:"Anonymous reads of shares per minute and address; negative for no limit." default:"600"`
	LimitNewShares        int    `help:"New shares per minute and API key; negative for no limit." default:"120"`
	LimitURLFetches       int    `help:"Calls to other sites for URL uploads per minute and API key; negative for no limit." default:"20"`
	LimitRequestFiles     int    `help:"Files announced, sent and completed for requests per minute and address; negative for no limit." default:"240"`
	LimitUnknownLinks     int    `help:"Requests for unknown links per minute and address; negative for no limit." default:"60"`
	LimitHeavyCalls       int    `help:"Copies, searches, archives and long WebDAV listings of one caller at once; negative for no limit." default:"4"`
	LimitStreams          int    `help:"Downloads, long texts and archives on their way at once." default:"1024"`
	LimitStreamsByAddress int    `help:"Of these, how many go to one address; negative for no limit." default:"256"`
	LimitLogins           int    `help:"Wrong logins per 15 minutes, address and name." default:"10"`
	LimitLoginsByAddress  int    `help:"Wrong logins per 15 minutes and address." default:"30"`
	LimitWrongKeys        int    `help:"Wrong API keys per 15 minutes and address." default:"30"`
	LimitWebDAVLogins     int    `name:"limit-webdav-logins" help:"Wrong logins over WebDAV per 5 minutes and address." default:"10"`

	DrainDelay time.Duration `help:"How long readiness fails before connections are refused." default:"2s"`
	StopAfter  time.Duration `help:"How long requests may run on at a stop." default:"30s"`
}

// databaseURL is where the records are.
func (s *settings) databaseURL() string {
	if s.DatabaseURL != "" {
		return s.DatabaseURL
	}
	return filepath.Join(s.DataDir, "pasteport.db")
}

// keyFile is where the master key is.
func (s *settings) keyFile() string {
	if s.SecretKeyFile != "" {
		return s.SecretKeyFile
	}
	return filepath.Join(s.DataDir, "secret.key")
}

// storageReach is where storage configs may lead.
func (s *settings) storageReach() outbound.Reach { return s.AllowPrivateStorage == "off" }

// check refuses values that make no sense.
func (s *settings) check() error {
	if s.TaskWorkers < 1 || s.TaskWorkers > 16 {
		return fmt.Errorf("--task-workers: %d is not between 1 and 16", s.TaskWorkers)
	}
	for _, root := range s.LocalRoot {
		if !filepath.IsAbs(root) {
			return fmt.Errorf("--local-root: %q is not an absolute path", root)
		}
	}
	return nil
}

// pluginDir is where driver programs of others are.
func (s *settings) pluginDir() string {
	if s.PluginDir != "" {
		return s.PluginDir
	}
	return filepath.Join(s.DataDir, "plugins")
}

// adminPassword is the password of the first administrator, "" for a random
// one.
func (s *settings) adminPassword() (string, error) {
	if s.AdminPasswordFile == "" {
		return s.AdminPassword, nil
	}
	return secretIn(s.AdminPasswordFile)
}

// readSecrets takes over the secrets that files hold.
func (s *settings) readSecrets() error {
	for _, secret := range []struct {
		name, file string
		value      *string
	}{{"database-url", s.DatabaseURLFile, &s.DatabaseURL}, {"encryption-secret", s.EncryptionSecretFile, &s.EncryptionSecret}} {
		if secret.file == "" {
			continue
		}
		var err error
		if *secret.value, err = secretIn(secret.file); err != nil {
			return fmt.Errorf("--%s-file: %w", secret.name, err)
		}
	}
	if bunstore.IsSQLite(s.DatabaseURL) && strings.Contains(s.DatabaseURL, "://") {
		return errors.New("--database-url: not a postgres:// address") // without the address, which may hold a password
	}
	return nil
}

// secretIn reads a file with a secret, which may end in a line break.
func secretIn(path string) (string, error) {
	raw, err := os.ReadFile(path)
	text := strings.TrimRight(string(raw), "\r\n")
	if err == nil && text == "" {
		err = fmt.Errorf("the secret in %s is empty", path)
	}
	return text, err
}

// publicURL checks --public-url.
func (s *settings) publicURL() (string, error) {
	if s.PublicURL == "" {
		return "", nil
	}
	u, err := url.Parse(s.PublicURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("--public-url: %q is not an address like https://example.com/base", s.PublicURL)
	}
	return strings.TrimRight(s.PublicURL, "/"), nil
}

// trustedProxies reads --trusted-proxies.
func (s *settings) trustedProxies() ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, text := range s.TrustedProxies {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, err := netip.ParseAddr(text)
			if err != nil {
				return nil, fmt.Errorf("--trusted-proxies: %q is neither an address nor a CIDR block", text)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		prefixes = append(prefixes, prefix.Masked())
	}
	return prefixes, nil
}

// level is the log level of the settings.
func (s *settings) level() slog.Level {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // the flag allows no other words
	return level
}

// handler writes log lines of at least level to w.
func (s *settings) handler(w io.Writer, level slog.Leveler) slog.Handler {
	options := &slog.HandlerOptions{Level: level}
	if s.TraceEndpoint != "" {
		return tracing.Handler(s.plainHandler(w, options))
	}
	return s.plainHandler(w, options)
}

func (s *settings) plainHandler(w io.Writer, options *slog.HandlerOptions) slog.Handler {
	if s.LogFormat == "auto" && systemd.LogsToJournal() {
		if h := systemd.Journal(w, options); h != nil {
			return h
		}
	}
	if s.LogFormat == "text" || (s.LogFormat == "auto" && isTerminal(os.Stderr)) {
		return slog.NewTextHandler(w, options)
	}
	return slog.NewJSONHandler(w, options)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// plain is what an operator reads of an error: the words of its cause, for a
// machine code tells little.
func plain(err error) string {
	var e *ports.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if text, known := spoken[cmp.Or(e.Text, e.Key)]; known {
		return text
	}
	if strings.HasPrefix(e.Text, "driver_") && e.Cause != nil {
		return causeOf(e).Error()
	}
	return err.Error()
}

// spoken are the errors that an operator can meet on the command line.
var spoken = map[string]string{
	"account.username": "the administrator's name must have 1 to 50 characters and no colon",
	"backup_unsigned": "the master key does not prove this backup: it comes from an earlier version or another server, was changed, or the master key is not here; " +
		"put your copy of the key there, or take the backup as it is with --accept-unsigned",
	"account.none":    "there is no administrator yet; start the server once",
	"password.length": "the administrator's password must have 8 to 256 characters",
	"password.common": "the administrator's password is well known; choose another",
	"password.named":  "the administrator's password must not contain the name of the site or the administrator",
}
