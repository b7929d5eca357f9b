package main

import (
	"testing"

	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
)

func TestTheDriverKeepsTheContract(t *testing.T) {
	info, err := driver{}.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	objstoretest.Run(t, func(*testing.T) objstore.Bucket { return newBucket() }, objstoretest.Want{
		Features: info.Features, Limits: info.Limits, Types: true,
	})
}
