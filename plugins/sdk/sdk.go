// Package sdk is the wire form of ports/objstore. A driver program calls Serve
// with its objstore.Driver and is done; the server side of Pasteport speaks to
// it through Client. Both ends live here so that neither can drift.
//
// Errors of type *ports.Error keep their code across the wire; every other
// error of a driver arrives as Internal. A panic in one call ends that call
// only.
package sdk

import (
	"context"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"pasteport/plugins/sdk/proto/storagev1"
	"pasteport/ports/objstore"
)

// Version is the protocol version that this package speaks.
const Version = 1

// PluginName is the name of the driver in the plugin set.
const PluginName = "driver"

// HostPID is the environment variable that tells a driver who started it.
const HostPID = "PASTEPORT_HOST_PID"

// PublicOnly is the environment variable that tells a driver to connect to
// public addresses only; see ports/outbound.
const PublicOnly = "PASTEPORT_PUBLIC_STORAGE_ONLY"

// Window is how many bytes one side sends before the other has taken any in. With a
// fixed one gRPC does not measure the line, which takes a ping for each answer; and a
// full listing fits.
const Window = 1 << 20

// Chunk is the size of the frames of Read and Write, in bytes. Larger ones
// gain nothing.
const Chunk = 256 << 10

// Handshake is what host and driver must agree on before anything else. It is
// no secret; it keeps people from starting a driver by hand.
var Handshake = plugin.HandshakeConfig{
	MagicCookieKey:   "PASTEPORT_DRIVER",
	MagicCookieValue: "5d4f0c5e-storage-driver",
}

// Plugins returns the plugin sets of the protocol versions spoken here, for
// both ends; the host passes a nil driver.
func Plugins(driver objstore.Driver) map[int]plugin.PluginSet {
	return map[int]plugin.PluginSet{Version: {PluginName: &grpcPlugin{driver: driver}}}
}

type grpcPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	driver objstore.Driver
}

var _ plugin.GRPCPlugin = (*grpcPlugin)(nil)

// GRPCServer implements plugin.GRPCPlugin on the driver's side.
func (p *grpcPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	storagev1.RegisterStorageDriverServer(s, newServer(p.driver))
	return nil
}

// GRPCClient implements plugin.GRPCPlugin on the host's side.
func (p *grpcPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return NewClient(conn), nil
}
