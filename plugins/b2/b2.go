// Package b2 keeps objects in Backblaze B2 by its S3 interface.
package b2

import (
	"strings"

	"pasteport/plugins/s3/core"
	"pasteport/ports/objstore"
)

// Name is the driver's name in storage configs.
const Name = "b2"

// Driver returns the driver.
func Driver() core.Driver { return core.Driver{Profile: Profile()} }

// Profile is what B2 does in its own way: every bucket keeps old versions and
// the region stands in the endpoint. Conditional writes are not offered, and
// rules that let browsers upload are set by Backblaze's own tool, not by S3.
func Profile() core.Profile {
	return core.Profile{
		Info: objstore.Info{
			Name: Name, Label: core.Text("Backblaze B2", "Backblaze B2"), StorageType: "S3", Version: "1",
			Features: features(), Limits: limits(), Fields: fields(),
		},
		Region:   "us-west-004",
		Endpoint: func(_ map[string]string, region string) string { return "https://s3." + region + ".backblazeb2.com" },
		RegionOf: regionOf,
		Versions: true,
		Tries:    4,
	}
}

func features() objstore.Features {
	f := core.Features
	f.VersionedDelete, f.ConditionalWrite, f.CORSAdmin = true, false, false
	return f
}

func limits() objstore.Limits {
	l := core.Limits
	l.MaxDeleteBatch = 1
	return l
}

// regionOf takes the second label of s3.REGION.backblazeb2.com.
func regionOf(host string) string {
	if region, ok := strings.CutSuffix(host, ".backblazeb2.com"); ok {
		return region[strings.LastIndexByte(region, '.')+1:]
	}
	return ""
}

func fields() []objstore.Field {
	fields := []objstore.Field{
		{
			Key: core.OptionEndpoint, Type: "url", Label: core.Text("Endpoint", "端点 URL"),
			Help: core.Text("As on the bucket's page: https://s3.REGION.backblazeb2.com", "见存储桶页面：https://s3.区域.backblazeb2.com"),
		},
		core.FieldBucket(),
		{
			Key: core.OptionRegion, Type: "text", Label: core.Text("Region", "区域"),
			Help: core.Text("Read from the endpoint when empty, for example us-west-004.", "留空则取自端点，例如 us-west-004。"),
		},
	}
	fields = append(fields, core.FieldsKeys(core.Text(
		"An application key, not the master key. A key for one bucket also needs \"allow listing all bucket names\".",
		"使用应用密钥，不能用主密钥。限定单个存储桶的密钥还需勾选“允许列出所有存储桶名称”。",
	), true)...)
	return append(fields,
		objstore.Field{
			Key: core.OptionDelete, Type: "select", Default: core.DeletePurge, Label: core.Text("Deleting", "删除方式"),
			Help: core.Text("B2 keeps old versions and bills them until they are removed.", "B2 会保留旧版本，删除前持续计费。"),
			Options: []objstore.Option{
				{Value: core.DeletePurge, Label: core.Text("Remove all versions", "删除所有版本")},
				{Value: core.DeleteHide, Label: core.Text("Only hide the file", "仅隐藏文件")},
			},
		},
		core.FieldRootPrefix(),
		core.FieldPathStyle("0"),
	)
}
