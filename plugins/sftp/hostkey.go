package sftp

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"pasteport/ports"
)

// pins are the host keys that a config trusts: whole keys, and fingerprints.
type pins struct {
	keys   []ssh.PublicKey
	prints []string // "SHA256:…"
}

var errPins = ports.InvalidInput("field_invalid", OptionHostKey).Saying(text(
	"A host key is a fingerprint that begins with SHA256:, or a line of known_hosts.", "主机密钥应为以 SHA256: 开头的指纹，或 known_hosts 的一行。"))

// parsePins reads lines: fingerprints, lines of known_hosts, or keys alone. The
// hosts in front of keys do not matter: the keys are for the host of the config.
func parsePins(lines string) (p pins, err error) {
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "SHA256:") {
			if len(line) != len("SHA256:")+43 || strings.ContainsAny(line, " \t") {
				return pins{}, errPins
			}
			p.prints = append(p.prints, line)
			continue
		}
		marker, _, key, _, _, err := ssh.ParseKnownHosts([]byte(line + "\n"))
		if err != nil {
			key, _, _, _, err = ssh.ParseAuthorizedKey([]byte(line))
		}
		if err != nil || marker != "" { // revoked keys, and authorities
			return pins{}, errPins
		}
		p.keys = append(p.keys, key)
	}
	return p, nil
}

// groups are the algorithms by the kind of key that they prove.
var groups = [][]string{
	{ssh.KeyAlgoED25519},
	{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521},
	{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
}

// asked are the groups to ask a server for, one after the other: of known keys
// theirs, else all, since a fingerprint does not tell its kind.
func (p pins) asked() [][]string {
	if len(p.prints) > 0 || len(p.keys) == 0 {
		return groups
	}
	var known []string
	for _, key := range p.keys {
		kind := key.Type()
		if kind == ssh.KeyAlgoRSA {
			kind = ssh.KeyAlgoRSASHA512
		}
		known = append(known, kind)
	}
	return slices.DeleteFunc(slices.Clone(groups), func(group []string) bool {
		return !slices.ContainsFunc(group, func(name string) bool { return slices.Contains(known, name) })
	})
}

// trusts reports whether a key is one of those that were entered.
func (p pins) trusts(key ssh.PublicKey) bool {
	return slices.Contains(p.prints, ssh.FingerprintSHA256(key)) ||
		slices.ContainsFunc(p.keys, func(known ssh.PublicKey) bool { return bytes.Equal(known.Marshal(), key.Marshal()) })
}

// seen are the keys that a server showed and nobody entered.
type seen []string

var errUntrusted = errors.New("the host key is not one that was entered")

// check is the callback of a handshake.
func (p pins) check(s *seen) ssh.HostKeyCallback {
	return func(_ string, _ net.Addr, key ssh.PublicKey) error {
		if p.trusts(key) {
			return nil
		}
		*s = append(*s, fmt.Sprintf("%s (%s)", ssh.FingerprintSHA256(key), key.Type()))
		return errUntrusted
	}
}

// refusal names what was found.
func (s seen) refusal(p pins) error {
	found := strings.Join(s, ", ")
	words := text("The server shows another host key than the one entered: "+found+". Connect only if you know why it changed.",
		"服务器的主机密钥与填写的不同："+found+"。请先确认更换原因。")
	if len(p.keys)+len(p.prints) == 0 {
		words = text("No host key is entered. The server shows "+found+". Compare it on the server and enter it.",
			"尚未填写主机密钥。服务器显示 "+found+"，请在服务器上核对后填写。")
	}
	return denied.Saying(words).With(errUntrusted)
}
