// Command template is a storage driver in a Go module of its own: copy this
// folder, rename it, and change what opens the bucket. It keeps objects in
// memory, so that there is nothing to set up.
package main

import (
	"context"

	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

func main() { sdk.Serve(driver{}) }

type driver struct{}

// errSpace is what the operator reads in the form and in the storage test.
var errSpace = ports.InvalidInput("field_invalid", "space").Saying(map[string]string{
	"en": "A space is named with small letters.", "zh": "空间名称只能使用小写字母。",
})

// Info implements objstore.Driver. The name is also that of the program's file.
func (driver) Info(context.Context) (objstore.Info, error) {
	return objstore.Info{
		Name: "template", StorageType: "TEMPLATE", Version: "0.1.0",
		Label:    map[string]string{"en": "Template (memory)", "zh": "模板（内存）"},
		Features: objstore.Features{Stream: true, Range: true, ServerCopy: true, ConditionalWrite: true},
		Fields: []objstore.Field{
			{Key: "space", Type: "text", Required: true, Label: map[string]string{"en": "Space", "zh": "空间"}},
			{Key: "private_key", Type: "textarea", Secret: true, Label: map[string]string{"en": "Private key", "zh": "私钥"}},
		},
	}, nil
}

// Open implements objstore.Driver.
func (driver) Open(_ context.Context, config objstore.Config) (objstore.Bucket, error) {
	for _, c := range config.Options["space"] {
		if c < 'a' || c > 'z' {
			return nil, errSpace
		}
	}
	return newBucket(), nil
}
