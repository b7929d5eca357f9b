package sdk

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"pasteport/plugins/sdk/proto/storagev1"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Client speaks to one driver process. It is safe for concurrent use. Errors
// carry the driver's code; Lost tells those that came from losing the process.
type Client struct {
	rpc    storagev1.StorageDriverClient
	health grpc_health_v1.HealthClient
}

// NewClient speaks over conn, which the caller closes.
func NewClient(conn *grpc.ClientConn) *Client {
	return &Client{rpc: storagev1.NewStorageDriverClient(conn), health: grpc_health_v1.NewHealthClient(conn)}
}

// Ping asks whether the process answers.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: plugin.GRPCServiceName})
	return fromStatus(err)
}

// Info describes the driver.
func (c *Client) Info(ctx context.Context) (objstore.Info, error) {
	d, err := c.rpc.Describe(ctx, &storagev1.DescribeRequest{})
	if err != nil {
		return objstore.Info{}, fromStatus(err)
	}
	return fromDescription(d), nil
}

// Open hands config with its secrets to the driver.
func (c *Client) Open(ctx context.Context, config objstore.Config) (*Handle, error) {
	answer, err := c.rpc.Open(ctx, &storagev1.OpenRequest{ConfigId: config.ID, Options: config.Options})
	if err != nil {
		return nil, fromStatus(err)
	}
	return &Handle{rpc: c.rpc, id: answer.GetHandle(), Endpoints: answer.GetEndpoints()}, nil
}

// Handle is a config that the driver has opened. Methods mean what those of
// objstore.Bucket and objstore.Multipart mean.
type Handle struct {
	rpc storagev1.StorageDriverClient
	id  string
	// Endpoints are the hosts that the driver says its links lead to. They are
	// the driver's word, no more.
	Endpoints []string
}

// Close forgets the handle in the driver.
func (h *Handle) Close(ctx context.Context) error {
	_, err := h.rpc.Close(ctx, &storagev1.CloseRequest{Handle: h.id})
	return fromStatus(err)
}

// Stat is objstore.Bucket.Stat.
func (h *Handle) Stat(ctx context.Context, key string) (objstore.Object, error) {
	return entryOf(h.rpc.Stat(ctx, &storagev1.StatRequest{Handle: h.id, Key: []byte(key)}))
}

func entryOf(e *storagev1.Entry, err error) (objstore.Object, error) {
	if err != nil {
		return objstore.Object{}, fromStatus(err)
	}
	return fromEntry(e)
}

// List is objstore.Bucket.List.
func (h *Handle) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	answer, err := h.rpc.List(ctx, &storagev1.ListRequest{
		Handle: h.id, Prefix: []byte(q.Prefix), Delimiter: []byte(q.Delimiter), Token: []byte(q.Token), Limit: int32(q.Limit),
	})
	if err != nil {
		return objstore.ListPage{}, fromStatus(err)
	}
	objects, err := fromEntries(answer.GetEntries())
	if err != nil {
		return objstore.ListPage{}, err
	}
	page := objstore.ListPage{Objects: objects, Next: string(answer.GetNext())}
	for _, p := range answer.GetPrefixes() {
		page.Prefixes = append(page.Prefixes, string(p))
	}
	return page, nil
}

// Link is where the bytes of an object are: a request to send, or a file.
type Link struct {
	Signed *objstore.SignedRequest
	Local  *LocalFile
}

// LocalFile is a file of this machine, by the driver's word.
type LocalFile struct {
	Root   string // absolute
	Path   string // below Root
	Object objstore.Object
}

// Link asks for a link. It is the driver's word: the caller checks it.
func (h *Handle) Link(ctx context.Context, r objstore.SignRequest) (Link, error) {
	answer, err := h.rpc.Link(ctx, toLinkRequest(h.id, r))
	if err != nil {
		return Link{}, fromStatus(err)
	}
	if local := answer.GetLocal(); local != nil {
		o, err := fromEntry(local.GetEntry())
		return Link{Local: &LocalFile{Root: string(local.GetRoot()), Path: string(local.GetPath()), Object: o}}, err
	}
	header := http.Header{}
	for _, h := range answer.GetHttp().GetHeaders() {
		header.Add(h.GetName(), h.GetValue())
	}
	return Link{Signed: &objstore.SignedRequest{
		Method: answer.GetHttp().GetMethod(), URL: answer.GetHttp().GetUrl(), Header: header,
		Expires: time.UnixMilli(answer.GetExpiresUnixMs()).UTC(),
	}}, nil
}

// Delete is objstore.Bucket.Delete.
func (h *Handle) Delete(ctx context.Context, keys ...string) (map[string]error, error) {
	req := &storagev1.DeleteRequest{Handle: h.id}
	for _, k := range keys {
		req.Keys = append(req.Keys, []byte(k))
	}
	answer, err := h.rpc.Delete(ctx, req)
	if err != nil {
		return nil, fromStatus(err)
	}
	failed := map[string]error{}
	for _, f := range answer.GetFailures() {
		failed[string(f.GetKey())] = fromWireError(f.GetError())
	}
	return failed, nil
}

// Copy is objstore.Bucket.Copy.
func (h *Handle) Copy(ctx context.Context, dst, src string) (objstore.Object, error) {
	return entryOf(h.rpc.Copy(ctx, &storagev1.CopyRequest{Handle: h.id, Destination: []byte(dst), Source: []byte(src)}))
}

// Usage is objstore.Bucket.Usage.
func (h *Handle) Usage(ctx context.Context) (objstore.Usage, error) {
	u, err := h.rpc.Usage(ctx, &storagev1.UsageRequest{Handle: h.id})
	if err != nil {
		return objstore.Usage{}, fromStatus(err)
	}
	return objstore.Usage{Used: u.GetUsed(), Free: u.GetFree(), Count: u.GetCount()}, nil
}

// EnsureCORS is objstore.CORSAdmin.EnsureCORS.
func (h *Handle) EnsureCORS(ctx context.Context, origins []string) error {
	_, err := h.rpc.EnsureCors(ctx, &storagev1.EnsureCorsRequest{Handle: h.id, Origins: origins})
	return fromStatus(err)
}

// Create is objstore.Multipart.Create.
func (h *Handle) Create(ctx context.Context, key string, o objstore.WriteOptions) (string, error) {
	answer, err := h.rpc.CreateMultipart(ctx, &storagev1.CreateMultipartRequest{
		Handle: h.id, Key: []byte(key), ContentType: o.ContentType, Size: o.Size, IfNoneMatch: o.IfNoneMatch,
	})
	return answer.GetUploadId(), fromStatus(err)
}

// ListUploads is objstore.Multipart.ListUploads.
func (h *Handle) ListUploads(ctx context.Context, prefix string) ([]objstore.Upload, error) {
	answer, err := h.rpc.ListMultipart(ctx, &storagev1.ListMultipartRequest{Handle: h.id, Prefix: []byte(prefix)})
	if err != nil {
		return nil, fromStatus(err)
	}
	var uploads []objstore.Upload
	for _, u := range answer.GetUploads() {
		uploads = append(uploads, objstore.Upload{Key: string(u.GetKey()), ID: u.GetUploadId(), Initiated: time.UnixMilli(u.GetInitiatedUnixMs()).UTC()})
	}
	return uploads, nil
}

// ListParts is objstore.Multipart.ListParts.
func (h *Handle) ListParts(ctx context.Context, key, uploadID string) ([]objstore.Part, error) {
	answer, err := h.rpc.ListParts(ctx, &storagev1.ListPartsRequest{Handle: h.id, Key: []byte(key), UploadId: uploadID})
	if err != nil {
		return nil, fromStatus(err)
	}
	var parts []objstore.Part
	for _, p := range answer.GetParts() {
		parts = append(parts, fromPart(p))
	}
	return parts, nil
}

// Complete is objstore.Multipart.Complete.
func (h *Handle) Complete(ctx context.Context, key, uploadID string, parts []objstore.Part) (objstore.Object, error) {
	req := &storagev1.CompleteMultipartRequest{Handle: h.id, Key: []byte(key), UploadId: uploadID}
	for _, p := range parts {
		req.Parts = append(req.Parts, toPart(p))
	}
	return entryOf(h.rpc.CompleteMultipart(ctx, req))
}

// Abort is objstore.Multipart.Abort.
func (h *Handle) Abort(ctx context.Context, key, uploadID string) error {
	_, err := h.rpc.AbortMultipart(ctx, &storagev1.AbortMultipartRequest{Handle: h.id, Key: []byte(key), UploadId: uploadID})
	return fromStatus(err)
}

// Read streams an object out of a driver with Features.Stream.
func (h *Handle) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	ctx, cancel := context.WithCancel(ctx)
	body, err := h.startRead(ctx, cancel, key, r)
	if err != nil {
		cancel()
		return nil, fromStatus(err)
	}
	return body, nil
}

func (h *Handle) startRead(ctx context.Context, cancel func(), key string, r objstore.Range) (*objstore.Body, error) {
	stream, err := h.rpc.Read(ctx, &storagev1.ReadRequest{
		Handle: h.id, Key: []byte(key), Offset: r.Offset, Length: r.Length, IfMatch: r.IfMatch,
	})
	if err != nil {
		return nil, err
	}
	first, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	o, err := fromEntry(first.GetHead().GetEntry())
	if err != nil {
		return nil, err
	}
	offset, length := first.GetHead().GetOffset(), first.GetHead().GetLength()
	return &objstore.Body{ReadCloser: &streamBody{stream: stream, cancel: cancel, left: length}, Object: o, Offset: offset, Length: length}, nil
}

type streamBody struct {
	stream grpc.ServerStreamingClient[storagev1.ReadFrame]
	cancel func()
	rest   []byte
	left   int64 // bytes still promised
}

func (b *streamBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		frame, err := b.stream.Recv()
		if err == io.EOF && b.left > 0 {
			return 0, io.ErrUnexpectedEOF
		}
		if err == io.EOF {
			return 0, io.EOF
		}
		if err != nil {
			return 0, fromStatus(err)
		}
		b.rest = frame.GetChunk()
		b.left -= int64(len(b.rest))
		if b.left < 0 {
			return 0, &ports.Error{Code: ports.BadGateway, Key: "storage_unavailable", Text: "driver_answer_invalid"}
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *streamBody) Close() error {
	b.cancel()
	return nil
}

// Write streams an object into a driver with Features.Stream.
func (h *Handle) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	answer, err := h.write(ctx, body, &storagev1.WriteHead{
		Handle: h.id, Key: []byte(key), Size: o.Size, ContentType: o.ContentType, IfNoneMatch: o.IfNoneMatch,
	})
	if err != nil {
		return objstore.Object{}, err
	}
	return fromEntry(answer.GetEntry())
}

// WritePart streams a part into a driver with Features.Stream.
func (h *Handle) WritePart(ctx context.Context, key, uploadID string, number int, body io.Reader, size int64) (objstore.Part, error) {
	if uploadID == "" {
		return objstore.Part{}, objstore.ErrNoUpload
	}
	answer, err := h.write(ctx, body, &storagev1.WriteHead{
		Handle: h.id, Key: []byte(key), Size: size, UploadId: uploadID, PartNumber: int32(number),
	})
	return fromPart(answer.GetPart()), err
}

func (h *Handle) write(ctx context.Context, body io.Reader, head *storagev1.WriteHead) (*storagev1.WriteResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a stream cut here stores nothing
	stream, err := h.rpc.Write(ctx)
	if err != nil {
		return nil, fromStatus(err)
	}
	err = stream.Send(&storagev1.WriteFrame{Frame: &storagev1.WriteFrame_Head{Head: head}})
	if err == nil {
		err = receiveAll(body, stream)
	}
	if err != nil && !errors.Is(err, errDriverAnswered) {
		return nil, fromStatus(err)
	}
	answer, err := stream.CloseAndRecv()
	return answer, fromStatus(err)
}

// errDriverAnswered means that the driver did not wait for the whole body.
var errDriverAnswered = errors.New("the driver has answered")

func receiveAll(body io.Reader, stream grpc.ClientStreamingClient[storagev1.WriteFrame, storagev1.WriteResponse]) error {
	buf := make([]byte, Chunk)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if sendErr := stream.Send(&storagev1.WriteFrame{Frame: &storagev1.WriteFrame_Chunk{Chunk: buf[:n]}}); sendErr == io.EOF {
				return errDriverAnswered
			} else if sendErr != nil {
				return sendErr
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	err := stream.Send(&storagev1.WriteFrame{Frame: &storagev1.WriteFrame_End{End: &storagev1.WriteEnd{}}})
	if err == io.EOF {
		return errDriverAnswered
	}
	return err
}
