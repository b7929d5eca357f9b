// Package boundary runs the drivers that ship with the server through the
// plugin boundary: each in a process of its own, with real servers behind it.
package boundary

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/pluginhost"
	"pasteport/plugins/aws"
	"pasteport/plugins/b2"
	"pasteport/plugins/r2"
	"pasteport/plugins/s3"
	"pasteport/plugins/s3/core"
	"pasteport/plugins/s3/s3test"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
)

var drivers = map[string]core.Driver{aws.Name: aws.Driver(), r2.Name: r2.Driver(), b2.Name: b2.Driver(), s3.Name: s3.Driver()}

var (
	cloud *s3test.Cloud
	host  *pluginhost.Host
)

// TestMain makes the test binary a driver, as the product's binary is one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "driver" {
		all := map[string]objstore.Driver{}
		for name, d := range drivers {
			all[name] = d
		}
		for name, d := range fileDrivers {
			all[name] = d
		}
		fmt.Fprintln(os.Stderr, pluginhost.Serve(os.Args[2], all))
		os.Exit(3)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if cloud, err = s3test.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	processes := map[string]pluginhost.Command{}
	for name := range drivers {
		processes[name] = pluginhost.Self(name)
	}
	for name := range fileDrivers {
		processes[name] = pluginhost.Self(name)
	}
	host = pluginhost.New(pluginhost.Options{Processes: processes})
	code := m.Run()
	if err := host.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if err := cloud.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// open opens a new bucket in the driver's process and checks at the end that
// nothing was sent which the provider refuses.
func open(t *testing.T, name string) objstore.Bucket {
	t.Helper()
	d, err := host.Driver(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Open(t.Context(), cloud.Config(name, cloud.NewBucket(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.Close()
		for _, v := range cloud.Provider(name).Violations() {
			t.Errorf("sent what the provider refuses: %s", v)
		}
	})
	return b
}

func TestADriverSaysTheSameOfItselfOnBothSides(t *testing.T) {
	for name, d := range drivers {
		far, err := host.Driver(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := far.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d.Profile.Info, got); diff != "" {
			t.Errorf("%s (-here +there):\n%s", name, diff)
		}
	}
}

func TestADescribedDriverIsNotStartedToDescribeItself(t *testing.T) {
	command := pluginhost.Self("s3")
	info := s3.Profile().Info
	command.About = &info
	h := pluginhost.New(pluginhost.Options{Processes: map[string]pluginhost.Command{"s3": command}})
	t.Cleanup(func() { h.Close() })
	d, err := h.Driver("s3")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.Info(t.Context()); err != nil || got.Name != "s3" {
		t.Errorf("Info = %+v, %v", got, err)
	}
	if s := h.Status()[0]; s.Starts != 0 {
		t.Errorf("started %d times", s.Starts)
	}
}

// TestLongEveryDriverKeepsTheContractThroughTheBoundary takes two that differ most, and
// all when PASTEPORT_TEST_LONG is set. In one process all of them are always taken
// (plugins/s3/core).
func TestLongEveryDriverKeepsTheContractThroughTheBoundary(t *testing.T) {
	for name, d := range drivers {
		if name != "s3" && name != "b2" && os.Getenv("PASTEPORT_TEST_LONG") == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			info := d.Profile.Info
			objstoretest.Run(t, func(t *testing.T) objstore.Bucket { return open(t, name) }, objstoretest.Want{
				Features: info.Features, Limits: info.Limits, Signs: true, URL: cloud.URL, Types: true,
				Names: true, Segment: 255, // the test server keeps objects as files
			})
		})
	}
}
