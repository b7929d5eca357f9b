package storage

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Catalogue is all drivers there are.
type Catalogue interface {
	Drivers
	// Drivers returns the names of all drivers, sorted.
	Drivers() []string
}

// provider is a company or product with a driver, by the text that clients
// send as provider_type (contract §3.4).
type provider struct {
	text     string
	driver   string
	capacity int64 // bytes, when a new config names none
	// fixedType providers refuse signed links that set a content type.
	fixedType bool
}

const (
	gib             = 1 << 30
	defaultCapacity = 5 * gib
	otherProvider   = "Other S3 Compatible"
	otherDriver     = "s3"
	localDriver     = "local"
)

var providers = []provider{
	{text: "Cloudflare R2", driver: "r2", capacity: 10 * gib},
	{text: "Backblaze B2", driver: "b2", capacity: 10 * gib},
	{text: "AWS S3", driver: "aws", capacity: defaultCapacity},
	{text: "Aliyun OSS", driver: otherDriver, capacity: defaultCapacity, fixedType: true},
	{text: otherProvider, driver: otherDriver, capacity: defaultCapacity},
	{text: "Other", driver: otherDriver, capacity: defaultCapacity},
	{text: "Local disk", driver: localDriver, capacity: defaultCapacity},
}

// driverOf finds the driver for a provider's text: a listed provider's, or the
// driver with this very name; any other text is S3.
func driverOf(drivers Catalogue, providerType string) string {
	for _, p := range providers {
		if strings.EqualFold(p.text, providerType) {
			return p.driver
		}
	}
	for _, name := range drivers.Drivers() {
		if strings.EqualFold(name, providerType) {
			return name
		}
	}
	return otherDriver
}

// providerOf is the text for a driver whose config names no provider.
func providerOf(info objstore.Info) string {
	if info.Name == otherDriver {
		return otherProvider
	}
	for _, p := range providers {
		if p.driver == info.Name {
			return p.text
		}
	}
	if label := info.Label["en"]; label != "" {
		return label
	}
	return info.Name
}

// capacityOf is the capacity of a config that names none.
func capacityOf(driver string) int64 {
	for _, p := range providers {
		if p.driver == driver {
			return p.capacity
		}
	}
	return defaultCapacity
}

// infoTime bounds how long a driver may take to describe itself.
const infoTime = 5 * time.Second

// DriverInfo is a driver as the panel sees it.
type DriverInfo struct {
	objstore.Info
	// Provider is the provider text and Capacity the bytes of a new config that
	// names neither.
	Provider string
	Capacity int64
	// State and Digest tell about the driver's program.
	State  DriverState
	Digest string // SHA-256 of the program's file, in hex; "" for a built-in one
	// Err is why the driver cannot be used now; nil when it can. Little more
	// than the name may be known then.
	Err error
}

// DriverState says where the program of a driver stands.
type DriverState string

// The states. Programs of others are found in the plugin folder and run only
// when they are approved and loaded.
const (
	DriverBuiltIn     DriverState = "built_in"
	DriverApproved    DriverState = "approved"
	DriverPending     DriverState = "pending" // approved, not loaded yet
	DriverNotApproved DriverState = "not_approved"
	DriverChanged     DriverState = "changed" // not the bytes that were approved
	DriverMissing     DriverState = "missing" // approved, and the file is gone
	DriverRefused     DriverState = "refused" // its name or file may not be used
)

// ForeignDriver is a driver program that was not built with the server.
type ForeignDriver struct {
	Name   string
	State  DriverState
	Digest string        // as in DriverInfo
	Info   objstore.Info // of the approved program; zero when there is none
	// Err is why it is not started; nil when it may be.
	Err error
}

// DriverList describes every driver, by name, and every program that could be
// one. One that does not answer is listed with its error. It asks
// admin.storage.read.
func (c *Configs) DriverList(ctx context.Context, who policy.Principal) ([]DriverInfo, error) {
	if err := c.askFor(ctx, who, policy.StorageRead, ""); err != nil {
		return nil, err
	}
	names := c.Drivers.Drivers()
	list := make([]DriverInfo, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		wait.Go(func() {
			info, err := c.info(ctx, name)
			if err != nil {
				info = objstore.Info{Name: name}
			}
			list[i] = DriverInfo{Info: info, Provider: providerOf(info), Capacity: capacityOf(name), State: DriverBuiltIn, Err: err}
		})
	}
	wait.Wait()
	if c.Foreign != nil {
		list = withForeign(list, c.Foreign())
	}
	if c.Health != nil {
		for i := range list {
			list[i].Err = cmp.Or(list[i].Err, c.Health(list[i].Name))
		}
	}
	return list, nil
}

// errDriverPending is a driver that was approved while the server ran.
var errDriverPending = &ports.Error{Code: ports.Unavailable, Key: "storage_unavailable", Text: "driver_pending"}

// withForeign adds to a list what is known about the programs of others.
func withForeign(list []DriverInfo, foreign []ForeignDriver) []DriverInfo {
	for _, f := range foreign {
		i := slices.IndexFunc(list, func(d DriverInfo) bool { return d.Name == f.Name })
		if i < 0 {
			i = len(list)
			list = append(list, DriverInfo{Info: objstore.Info{Name: f.Name}})
		}
		if f.State == DriverPending {
			f.Err = errDriverPending
		}
		if f.Err != nil { // what was approved tells more than a program that does not run
			f.Info.Name = f.Name
			list[i] = DriverInfo{Info: f.Info, Provider: providerOf(f.Info), Capacity: capacityOf(f.Name), Err: f.Err}
		}
		list[i].State, list[i].Digest = f.State, f.Digest
	}
	slices.SortFunc(list, func(a, b DriverInfo) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// errDriverUnknown is a driver that this server does not have.
func errDriverUnknown(name string) error {
	return &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "driver_unknown", Params: map[string]any{"field": "driver", "driver": name}}
}

// info describes a driver. Returns Invalid for an unknown one and Unavailable
// for one that does not answer.
func (c *Configs) info(ctx context.Context, name string) (objstore.Info, error) {
	driver, err := c.Drivers.Driver(name)
	if ports.Is(err, ports.NotFound) {
		return objstore.Info{}, errDriverUnknown(name)
	}
	if err != nil {
		return objstore.Info{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, infoTime)
	defer cancel()
	info, err := driver.Info(ctx)
	if err != nil && isContext(err) {
		err = ports.ErrUnavailable.With(err)
	}
	info.Name = name // as configs know it
	return info, err
}
