package core_test

import (
	"testing"

	"pasteport/plugins/aws"
	"pasteport/plugins/b2"
	"pasteport/plugins/r2"
	"pasteport/plugins/s3"
	"pasteport/plugins/s3/core"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
)

// drivers are all that share the core, by name.
var drivers = map[string]core.Driver{aws.Name: aws.Driver(), r2.Name: r2.Driver(), b2.Name: b2.Driver(), s3.Name: s3.Driver()}

// open opens a new bucket of a provider and checks at the end that nothing was
// sent which the provider refuses.
func open(t *testing.T, d core.Driver, change ...func(objstore.Config)) objstore.Bucket {
	t.Helper()
	name := d.Profile.Info.Name
	config := cloud.Config(name, cloud.NewBucket(t, name))
	for _, c := range change {
		c(config)
	}
	b, err := d.Open(t.Context(), config)
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

func TestEveryDriverKeepsTheContract(t *testing.T) {
	for name, d := range drivers {
		t.Run(name, func(t *testing.T) {
			info := d.Profile.Info
			objstoretest.Run(t, func(t *testing.T) objstore.Bucket { return open(t, d) }, objstoretest.Want{
				Features: info.Features, Limits: info.Limits, Signs: true, URL: cloud.URL, Types: true,
				Names: true, Segment: 255, // the test server keeps objects as files
			})
		})
	}
}
