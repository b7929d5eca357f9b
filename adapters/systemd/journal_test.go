package systemd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// fieldsOf reads a datagram of the journal's protocol.
func fieldsOf(t *testing.T, data []byte) map[string]string {
	t.Helper()
	fields := map[string]string{}
	for len(data) > 0 {
		name, rest, ok := bytes.Cut(data, []byte("\n"))
		if !ok || len(rest) < 8 {
			t.Fatalf("no field: %q", data)
		}
		n := binary.LittleEndian.Uint64(rest)
		if rest = rest[8:]; uint64(len(rest)) <= n || rest[n] != '\n' {
			t.Fatalf("the field %s has no end", name)
		}
		fields[string(name)], data = string(rest[:n]), rest[n+1:]
	}
	return fields
}

func TestLinesGoIntoTheJournalWithTheirFields(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var rest bytes.Buffer
	log := slog.New(journalAt(path, &rest, &slog.HandlerOptions{Level: slog.LevelInfo}))
	read := func() map[string]string {
		t.Helper()
		data := make([]byte, 1<<20)
		n, err := l.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		return fieldsOf(t, data[:n])
	}

	log.Debug("too low")
	log.With("op", "file.commit").WithGroup("client").Warn("it\nfailed", "request-id", "a=b\nPRIORITY=0", "status", 503, "message", "x", "error", errors.New("no"))
	got := read()
	for name, want := range map[string]string{"PRIORITY": "4", "SYSLOG_IDENTIFIER": "pasteport", "OP": "file.commit", "CLIENT_REQUEST_ID": "a=b\nPRIORITY=0", "CLIENT_STATUS": "503", "CLIENT_ERROR": "no"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if !strings.HasPrefix(got["MESSAGE"], "it\nfailed op=file.commit client.request-id=") {
		t.Errorf("MESSAGE is %q", got["MESSAGE"])
	}
	for level, want := range map[slog.Level]string{slog.LevelInfo: "6", slog.LevelError: "3"} {
		log.Log(t.Context(), level, "x", "message", "mine", "_pid", 1)
		if got := read(); got["PRIORITY"] != want || got["ATTR_MESSAGE"] != "mine" || got["PID"] != "1" || got["_PID"] != "" {
			t.Errorf("%v: %v", level, got)
		}
	}

	if rest.Len() > 0 {
		t.Errorf("went elsewhere: %s", rest.String())
	}
	l.Close()
	log.Error("after the journal has gone")
	if !strings.Contains(rest.String(), "after the journal has gone") {
		t.Errorf("a line is lost: %q", rest.String())
	}
	if h := journalAt(path, &rest, nil); h != nil {
		t.Error("a journal that does not listen has a handler")
	}
}
