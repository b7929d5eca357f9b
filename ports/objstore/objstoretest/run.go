// Package objstoretest runs the suite of objstore/conformance as tests of Go, and
// compares buckets with models of what they should hold. Tests of drivers call
// Run with a function that opens an empty bucket.
package objstoretest

import (
	"flag"
	"os"
	"testing"

	"pasteport/ports/objstore"
	"pasteport/ports/objstore/conformance"
)

// Want says what the bucket under test states of itself.
type Want = conformance.Want

// Run tests buckets made by open; each call opens an empty one and closes it
// with t.Cleanup. The models are compared 25 times, or 100 times when
// PASTEPORT_TEST_LONG is set, unless the flag -rapid.checks names a number.
func Run(t *testing.T, open func(t *testing.T) objstore.Bucket, want Want) {
	s := &conformance.Suite{Open: func(t conformance.T) objstore.Bucket { return open(t.(*testing.T)) }, Want: want}
	for _, c := range s.Cases() {
		t.Run(c.Name, func(t *testing.T) { c.Test(t) })
	}
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue && os.Getenv("PASTEPORT_TEST_LONG") == "" {
		if err := checks.Value.Set("25"); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("listing agrees with a model", func(t *testing.T) { listingModel(t, s) })
	t.Run("multipart agrees with a model", func(t *testing.T) { multipartModel(t, s) })
}
