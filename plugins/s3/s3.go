// Package s3 keeps objects in any service that speaks the S3 protocol and has
// no driver of its own. It asks for little: single deletes, no versions.
package s3

import (
	"pasteport/plugins/s3/core"
	"pasteport/ports/objstore"
)

// Name is the driver's name in storage configs.
const Name = "s3"

// Driver returns the driver.
func Driver() core.Driver { return core.Driver{Profile: Profile()} }

// Profile is what is assumed of an unknown service.
func Profile() core.Profile {
	return core.Profile{
		Info: objstore.Info{
			Name: Name, Label: core.Text("S3-compatible storage", "S3 兼容存储"), StorageType: "S3", Version: "1",
			Features: core.Features, Limits: limits(), Fields: fields(),
		},
		Region: "us-east-1",
		Tries:  3,
	}
}

func limits() objstore.Limits {
	l := core.Limits
	l.MaxDeleteBatch = 1
	return l
}

func fields() []objstore.Field {
	fields := []objstore.Field{
		{
			Key: core.OptionEndpoint, Type: "url", Required: true, Label: core.Text("Endpoint", "端点 URL"),
			Help: core.Text("Address of the service, without the bucket: https://s3.example.com", "服务地址，不含存储桶：https://s3.example.com"),
		},
		core.FieldBucket(),
		{
			Key: core.OptionRegion, Type: "text", Label: core.Text("Region", "区域"),
			Help: core.Text("As the service names it; us-east-1 when empty.", "按服务商的名称填写；留空为 us-east-1。"),
		},
	}
	fields = append(fields, core.FieldsKeys(core.Text("With the right to list, read, write and delete in the bucket.", "需具有存储桶的列出、读取、写入和删除权限。"), true)...)
	return append(fields, core.FieldRootPrefix(), core.FieldPathStyle("1"))
}
