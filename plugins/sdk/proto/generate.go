// Package proto holds the protocol of storage drivers. The generated code is
// committed; "go generate" needs protoc and the plugins protoc-gen-go and
// protoc-gen-go-grpc in the path.
package proto

//go:generate protoc --go_out=storagev1 --go_opt=paths=source_relative --go-grpc_out=storagev1 --go-grpc_opt=paths=source_relative storage.proto
