package core_test

import (
	"fmt"
	"os"
	"testing"

	"pasteport/plugins/s3/s3test"
)

// cloud is the servers of this package's tests.
var cloud *s3test.Cloud

func TestMain(m *testing.M) {
	var err error
	if cloud, err = s3test.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := cloud.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
