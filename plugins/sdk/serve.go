package sdk

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Serve answers the host until it goes away. It sends what is logged with
// log/slog to the host and ends the process when the host dies.
func Serve(driver objstore.Driver) {
	slog.SetDefault(slog.New(newLogHandler(os.Stderr)))
	go watchHost(time.Second, func() { os.Exit(1) })
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: Handshake, VersionedPlugins: Plugins(driver), GRPCServer: NewGRPCServer,
		Logger: hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr, JSONFormat: true}),
	})
}

// callWorkers are goroutines that serve calls one after the other and keep the
// stacks that the first ones grew: the layers of an SDK need several times what a new
// goroutine has, and growing it was a third of a driver's processor time when eight
// callers had two workers. More calls than workers go beside them.
const callWorkers = 32

// NewGRPCServer makes a server on which a panic ends one call only.
func NewGRPCServer(options []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options,
		grpc.NumStreamWorkers(callWorkers),
		grpc.StaticStreamWindowSize(Window), grpc.StaticConnWindowSize(Window),
		grpc.UnaryInterceptor(recoverUnary), grpc.StreamInterceptor(recoverStream))...)
}

func recoverUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (answer any, err error) {
	defer recovered(info.FullMethod, &err)
	return next(ctx, req)
}

func recoverStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	defer recovered(info.FullMethod, &err)
	return next(srv, stream)
}

func recovered(method string, err *error) {
	if r := recover(); r != nil {
		slog.Error("panic in driver", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = toStatus(&ports.Error{Code: ports.Internal, Key: "internal", Cause: fmt.Errorf("panic: %v", r)})
	}
}

// watchHost calls gone once the process that started us is not our parent any
// more. It backs up the signal that Linux sends at the host's death.
func watchHost(every time.Duration, gone func()) {
	host, err := strconv.Atoi(os.Getenv(HostPID))
	if err != nil {
		host = os.Getppid()
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for range ticker.C {
		if os.Getppid() != host {
			gone()
			return
		}
	}
}

// newLogHandler writes the JSON lines of hclog, which the host reads.
func newLogHandler(w io.Writer) slog.Handler {
	return slog.NewJSONHandler(w, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) > 0 {
				return a
			}
			level, isLevel := a.Value.Any().(slog.Level)
			switch {
			case a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime:
				a.Key = "@timestamp"
			case a.Key == slog.LevelKey && isLevel:
				a = slog.String("@level", strings.ToLower(level.String()))
			case a.Key == slog.MessageKey:
				a.Key = "@message"
			}
			return a
		},
	})
}
