//go:build live

package live

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"pasteport/plugins/aws"
	"pasteport/plugins/b2"
	"pasteport/plugins/r2"
	"pasteport/plugins/s3"
	"pasteport/plugins/s3/core"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
)

// front is how the name of a bucket must begin, since all it holds is deleted.
const front = "pasteport-test"

// TestLive runs the driver suite in one bucket of each provider that the
// environment names.
func TestLive(t *testing.T) {
	asked := 0
	for _, d := range []core.Driver{aws.Driver(), r2.Driver(), b2.Driver(), s3.Driver()} {
		info := d.Profile.Info
		variable := "PASTEPORT_LIVE_" + strings.ToUpper(info.Name)
		text := os.Getenv(variable)
		if text == "" {
			continue
		}
		asked++
		var options map[string]string
		if err := json.Unmarshal([]byte(text), &options); err != nil {
			t.Fatalf("%s is no JSON object of texts", variable) // the error would quote it
		}
		if !strings.HasPrefix(options[core.OptionBucket], front) {
			t.Fatalf("%s: the name of the bucket must begin with %q, because all it holds is deleted", variable, front)
		}
		t.Run(info.Name, func(t *testing.T) {
			objstoretest.Run(t, func(t *testing.T) objstore.Bucket {
				b, err := d.Open(t.Context(), objstore.Config{ID: "live", Options: options})
				if err != nil {
					t.Fatal(err)
				}
				empty(t, b)
				t.Cleanup(func() {
					empty(t, b)
					b.Close()
				})
				return b
			}, objstoretest.Want{Features: info.Features, Limits: info.Limits, Signs: true, Types: true})
		})
	}
	if asked == 0 {
		t.Fatal("set PASTEPORT_LIVE_AWS, _R2, _B2 or _S3 to a JSON object of the options of a storage config; see docs/drivers.md")
	}
}

// empty deletes all objects and all uploads under way.
func empty(t *testing.T, b objstore.Bucket) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // it outlives the test
	defer cancel()
	for {
		page, err := b.List(ctx, objstore.ListQuery{Limit: objstore.MaxList})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Objects) == 0 {
			break
		}
		keys := make([]string, len(page.Objects))
		for i, o := range page.Objects {
			keys[i] = o.Key
		}
		if failed, err := b.Delete(ctx, keys...); err != nil || len(failed) > 0 {
			t.Fatalf("empty the bucket: %v, %v", failed, err)
		}
	}
	uploads, err := b.Multipart().ListUploads(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range uploads {
		if err := b.Multipart().Abort(ctx, u.Key, u.ID); err != nil {
			t.Fatal(err)
		}
	}
}
