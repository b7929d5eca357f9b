package core

import "pasteport/ports/objstore"

// Text is a label or a help in the two languages.
func Text(en, zh string) map[string]string { return map[string]string{"en": en, "zh": zh} }

// FieldBucket asks for the bucket.
func FieldBucket() objstore.Field {
	return objstore.Field{
		Key: OptionBucket, Type: "text", Required: true, Label: Text("Bucket", "存储桶"),
		Help: Text("The name of a bucket that exists already.", "已存在的存储桶名称。"),
	}
}

// FieldsKeys ask for the access key; help says where to find one.
func FieldsKeys(help map[string]string, required bool) []objstore.Field {
	return []objstore.Field{
		{Key: OptionAccessKey, Type: "text", Required: required, Secret: true, Label: Text("Access key ID", "访问密钥 ID"), Help: help},
		{
			Key: OptionSecretKey, Type: "password", Required: required, Secret: true, Label: Text("Secret access key", "私有访问密钥"),
			Help: Text("Stored encrypted and never shown again.", "加密保存，不会再次显示。"),
		},
	}
}

// FieldRootPrefix asks for the folder that mounts show. The server applies it;
// the driver sees whole keys.
func FieldRootPrefix() objstore.Field {
	return objstore.Field{
		Key: OptionRootPrefix, Type: "text", Label: Text("Root folder of mounts", "挂载根路径"),
		Help: Text(
			"Mounts show this folder of the bucket in place of all of it. Shared files are not moved by it.",
			"挂载点只显示存储桶中的此文件夹，留空则显示整个存储桶。不影响分享文件。",
		),
	}
}

// FieldPathStyle asks how the bucket is named in addresses.
func FieldPathStyle(standard string) objstore.Field {
	return objstore.Field{
		Key: OptionPathStyle, Type: "bool", Default: standard, Label: Text("Bucket in the path", "路径样式访问"),
		Help: Text(
			"On: endpoint/bucket/key. Off: bucket.endpoint/key. Most self-hosted services need it on.",
			"开启：端点/存储桶/对象；关闭：存储桶.端点/对象。多数自建服务需要开启。",
		),
	}
}
