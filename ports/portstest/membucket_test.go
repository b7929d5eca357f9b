package portstest_test

import (
	"net/http/httptest"
	"testing"

	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
	"pasteport/ports/portstest"
)

func TestMemoryBucketKeepsTheContract(t *testing.T) {
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket {
		b := portstest.NewBucket()
		server := httptest.NewServer(b)
		t.Cleanup(server.Close)
		b.BaseURL = server.URL
		return b
	}, objstoretest.Want{Features: portstest.MemoryFeatures, Signs: true, Types: true})
}
