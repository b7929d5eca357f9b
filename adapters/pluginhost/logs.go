package pluginhost

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"
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
	}
	var pairs []string
	for _, v := range slices.Sorted(maps.Keys(l.secrets)) {
		pairs = append(pairs, v, "[secret]")
	}
	l.blot = strings.NewReplacer(pairs...)
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
	l.mu.Lock()
	text = l.blot.Replace(text)
	l.mu.Unlock()
	level, message, attrs := parseLine(text)
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
