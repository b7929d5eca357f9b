// Package r2 keeps objects in Cloudflare R2.
package r2

import (
	"pasteport/plugins/s3/core"
	"pasteport/ports/objstore"
)

// Name is the driver's name in storage configs.
const Name = "r2"

// Options of a storage config that only R2 has. They make the endpoint when the
// config names none.
const (
	OptionAccount      = "account_id"
	OptionJurisdiction = "jurisdiction"
)

// Driver returns the driver.
func Driver() core.Driver { return core.Driver{Profile: Profile()} }

// Profile is what R2 does in its own way: one region, parts of one size, and no
// object versions.
func Profile() core.Profile {
	return core.Profile{
		Info: objstore.Info{
			Name: Name, Label: core.Text("Cloudflare R2", "Cloudflare R2"), StorageType: "S3", Version: "1",
			Features: core.Features, Limits: limits(), Fields: fields(),
		},
		Region:   "auto",
		Endpoint: endpoint,
		Tries:    3,
	}
}

func limits() objstore.Limits {
	l := core.Limits
	l.EqualParts, l.MaxDeleteBatch = true, 1
	return l
}

// endpoint is the address of an account, in the jurisdiction its bucket was
// made in: any other answers that there is no such bucket.
func endpoint(o map[string]string, _ string) string {
	account := o[OptionAccount]
	if account == "" {
		return ""
	}
	if j := o[OptionJurisdiction]; j != "" && j != "default" {
		account += "." + j
	}
	return "https://" + account + ".r2.cloudflarestorage.com"
}

func fields() []objstore.Field {
	fields := []objstore.Field{
		{
			Key: OptionAccount, Type: "text", Label: core.Text("Account ID", "账户 ID"),
			Help: core.Text("From the R2 overview page. Not needed when an endpoint is given.", "见 R2 概览页。填写端点后无需填写。"),
		},
		{
			Key: OptionJurisdiction, Type: "select", Default: "default", Label: core.Text("Jurisdiction", "司法管辖区"),
			Help: core.Text("As chosen when the bucket was made.", "与创建存储桶时的选择一致。"),
			Options: []objstore.Option{
				{Value: "default", Label: core.Text("None", "无")},
				{Value: "eu", Label: core.Text("European Union", "欧盟")},
				{Value: "fedramp", Label: core.Text("FedRAMP", "FedRAMP")},
			},
		},
		{
			Key: core.OptionEndpoint, Type: "url", Label: core.Text("Endpoint", "端点 URL"),
			Help: core.Text("https://ACCOUNT.r2.cloudflarestorage.com; made from the account ID when empty.", "https://账户ID.r2.cloudflarestorage.com；留空则由账户 ID 生成。"),
		},
		core.FieldBucket(),
	}
	fields = append(fields, core.FieldsKeys(core.Text("Of an R2 API token with \"Object Read & Write\".", "具有“对象读和写”权限的 R2 API 令牌。"), true)...)
	return append(fields, core.FieldRootPrefix(), core.FieldPathStyle("0"))
}
