package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

// certificate writes a certificate for 127.0.0.1 that ends at a time, and its key.
// It is its own authority.
func certificate(t *testing.T, dir, name string, ends time.Time) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(ends.Unix()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-30 * 24 * time.Hour), NotAfter: ends,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	raw, err := x509.CreateCertificate(rand.Reader, of, of, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	if err := errors.Join(os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o644),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600)); err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// Each way in which an nginx of many sites is set up wrongly is named, and one
// that is set up well is found fine.
func TestTheDoctorNamesWhatARealNginxDoesWrong(t *testing.T) {
	root := t.TempDir()
	to := portstest.FreeAddress(t)
	soon, soonKey := certificate(t, root, "soon", time.Now().Add(2*24*time.Hour))
	over, overKey := certificate(t, root, "over", time.Now().Add(-24*time.Hour))
	good, goodKey := certificate(t, root, "good", time.Now().Add(300*24*time.Hour))
	streams := "client_max_body_size 0; proxy_request_buffering off; proxy_http_version 1.1; proxy_set_header Host $http_host;"
	trusted := streams + " proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto $scheme;"
	secured := func(cert, key string) string {
		return fmt.Sprintf("ssl_certificate %s; ssl_certificate_key %s; ", cert, key)
	}
	var servers string
	cases := []struct{ name, found, level, scheme, conf string }{
		{"as it should be", "address.fine", "ok", "http", trusted},
		{"the default", "proxy.body", "problem", "http", ""},
		{"buffers bodies", "proxy.buffers", "warning", "http", "client_max_body_size 0; proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header Host $http_host;"},
		{"drops a header", "proxy.headers", "problem", "http", trusted + ` proxy_set_header Destination "";`},
		{"refuses methods", "proxy.methods", "warning", "http", trusted + ` if ($request_method !~ ^(GET|HEAD|POST|PUT|DELETE|OPTIONS)$) { return 405; }`},
		{"passes what clients claim", "proxy.forged", "problem", "http", streams},
		{"tells nothing of TLS", "proxy.untrusted", "problem", "https", secured(good, goodKey) + streams + " proxy_set_header X-Forwarded-For $remote_addr;"},
		{"a certificate that ends", "tls.ends", "problem", "https", secured(soon, soonKey) + trusted},
		{"a certificate that is over", "tls.invalid", "problem", "https", secured(over, overKey) + trusted},
		{"TLS as it should be", "address.fine", "ok", "https", secured(good, goodKey) + trusted},
	}
	addresses := make([]string, len(cases))
	for i, c := range cases {
		at := portstest.FreeAddress(t)
		addresses[i] = c.scheme + "://" + at
		tls := ""
		if c.scheme == "https" {
			tls = " ssl"
		}
		servers += fmt.Sprintf(" server { listen %s%s; %s location / { proxy_pass http://%s; } }\n", at, tls, c.conf, to)
	}
	conf := filepath.Join(root, "nginx.conf")
	text := fmt.Sprintf(`daemon off; worker_processes 1; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 256; }
http { access_log off; client_body_temp_path %[1]s; proxy_temp_path %[1]s; fastcgi_temp_path %[1]s; uwsgi_temp_path %[1]s; scgi_temp_path %[1]s;
%[2]s}`, root, servers)
	if os.Getuid() == 0 {
		text = "user root; " + text
	}
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	nginx := exec.Command("nginx", "-c", conf, "-p", root, "-e", filepath.Join(root, "error.log"))
	if err := nginx.Start(); err != nil {
		t.Fatalf("nginx: %v (install it with: .ci/need nginx)", err)
	}
	t.Cleanup(func() {
		_ = nginx.Process.Signal(os.Interrupt)
		_ = nginx.Wait()
	})
	roots := filepath.Join(root, "roots.pem")
	var all []byte
	for _, cert := range []string{soon, over, good} {
		raw, err := os.ReadFile(cert)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw...)
	}
	if err := os.WriteFile(roots, all, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			portstest.Eventually(t, func() bool {
				conn, err := net.Dial("tcp", addresses[i][len(c.scheme)+3:])
				if err == nil {
					err = conn.Close()
				}
				return err == nil
			})
			p := launch(t, t.TempDir(), "PASTEPORT_LISTEN="+to, "PASTEPORT_PUBLIC_URL="+addresses[i], "PASTEPORT_TRUSTED_PROXIES=127.0.0.1", "SSL_CERT_FILE="+roots, "SSL_CERT_DIR="+root)
			p.url = "http://" + to
			p.waitReady()
			r, levels := examined(t, p.admin())
			if levels[c.found] != c.level {
				t.Errorf("%s is %q, want %q: %+v", c.found, levels[c.found], c.level, r.Findings)
			}
			if fine := levels["address.fine"] == "ok"; fine != (c.level == "ok") {
				t.Errorf("the address is fine: %t: %+v", fine, r.Findings)
			}
			p.stop()
		})
	}
}
