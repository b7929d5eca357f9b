// Package webdav keeps objects as files on a WebDAV server (RFC 4918): a NAS,
// Nextcloud, a web server's folder. It speaks the few methods it needs over
// net/http itself, since the client libraries that there are read a body twice,
// fail on weak ETags, or know neither lengths nor ranges.
//
// It follows no redirect, so that credentials and files go to the configured
// host alone, and believes no address in an answer that does not lie in the
// folder it asked about.
package webdav

import (
	"context"
	"crypto/x509"
	"net/url"
	"time"

	"pasteport/plugins/filetree"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// Name is the driver's name in storage configs.
const Name = "webdav"

// Options of a storage config, by Field.Key.
const (
	OptionURL      = "url"
	OptionUser     = "username"
	OptionPassword = "password"
	OptionToken    = "token"
	OptionCA       = "ca"
)

// Driver opens folders of WebDAV servers.
type Driver struct {
	// Reach says where servers may be.
	Reach outbound.Reach
}

var _ objstore.Driver = Driver{}

// Info implements objstore.Driver.
func (Driver) Info(context.Context) (objstore.Info, error) { return About(), nil }

// About describes the driver.
func About() objstore.Info {
	return objstore.Info{
		Name: Name, Label: text("WebDAV", "WebDAV"), StorageType: "WEBDAV", Version: "1",
		Features: filetree.Features, Limits: filetree.Limits,
		Fields: []objstore.Field{
			{
				Key: OptionURL, Type: "url", Required: true, Label: text("Address of the folder", "文件夹地址"),
				Help: text("An existing folder, such as https://cloud.example.com/remote.php/dav/files/USER/pasteport. Over http:// the password travels readable.",
					"已存在的文件夹，例如 https://cloud.example.com/remote.php/dav/files/用户/pasteport。使用 http:// 时密码以明文传输。"),
			},
			{Key: OptionUser, Type: "text", Label: text("User name", "用户名")},
			{
				Key: OptionPassword, Type: "password", Secret: true, Label: text("Password", "密码"),
				Help: text("An app password, where the server has them. Stored encrypted and never shown again.", "如服务器支持，请使用应用专用密码。加密保存，不会再次显示。"),
			},
			{
				Key: OptionToken, Type: "password", Secret: true, Label: text("Bearer token", "Bearer 令牌"),
				Help: text("In place of user name and password.", "代替用户名和密码。"),
			},
			{
				Key: OptionCA, Type: "textarea", Label: text("Certificate authority (PEM)", "CA 证书（PEM）"),
				Help: text("For servers whose certificate only your own authority vouches for.", "用于由自建 CA 签发证书的服务器。"),
			},
		},
	}
}

// text is a label or a help in the two languages.
func text(en, zh string) map[string]string { return map[string]string{"en": en, "zh": zh} }

// Open implements objstore.Driver. The server is first asked by the first call.
func (d Driver) Open(_ context.Context, config objstore.Config) (objstore.Bucket, error) {
	o := config.Options
	base, err := url.Parse(o[OptionURL])
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, ports.InvalidInput("url_invalid", OptionURL)
	}
	c := &client{base: base, user: o[OptionUser], password: o[OptionPassword], token: o[OptionToken]}
	if c.token != "" && (c.user != "" || c.password != "") {
		return nil, ports.InvalidInput("field_invalid", OptionToken).Saying(text(
			"Either a token, or a user name and a password.", "令牌与用户名密码只能二选一。"))
	}
	var roots *x509.CertPool
	if o[OptionCA] != "" {
		if roots, err = x509.SystemCertPool(); err != nil {
			roots = x509.NewCertPool()
		}
		if !roots.AppendCertsFromPEM([]byte(o[OptionCA])) {
			return nil, ports.InvalidInput("field_invalid", OptionCA).Saying(text("This is no certificate in PEM form.", "不是 PEM 格式的证书。"))
		}
	}
	c.hurried, c.patient = transport(d.Reach, roots, answerTime), transport(d.Reach, roots, workTime)
	return filetree.New(files{c}, time.Now), nil
}
