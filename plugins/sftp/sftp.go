// Package sftp keeps objects as files of a server that one reaches by SSH: a NAS,
// a storage box, any machine with sshd. It connects to no server whose host key
// was not entered, and follows no symbolic link below the folder of a config.
package sftp

import (
	"context"
	"net"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"pasteport/plugins/filetree"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// Name is the driver's name in storage configs.
const Name = "sftp"

// Options of a storage config, by Field.Key.
const (
	OptionHost       = "host"
	OptionPort       = "port"
	OptionHostKey    = "host_key"
	OptionUser       = "username"
	OptionPassword   = "password"
	OptionPrivateKey = "private_key"
	OptionPassphrase = "passphrase"
	OptionDirectory  = "directory"
)

// Driver opens folders of SFTP servers.
type Driver struct {
	// Reach says where servers may be.
	Reach outbound.Reach
}

var _ objstore.Driver = Driver{}

// Info implements objstore.Driver.
func (Driver) Info(context.Context) (objstore.Info, error) { return About(), nil }

// About describes the driver.
func About() objstore.Info {
	features := filetree.Features
	features.Usage = true
	return objstore.Info{
		Name: Name, Label: text("SFTP (SSH)", "SFTP (SSH)"), StorageType: "SFTP", Version: "1",
		Features: features, Limits: filetree.Limits,
		Fields: []objstore.Field{
			{Key: OptionHost, Type: "text", Required: true, Label: text("Host", "主机"), Help: text("A name or an address.", "主机名或地址。")},
			{Key: OptionPort, Type: "number", Default: "22", Label: text("Port", "端口")},
			{
				Key: OptionHostKey, Type: "textarea", Label: text("Host key", "主机密钥"),
				Help: text("A fingerprint (SHA256:…) or lines of known_hosts. Without it nothing is sent; the test then names the key that it found, to be compared on the server.",
					"指纹（SHA256:…）或 known_hosts 的行。留空时不会连接；测试会显示发现的密钥，请在服务器上核对。"),
			},
			{Key: OptionUser, Type: "text", Required: true, Label: text("User name", "用户名")},
			{
				Key: OptionPassword, Type: "password", Secret: true, Label: text("Password", "密码"),
				Help: text("A password, a private key, or both. Stored encrypted and never shown again.", "填写密码、私钥或两者。加密保存，不会再次显示。"),
			},
			{
				Key: OptionPrivateKey, Type: "textarea", Secret: true, Label: text("Private key", "私钥"),
				Help: text("As in ~/.ssh/id_ed25519, from BEGIN to END.", "与 ~/.ssh/id_ed25519 相同，从 BEGIN 到 END。"),
			},
			{Key: OptionPassphrase, Type: "password", Secret: true, Label: text("Passphrase of the key", "私钥口令")},
			{
				Key: OptionDirectory, Type: "text", Label: text("Folder", "文件夹"),
				Help: text("An existing folder: absolute, or below the folder where a sign-in begins.", "已存在的文件夹：绝对路径，或相对于登录后的目录。"),
			},
		},
	}
}

// text is a label or a help in the two languages.
func text(en, zh string) map[string]string { return map[string]string{"en": en, "zh": zh} }

// Open implements objstore.Driver. The server is first asked by the first call.
func (d Driver) Open(_ context.Context, config objstore.Config) (objstore.Bucket, error) {
	o := config.Options
	s := &server{reach: d.Reach, user: o[OptionUser], turn: make(chan struct{}, 1)}
	port := o[OptionPort]
	if port == "" {
		port = "22"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, ports.InvalidInput("number_invalid", OptionPort)
	}
	host := strings.Trim(o[OptionHost], "[]")
	for key, value := range map[string]string{OptionHost: host, OptionUser: s.user} {
		if value == "" {
			return nil, ports.InvalidInput("field_required", key)
		}
	}
	if strings.ContainsAny(host, "/@ \t\n") {
		return nil, ports.InvalidInput("field_invalid", OptionHost)
	}
	s.address = net.JoinHostPort(host, port)
	var err error
	if s.pins, err = parsePins(o[OptionHostKey]); err != nil {
		return nil, err
	}
	if s.auth, err = signIn(o); err != nil {
		return nil, err
	}
	return filetree.New(&files{s, folder(o[OptionDirectory])}, time.Now), nil
}

// folder is what stands before the names of files: "", or a path that ends in "/".
func folder(directory string) string {
	switch directory = path.Clean(directory); directory {
	case ".":
		return ""
	case "/":
		return "/"
	}
	return directory + "/"
}

// signIn are the ways to sign in, a key before a password.
func signIn(o map[string]string) (methods []ssh.AuthMethod, err error) {
	if pem := o[OptionPrivateKey]; pem != "" {
		var signer ssh.Signer
		if phrase := o[OptionPassphrase]; phrase != "" {
			signer, err = ssh.ParsePrivateKeyWithPassphrase([]byte(pem+"\n"), []byte(phrase))
		} else {
			signer, err = ssh.ParsePrivateKey([]byte(pem + "\n"))
		}
		if err != nil {
			return nil, ports.InvalidInput("field_invalid", OptionPrivateKey).Saying(text(
				"This private key cannot be read, or its passphrase is missing or wrong.", "无法读取此私钥，或口令缺失、不正确。"))
		}
		methods = append(methods, ssh.PublicKeys(signer))
	}
	if password := o[OptionPassword]; password != "" {
		answers := func(_, _ string, questions []string, echos []bool) ([]string, error) {
			given := make([]string, len(questions))
			for i := range given {
				if !echos[i] {
					given[i] = password
				}
			}
			return given, nil
		}
		methods = append(methods, ssh.Password(password), ssh.KeyboardInteractive(answers))
	}
	if len(methods) == 0 {
		return nil, ports.InvalidInput("field_required", OptionPassword).Saying(text("Enter a password or a private key.", "请填写密码或私钥。"))
	}
	return methods, nil
}
