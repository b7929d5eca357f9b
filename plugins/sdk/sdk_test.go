package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"pasteport/plugins/sdk/proto/storagev1"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

func TestEveryCodeOfTheContractCrossesTheWire(t *testing.T) {
	for _, code := range []ports.Code{
		ports.Internal, ports.Invalid, ports.Forbidden, ports.NotFound, ports.Conflict, ports.Precondition, ports.TooLarge, ports.Quota,
		ports.Range, ports.RateLimited, ports.BadGateway, ports.Unavailable, ports.NotImplemented,
	} {
		sent := &ports.Error{Code: code, Key: "some_key", Text: "some.text", RetryAfter: time.Second, Params: map[string]any{"size": int64(7), "field": "host_key"},
			Messages: map[string]string{"en": "The host key is another one.", "zh-CN": "主机密钥不同。"}}
		err := fromStatus(toStatus(fmt.Errorf("while doing: %w", sent)))
		var got *ports.Error
		if !errors.As(err, &got) {
			t.Fatalf("code %d became %v", code, err)
		}
		got.Cause = nil
		if diff := cmp.Diff(sent, got); diff != "" {
			t.Errorf("code %d (-sent +got):\n%s", code, diff)
		}
		if Lost(err) {
			t.Errorf("code %d counts as a lost driver", code)
		}
	}
}

func TestSharedErrorsAreTheSameOnBothSides(t *testing.T) {
	for _, want := range []error{ports.ErrNotFound, objstore.ErrBadKey, objstore.ErrExists, objstore.ErrNoUpload, objstore.ErrFolderInTheWay, objstore.ErrLength} {
		if got := fromStatus(toStatus(want)); !errors.Is(got, want) {
			t.Errorf("%v became %v", want, got)
		}
	}
}

func TestErrorsOfTheTransport(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		code ports.Code
		lost bool
	}{
		{"a lost connection", status.Error(codes.Unavailable, "EOF"), ports.Unavailable, true},
		{"a deadline", status.Error(codes.DeadlineExceeded, ""), ports.Unavailable, false},
		{"an old driver", status.Error(codes.Unimplemented, ""), ports.NotImplemented, false},
		{"a message too large", status.Error(codes.ResourceExhausted, ""), ports.BadGateway, false},
	} {
		err := fromStatus(c.err)
		if !ports.Is(err, c.code) || Lost(err) != c.lost {
			t.Errorf("%s: %v, lost %t", c.name, err, Lost(err))
		}
	}
	if err := fromStatus(status.Error(codes.Canceled, "")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelling: %v", err)
	}
	if err := fromStatus(nil); err != nil {
		t.Errorf("no error: %v", err)
	}
}

func TestWhatADriverSendsIsNarrowed(t *testing.T) {
	err := fromWireError(&storagev1.DriverError{Code: 9999, Key: "<script>", Text: "Shout\n", RetryAfterMs: -5})
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != ports.Internal || e.Key != "internal" || e.Text != "" || e.RetryAfter != 0 {
		t.Errorf("error %+v", e)
	}
	o, err := fromEntry(&storagev1.Entry{Key: []byte("k"), Etag: "a\"b\r\nX: y", ContentType: "text/html\r\nSet-Cookie: a"})
	if err != nil || o.ETag != "abX: y" || o.ContentType != "text/htmlSet-Cookie: a" {
		t.Errorf("entry %+v, %v", o, err)
	}
	for _, bad := range []*storagev1.Entry{nil, {}, {Key: []byte("k"), Size: -1}} {
		if _, err := fromEntry(bad); !ports.Is(err, ports.BadGateway) {
			t.Errorf("entry %v: %v", bad, err)
		}
	}
}

func TestNamesThatAreNotUTF8CrossTheWire(t *testing.T) {
	want := objstore.Object{Key: "bad\xff", Size: 1, ETag: "e", ModTime: time.UnixMilli(5).UTC()}
	got, err := fromEntry(toEntry(want))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("(-want +got):\n%s, %v", diff, err)
	}
}

func TestADriverSeesThatItsHostIsGone(t *testing.T) {
	t.Setenv(HostPID, strconv.Itoa(os.Getppid()+1))
	gone := make(chan struct{})
	go watchHost(time.Millisecond, func() { close(gone) })
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Error("it was not seen")
	}
}

func TestLogLinesHaveTheFieldsTheHostReads(t *testing.T) {
	var out bytes.Buffer
	slog.New(newLogHandler(&out)).With("a", 1).Warn("message", "level", "x", "b", 2)
	var fields map[string]any
	if err := json.Unmarshal(out.Bytes(), &fields); err != nil {
		t.Fatal(err)
	}
	if fields["@level"] != "warn" || fields["@message"] != "message" || fields["@timestamp"] == nil || fields["a"] != 1.0 || fields["b"] != 2.0 {
		t.Errorf("line %s", out.String())
	}
}

// cutStream is a Write whose sender ends after its frames.
type cutStream struct {
	grpc.ClientStreamingServer[storagev1.WriteFrame, storagev1.WriteResponse]
	frames []*storagev1.WriteFrame
}

func (s *cutStream) Recv() (*storagev1.WriteFrame, error) {
	if len(s.frames) == 0 {
		return nil, io.EOF
	}
	frame := s.frames[0]
	s.frames = s.frames[1:]
	return frame, nil
}

func TestAWriteEndsWellOnlyByItsEndFrame(t *testing.T) {
	chunk := &storagev1.WriteFrame{Frame: &storagev1.WriteFrame_Chunk{Chunk: []byte("abc")}}
	empty := &storagev1.WriteFrame{Frame: &storagev1.WriteFrame_Chunk{}}
	end := &storagev1.WriteFrame{Frame: &storagev1.WriteFrame_End{End: &storagev1.WriteEnd{}}}
	for _, c := range []struct {
		name   string
		frames []*storagev1.WriteFrame
		want   string
		err    error
	}{
		{"ended", []*storagev1.WriteFrame{chunk, empty, chunk, end}, "abcabc", nil},
		{"empty", []*storagev1.WriteFrame{end}, "", nil},
		{"cut", []*storagev1.WriteFrame{chunk}, "abc", io.ErrUnexpectedEOF},
		{"cut at once", nil, "", io.ErrUnexpectedEOF},
	} {
		got, err := io.ReadAll(&frameReader{stream: &cutStream{frames: c.frames}})
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

func TestADriversWordsAreOneLineOfText(t *testing.T) {
	err := fromWireError(&storagev1.DriverError{Code: storagev1.Code_INVALID, Field: "a b\n", Message: "one\ntwo\x1b[31m" + strings.Repeat("long ", 1000), Messages: map[string]string{
		"en": " over\r\nthere \u202e ", "zh": strings.Repeat("长", 400), "x-bad!": "no", "fr": "\n",
	}})
	var e *ports.Error
	if !errors.As(err, &e) || e.Params["field"] != nil || e.Messages["en"] != "over there" || len(e.Messages) != 2 || !utf8.ValidString(e.Messages["zh"]) || len(e.Messages["zh"]) > 504 {
		t.Errorf("got %+v", e)
	}
	if text := e.Cause.Error(); strings.ContainsAny(text, "\n\x1b") || len(text) > 2020 || !strings.HasPrefix(text, "driver: one two [31m") {
		t.Errorf("the cause is %q", text)
	}
}
