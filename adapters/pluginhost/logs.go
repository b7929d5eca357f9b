package pluginhost

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"pasteport/ports"
)

// Bounds of what a driver may log: lines a second, lines at once, bytes a line.
const (
	logRate  = 50
	logBurst = 200
	logLine  = 16 << 10
)

// logLines turns a driver's lines into log records: JSON lines become records
// with their level, others come as text. Floods are cut and known secrets
// blotted out.
type logLines struct {
	logger  *slog.Logger
	limit   *rate.Limiter
	dropped atomic.Int64

	mu      sync.Mutex
	secrets map[string]bool
	blot    *strings.Replacer
}

func newLogLines(logger *slog.Logger) *logLines {
	return &logLines{logger: logger, limit: rate.NewLimiter(logRate, logBurst), secrets: map[string]bool{}, blot: strings.NewReplacer()}
}

// hide keeps values out of the log from now on.
func (l *logLines) hide(values ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range values {
		if len(v) >= 4 {
			l.secrets[v] = true
		}
		for line := range strings.Lines(v) { // of a key of several lines, each
			if line = strings.TrimSpace(line); len(line) >= 8 && !strings.HasPrefix(line, "-----") {
				l.secrets[line] = true
			}
		}
	}
	var pairs []string
	byLength := slices.SortedFunc(maps.Keys(l.secrets), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b)) // one may hold another
	})
	for _, v := range byLength {
		pairs = append(pairs, v, "[secret]")
	}
	l.blot = strings.NewReplacer(pairs...)
}

// hidden is text without the secrets.
func (l *logLines) hidden(text string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.blot.Replace(text)
}

// cleaned is an error of a driver without the secrets.
func (l *logLines) cleaned(err error) error {
	var e *ports.Error
	if !errors.As(err, &e) || e.Cause == nil && e.Messages == nil {
		return err
	}
	c, changed := *e, false
	if e.Cause != nil {
		if text := l.hidden(e.Cause.Error()); text != e.Cause.Error() {
			c.Cause, changed = errors.New(text), true
		}
	}
	c.Messages = maps.Clone(e.Messages)
	for tag, text := range e.Messages {
		c.Messages[tag] = l.hidden(text)
		changed = changed || c.Messages[tag] != text
	}
	if !changed {
		return err
	}
	return &c
}

func (l *logLines) line(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if !l.limit.Allow() {
		l.dropped.Add(1)
		return
	}
	if n := l.dropped.Swap(0); n > 0 {
		l.logger.Warn("driver logs too much", "lines_dropped", n)
	}
	level, message, attrs := parseLine(l.hidden(text))
	l.logger.LogAttrs(context.Background(), level, message, attrs...)
}

// parseLine reads a JSON line with the fields @level and @message.
func parseLine(text string) (slog.Level, string, []slog.Attr) {
	var fields map[string]any
	if json.Unmarshal([]byte(text), &fields) != nil {
		return slog.LevelWarn, "driver says", []slog.Attr{slog.String("line", text)}
	}
	level := slog.LevelInfo
	if name, _ := fields["@level"].(string); level.UnmarshalText([]byte(name)) != nil {
		level = slog.LevelDebug // trace and unknown ones
	}
	message, _ := fields["@message"].(string)
	var attrs []slog.Attr
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !strings.HasPrefix(name, "@") {
			attrs = append(attrs, slog.Any(name, fields[name]))
		}
	}
	return level, message, attrs
}

// writer collects bytes into lines.
func (l *logLines) writer() io.Writer { return &lineWriter{lines: l} }

type lineWriter struct {
	lines *logLines
	mu    sync.Mutex
	part  []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			w.keep(rest)
			break
		}
		w.keep(rest[:end])
		w.lines.line(string(w.part))
		w.part = w.part[:0]
		rest = rest[end+1:]
	}
	return len(p), nil
}

// keep adds to the line, up to its bound.
func (w *lineWriter) keep(p []byte) {
	w.part = append(w.part, p[:min(len(p), logLine-len(w.part))]...)
}
