package sdk

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"pasteport/plugins/sdk/proto/storagev1"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Endpointer is implemented by buckets whose links lead to hosts that do not
// stand in the config, such as those of a provider's regions.
type Endpointer interface {
	// Endpoints returns hosts, with the port when it is not the usual one.
	Endpoints() []string
}

// server answers the protocol for one driver; each handle is an open bucket.
type server struct {
	storagev1.UnimplementedStorageDriverServer
	driver objstore.Driver

	mu      sync.RWMutex
	buckets map[string]objstore.Bucket
}

func newServer(driver objstore.Driver) *server {
	return &server{driver: driver, buckets: map[string]objstore.Bucket{}}
}

func (s *server) bucket(handle string) (objstore.Bucket, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if b, ok := s.buckets[handle]; ok {
		return b, nil
	}
	unknown, err := status.New(codes.Unknown, "unknown handle").WithDetails(&storagev1.DriverError{
		Code: storagev1.Code_UNAVAILABLE, ProviderCode: unknownHandle, Message: "unknown handle", Retryable: true,
	})
	if err != nil {
		return nil, err
	}
	return nil, unknown.Err()
}

func (s *server) multipart(handle string) (objstore.Multipart, error) {
	b, err := s.bucket(handle)
	if err != nil {
		return nil, err
	}
	if m := b.Multipart(); m != nil {
		return m, nil
	}
	return nil, objstore.ErrUnsupported
}

func (s *server) Describe(ctx context.Context, _ *storagev1.DescribeRequest) (*storagev1.DescribeResponse, error) {
	info, err := s.driver.Info(ctx)
	if err != nil {
		return nil, toStatus(err)
	}
	return toDescription(info), nil
}

func (s *server) Open(ctx context.Context, req *storagev1.OpenRequest) (*storagev1.OpenResponse, error) {
	b, err := s.driver.Open(ctx, objstore.Config{ID: req.GetConfigId(), Options: req.GetOptions()})
	if err != nil {
		return nil, toStatus(err)
	}
	handle := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buckets[handle] = b
	answer := &storagev1.OpenResponse{Handle: handle}
	if e, ok := b.(Endpointer); ok {
		answer.Endpoints = e.Endpoints()
	}
	return answer, nil
}

func (s *server) Close(_ context.Context, req *storagev1.CloseRequest) (*storagev1.CloseResponse, error) {
	s.mu.Lock()
	b, ok := s.buckets[req.GetHandle()]
	delete(s.buckets, req.GetHandle())
	s.mu.Unlock()
	if ok {
		return &storagev1.CloseResponse{}, toStatus(b.Close())
	}
	return &storagev1.CloseResponse{}, nil
}

func (s *server) Stat(ctx context.Context, req *storagev1.StatRequest) (*storagev1.Entry, error) {
	b, err := s.bucket(req.GetHandle())
	if err != nil {
		return nil, err
	}
	o, err := b.Stat(ctx, string(req.GetKey()))
	if err != nil {
		return nil, toStatus(err)
	}
	return toEntry(o), nil
}

func (s *server) List(ctx context.Context, req *storagev1.ListRequest) (*storagev1.ListResponse, error) {
	b, err := s.bucket(req.GetHandle())
	if err != nil {
		return nil, err
	}
	page, err := b.List(ctx, objstore.ListQuery{
		Prefix: string(req.GetPrefix()), Delimiter: string(req.GetDelimiter()), Token: string(req.GetToken()), Limit: int(req.GetLimit()),
	})
	if err != nil {
		return nil, toStatus(err)
	}
	answer := &storagev1.ListResponse{Next: []byte(page.Next), Entries: toEntries(page.Objects)}
	for _, p := range page.Prefixes {
		answer.Prefixes = append(answer.Prefixes, []byte(p))
	}
	return answer, nil
}

func (s *server) Link(ctx context.Context, req *storagev1.LinkRequest) (*storagev1.LinkResponse, error) {
	b, err := s.bucket(req.GetHandle())
	if err != nil {
		return nil, err
	}
	r := fromLinkRequest(req)
	if local, ok := b.(objstore.LocalNamer); ok && r.Verb == objstore.VerbGet && r.Audience == objstore.Server {
		root, name, o, err := local.LocalFile(ctx, r.Key)
		if err != nil {
			return nil, toStatus(err)
		}
		return &storagev1.LinkResponse{Link: &storagev1.LinkResponse_Local{
			Local: &storagev1.LocalFile{Root: []byte(root), Path: []byte(name), Entry: toEntry(o)},
		}}, nil
	}
	signed, err := b.Sign(ctx, r)
	if err != nil {
		return nil, toStatus(err)
	}
	link := &storagev1.HttpLink{Method: signed.Method, Url: signed.URL}
	for name, values := range signed.Header {
		for _, v := range values {
			link.Headers = append(link.Headers, &storagev1.Header{Name: name, Value: v})
		}
	}
	return &storagev1.LinkResponse{Link: &storagev1.LinkResponse_Http{Http: link}, ExpiresUnixMs: signed.Expires.UnixMilli()}, nil
}

func (s *server) Delete(ctx context.Context, req *storagev1.DeleteRequest) (*storagev1.DeleteResponse, error) {
	b, err := s.bucket(req.GetHandle())
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(req.GetKeys()))
	for i, k := range req.GetKeys() {
		keys[i] = string(k)
	}
	failed, err := b.Delete(ctx, keys...)
	if err != nil {
		return nil, toStatus(err)
	}
	answer := &storagev1.DeleteResponse{}
	for key, err := range failed {
		answer.Failures = append(answer.Failures, &storagev1.DeleteFailure{Key: []byte(key), Error: toWireError(err)})
	}
	return answer, nil
}

func (s *server) Copy(ctx context.Context, req *storagev1.CopyRequest) (*storagev1.Entry, error) {
	b, err := s.bucket(req.GetHandle())
	if err != nil {
		return nil, err
	}
	o, err := b.Copy(ctx, string(req.GetDestination()), string(req.GetSource()))
	if err != nil {
		return nil, toStatus(err)
	}
	return toEntry(o), nil
}

func (s *server) Usage(ctx context.Context, req *storagev1.UsageRequest) (*storagev1.UsageResponse, error) {
	b, err := s.bucket(req.GetHandle())
	if err != nil {
		return nil, err
	}
	u, err := b.Usage(ctx)
	if err != nil {
		return nil, toStatus(err)
	}
	return &storagev1.UsageResponse{Used: u.Used, Free: u.Free, Count: u.Count}, nil
}

func (s *server) EnsureCors(ctx context.Context, req *storagev1.EnsureCorsRequest) (*storagev1.EnsureCorsResponse, error) {
	b, err := s.bucket(req.GetHandle())
	if err != nil {
		return nil, err
	}
	admin, ok := b.(objstore.CORSAdmin)
	if !ok {
		return nil, toStatus(objstore.ErrUnsupported)
	}
	return &storagev1.EnsureCorsResponse{}, toStatus(admin.EnsureCORS(ctx, req.GetOrigins()))
}

func (s *server) CreateMultipart(ctx context.Context, req *storagev1.CreateMultipartRequest) (*storagev1.CreateMultipartResponse, error) {
	m, err := s.multipart(req.GetHandle())
	if err != nil {
		return nil, toStatus(err)
	}
	id, err := m.Create(ctx, string(req.GetKey()), objstore.WriteOptions{
		Size: req.GetSize(), ContentType: req.GetContentType(), IfNoneMatch: req.GetIfNoneMatch(),
	})
	if err != nil {
		return nil, toStatus(err)
	}
	return &storagev1.CreateMultipartResponse{UploadId: id}, nil
}

func (s *server) ListMultipart(ctx context.Context, req *storagev1.ListMultipartRequest) (*storagev1.ListMultipartResponse, error) {
	m, err := s.multipart(req.GetHandle())
	if err != nil {
		return nil, toStatus(err)
	}
	uploads, err := m.ListUploads(ctx, string(req.GetPrefix()))
	if err != nil {
		return nil, toStatus(err)
	}
	answer := &storagev1.ListMultipartResponse{}
	for _, u := range uploads {
		answer.Uploads = append(answer.Uploads, &storagev1.Upload{Key: []byte(u.Key), UploadId: u.ID, InitiatedUnixMs: u.Initiated.UnixMilli()})
	}
	return answer, nil
}

func (s *server) ListParts(ctx context.Context, req *storagev1.ListPartsRequest) (*storagev1.ListPartsResponse, error) {
	m, err := s.multipart(req.GetHandle())
	if err != nil {
		return nil, toStatus(err)
	}
	parts, err := m.ListParts(ctx, string(req.GetKey()), req.GetUploadId())
	if err != nil {
		return nil, toStatus(err)
	}
	answer := &storagev1.ListPartsResponse{}
	for _, p := range parts {
		answer.Parts = append(answer.Parts, toPart(p))
	}
	return answer, nil
}

func (s *server) CompleteMultipart(ctx context.Context, req *storagev1.CompleteMultipartRequest) (*storagev1.Entry, error) {
	m, err := s.multipart(req.GetHandle())
	if err != nil {
		return nil, toStatus(err)
	}
	parts := make([]objstore.Part, len(req.GetParts()))
	for i, p := range req.GetParts() {
		parts[i] = fromPart(p)
	}
	o, err := m.Complete(ctx, string(req.GetKey()), req.GetUploadId(), parts)
	if err != nil {
		return nil, toStatus(err)
	}
	return toEntry(o), nil
}

func (s *server) AbortMultipart(ctx context.Context, req *storagev1.AbortMultipartRequest) (*storagev1.AbortMultipartResponse, error) {
	m, err := s.multipart(req.GetHandle())
	if err != nil {
		return nil, toStatus(err)
	}
	return &storagev1.AbortMultipartResponse{}, toStatus(m.Abort(ctx, string(req.GetKey()), req.GetUploadId()))
}

func (s *server) Read(req *storagev1.ReadRequest, stream grpc.ServerStreamingServer[storagev1.ReadFrame]) error {
	b, err := s.bucket(req.GetHandle())
	if err != nil {
		return err
	}
	body, err := b.Read(stream.Context(), string(req.GetKey()), objstore.Range{
		Offset: req.GetOffset(), Length: req.GetLength(), IfMatch: req.GetIfMatch(),
	})
	if err != nil {
		return toStatus(err)
	}
	defer body.Close()
	head := &storagev1.ReadHead{Entry: toEntry(body.Object), Offset: body.Offset, Length: body.Length}
	if err := stream.Send(&storagev1.ReadFrame{Frame: &storagev1.ReadFrame_Head{Head: head}}); err != nil {
		return err
	}
	return sendChunks(body, stream)
}

func sendChunks(body io.Reader, stream grpc.ServerStreamingServer[storagev1.ReadFrame]) error {
	buf := make([]byte, Chunk)
	for {
		n, err := io.ReadFull(body, buf)
		if n > 0 {
			if err := stream.Send(&storagev1.ReadFrame{Frame: &storagev1.ReadFrame_Chunk{Chunk: buf[:n]}}); err != nil {
				return err
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF && n > 0 {
			return nil // the client compares the length with the head
		}
		if err != nil {
			return toStatus(err)
		}
	}
}

func (s *server) Write(stream grpc.ClientStreamingServer[storagev1.WriteFrame, storagev1.WriteResponse]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	head := first.GetHead()
	if head == nil {
		return toStatus(&ports.Error{Code: ports.Invalid, Key: "invalid_argument", Cause: errors.New("the first frame is no head")})
	}
	b, err := s.bucket(head.GetHandle())
	if err != nil {
		return err
	}
	answer, err := write(stream.Context(), b, head, &frameReader{stream: stream})
	if err != nil {
		return toStatus(err)
	}
	return stream.SendAndClose(answer)
}

func write(ctx context.Context, b objstore.Bucket, head *storagev1.WriteHead, body io.Reader) (*storagev1.WriteResponse, error) {
	key := string(head.GetKey())
	if head.GetUploadId() == "" {
		o, err := b.Write(ctx, key, body, objstore.WriteOptions{
			Size: head.GetSize(), ContentType: head.GetContentType(), IfNoneMatch: head.GetIfNoneMatch(),
		})
		return &storagev1.WriteResponse{Stored: &storagev1.WriteResponse_Entry{Entry: toEntry(o)}}, err
	}
	m := b.Multipart()
	if m == nil {
		return nil, objstore.ErrUnsupported
	}
	p, err := m.WritePart(ctx, key, head.GetUploadId(), int(head.GetPartNumber()), body, head.GetSize())
	return &storagev1.WriteResponse{Stored: &storagev1.WriteResponse_Part{Part: toPart(p)}}, err
}

// frameReader reads the chunks of a Write. Only an end frame is a clean end.
type frameReader struct {
	stream grpc.ClientStreamingServer[storagev1.WriteFrame, storagev1.WriteResponse]
	rest   []byte
	ended  bool
}

func (r *frameReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		frame, err := r.stream.Recv()
		if err == io.EOF {
			return 0, io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		r.rest, r.ended = frame.GetChunk(), frame.GetEnd() != nil
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
