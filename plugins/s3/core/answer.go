package core

import (
	"context"
	"io"
	"strconv"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"pasteport/ports"
)

// maxAnswer bounds every body that is not an object's, in bytes: a page of a
// listing at its largest has a quarter of it.
const maxAnswer = 8 * mib

// maxAnswerHeader bounds the header of an answer, in bytes.
const maxAnswerHeader = 1 * mib

// boundAnswers adds to a call that what the storage answers besides the bytes
// of an object is read to maxAnswer and no further.
func boundAnswers(stack *middleware.Stack) error {
	return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("BoundAnswer",
		func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleDeserialize(ctx, in)
			answer, ok := out.RawResponse.(*smithyhttp.Response)
			if !ok || answer.Body == nil {
				return out, metadata, err
			}
			if object := middleware.GetOperationName(ctx) == "GetObject" && answer.StatusCode/100 == 2; !object {
				answer.Body = &boundedBody{ReadCloser: answer.Body, left: maxAnswer}
			}
			return out, metadata, err
		}), middleware.After)
}

// boundedBody fails when more is read of it than it may hold.
type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errLongAnswer
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return n - 1, errLongAnswer
	}
	return n, err
}

// errLongAnswer is a storage that does not come to an end.
var errLongAnswer = badAnswer("more than " + strconv.Itoa(maxAnswer/mib) + " MiB").(*ports.Error)
