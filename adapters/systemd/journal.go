package systemd

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"

	"github.com/coreos/go-systemd/v22/journal"
)

// journalSocket is where the journal listens.
const journalSocket = "/run/systemd/journal/socket"

// LogsToJournal reports whether standard error leads to the journal.
func LogsToJournal() bool {
	leads, err := journal.StderrIsJournalStream()
	return err == nil && leads
}

// Journal writes log lines into the journal, with their priority and each
// attribute as a field of its own (journalctl OP=file.commit). Nil when the journal
// does not listen. What it does not take goes to rest as text.
func Journal(rest io.Writer, options *slog.HandlerOptions) slog.Handler {
	return journalAt(journalSocket, rest, options)
}

func journalAt(socket string, rest io.Writer, options *slog.HandlerOptions) slog.Handler {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return nil
	}
	return &lines{conn: conn, level: options.Level, rest: slog.NewTextHandler(rest, options)}
}

// lines is the handler. The protocol is that of systemd's "Native Journal
// Protocol": a datagram of fields for each line.
type lines struct {
	conn  *net.UnixConn
	level slog.Leveler
	rest  slog.Handler
	attrs []slog.Attr
	group string // with a dot at the end, or empty
}

// Enabled implements slog.Handler.
func (l *lines) Enabled(_ context.Context, level slog.Level) bool { return level >= l.level.Level() }

// Handle implements slog.Handler.
func (l *lines) Handle(ctx context.Context, r slog.Record) error {
	var fields, text bytes.Buffer
	text.WriteString(r.Message)
	add := func(a slog.Attr) bool {
		a.Value = a.Value.Resolve()
		if a.Equal(slog.Attr{}) {
			return true
		}
		fmt.Fprintf(&text, " %s=%v", a.Key, a.Value)
		field(&fields, nameOf(a.Key), a.Value.String())
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(func(a slog.Attr) bool { a.Key = l.group + a.Key; return add(a) })
	field(&fields, "MESSAGE", text.String())
	field(&fields, "PRIORITY", fmt.Sprint(int(priorityOf(r.Level))))
	field(&fields, "SYSLOG_IDENTIFIER", "pasteport")
	if _, err := l.conn.Write(fields.Bytes()); err != nil {
		return l.rest.Handle(ctx, r)
	}
	return nil
}

// WithAttrs implements slog.Handler.
func (l *lines) WithAttrs(attrs []slog.Attr) slog.Handler {
	more := *l
	more.rest = l.rest.WithAttrs(attrs)
	more.attrs = append([]slog.Attr{}, l.attrs...)
	for _, a := range attrs {
		more.attrs = append(more.attrs, slog.Attr{Key: l.group + a.Key, Value: a.Value})
	}
	return &more
}

// WithGroup implements slog.Handler.
func (l *lines) WithGroup(name string) slog.Handler {
	more := *l
	more.group, more.rest = l.group+name+".", l.rest.WithGroup(name)
	return &more
}

func priorityOf(level slog.Level) journal.Priority {
	switch {
	case level >= slog.LevelError:
		return journal.PriErr
	case level >= slog.LevelWarn:
		return journal.PriWarning
	case level >= slog.LevelInfo:
		return journal.PriInfo
	}
	return journal.PriDebug
}

// field writes a field in the form that may hold anything.
func field(to *bytes.Buffer, name, value string) {
	to.WriteString(name + "\n")
	_ = binary.Write(to, binary.LittleEndian, uint64(len(value))) // a buffer takes all
	to.WriteString(value + "\n")
}

// nameOf is the field of an attribute: capitals, digits and underscores, none in
// front, at most 64.
func nameOf(key string) string {
	name := strings.TrimLeft(strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return c - 'a' + 'A'
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			return c
		}
		return '_'
	}, key), "_0123456789")
	switch name = name[:min(len(name), 58)]; name {
	case "", "MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER": // those are the line's own
		return "ATTR_" + name
	}
	return name
}
