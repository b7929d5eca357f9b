// Package aws keeps objects in Amazon S3.
package aws

import (
	"pasteport/plugins/s3/core"
	"pasteport/ports/objstore"
)

// Name is the driver's name in storage configs.
const Name = "aws"

// Driver returns the driver.
func Driver() core.Driver { return core.Driver{Profile: Profile()} }

// Profile is what Amazon does in its own way: the bucket's name stands in the
// host, the region is looked up, and the machine may have credentials of its
// own.
func Profile() core.Profile {
	return core.Profile{
		Info: objstore.Info{
			Name: Name, Label: core.Text("Amazon S3", "Amazon S3"), StorageType: "S3", Version: "1",
			Features: core.Features, Limits: core.Limits, Fields: fields(),
		},
		Region:     "us-east-1",
		Endpoint:   func(_ map[string]string, region string) string { return "https://s3." + region + "." + domain(region) },
		RegionOf:   regionOf,
		FindRegion: true,
		BulkDelete: true,
		Tries:      3,
		Ambient:    ambient,
	}
}

func fields() []objstore.Field {
	fields := []objstore.Field{
		core.FieldBucket(),
		{
			Key: core.OptionRegion, Type: "text", Default: "us-east-1", Label: core.Text("Region", "区域"),
			Help: core.Text("For example eu-central-1. The bucket's own region is found when this one is wrong.", "例如 eu-central-1。填写有误时会自动查找存储桶所在区域。"),
		},
		{
			Key: core.OptionCredentials, Type: "select", Default: core.CredentialsKeys, Label: core.Text("Credentials", "凭证来源"),
			Help: core.Text("\"This server\" takes the role or environment of the machine.", "“本服务器”使用本机的角色或环境变量。"),
			Options: []objstore.Option{
				{Value: core.CredentialsKeys, Label: core.Text("Access key", "访问密钥")},
				{Value: core.CredentialsAmbient, Label: core.Text("This server", "本服务器")},
			},
		},
	}
	fields = append(fields, core.FieldsKeys(core.Text(
		"Of a user with s3:ListBucket, GetObject, PutObject, DeleteObject and the multipart rights on the bucket.",
		"该用户需具有存储桶的 s3:ListBucket、GetObject、PutObject、DeleteObject 及分片上传权限。",
	), false)...)
	return append(fields,
		objstore.Field{
			Key: core.OptionEndpoint, Type: "url", Label: core.Text("Endpoint", "端点 URL"),
			Help: core.Text("Made from the region when empty.", "留空则由区域生成。"),
		},
		core.FieldRootPrefix(),
		core.FieldPathStyle("0"),
	)
}
