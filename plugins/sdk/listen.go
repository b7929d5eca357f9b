package sdk

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// The driver's half of go-plugin's protocol. Its own Serve knows net/rpc too,
// which looks methods up by name and so makes the linker keep every exported
// method of the program (docs/adr/0011).

// Variables by which the host says how it wants to be served.
const (
	clientCertificate = "PLUGIN_CLIENT_CERT"
	socketFolder      = "PLUGIN_UNIX_SOCKET_DIR"
	multiplexed       = "PLUGIN_MULTIPLEX_GRPC"
)

// serve answers the host until it says that it needs us no longer. announce
// gets the line that tells the host where we are.
func serve(set plugin.PluginSet, announce io.Writer) error {
	if os.Getenv(Handshake.MagicCookieKey) != Handshake.MagicCookieValue {
		return errors.New("this program is a storage driver; the server starts it")
	}
	secured, certificate, err := secure(os.Getenv(clientCertificate))
	if err != nil {
		return err
	}
	listener, err := listen(os.Getenv(socketFolder))
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	// What a driver prints goes to the host as it is: these never say a word.
	silence, end := io.Pipe()
	defer func() { _ = end.Close() }()
	var calls *grpc.Server
	protocol := &plugin.GRPCServer{
		Plugins: set, TLS: secured, Stdout: silence, Stderr: silence, DoneCh: make(chan struct{}),
		Server: func(options []grpc.ServerOption) *grpc.Server {
			calls = NewGRPCServer(options)
			return calls
		},
	}
	if err := protocol.Init(); err != nil {
		return err
	}
	line := fmt.Sprintf("%d|%d|unix|%s|%s|%s", plugin.CoreProtocolVersion, Version, listener.Addr(), plugin.ProtocolGRPC, certificate)
	if os.Getenv(multiplexed) != "" {
		line += "|false"
	}
	if _, err := fmt.Fprintln(announce, line); err != nil {
		return err
	}
	return calls.Serve(listener)
}

// listen waits on a socket of its own, which only our user can reach.
func listen(folder string) (net.Listener, error) {
	file, err := os.CreateTemp(folder, "plugin")
	if err != nil {
		return nil, err
	}
	path := file.Name()
	if err := errors.Join(file.Close(), os.Remove(path)); err != nil {
		return nil, err
	}
	return net.Listen("unix", filepath.Clean(path))
}

// secure makes a certificate for this run and trusts that of the host alone.
// It returns ours as the host wants to read it. Without a host's certificate
// nothing is encrypted.
func secure(host string) (c *tls.Config, certificate string, err error) {
	if host == "" {
		return nil, "", nil
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(host)) {
		return nil, "", errors.New("the host's certificate cannot be read")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, "", err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, "", err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"}, SerialNumber: serial,
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().AddDate(30, 0, 0), // as long as a server may run
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true, IsCA: true, // the host trusts it alone
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, "", err
	}
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: trusted, RootCAs: trusted,
		MinVersion: tls.VersionTLS13, ServerName: "localhost",
	}, base64.RawStdEncoding.EncodeToString(der), nil
}
