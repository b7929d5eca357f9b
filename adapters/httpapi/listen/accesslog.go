package listen

import (
	"io"
	"sync"
	"time"
)

// LogWriter gathers log lines and writes them out every 100 ms, when much has
// come together, and when it is closed. It is safe for concurrent use.
type LogWriter struct {
	mu   sync.Mutex
	buf  []byte
	w    io.Writer
	stop chan struct{}
	done chan struct{}
}

const (
	logFlush  = 100 * time.Millisecond
	logBuffer = 64 << 10 // bytes
)

// NewLogWriter starts the writer; Close stops it.
func NewLogWriter(w io.Writer) *LogWriter {
	l := &LogWriter{w: w, buf: make([]byte, 0, logBuffer), stop: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l
}

func (l *LogWriter) run() {
	defer close(l.done)
	tick := time.NewTicker(logFlush)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.Flush()
		case <-l.stop:
			return
		}
	}
}

// Write keeps a line. An error of the writer below is not reported: a log that
// cannot be written stops no request.
func (l *LogWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.buf)+len(p) > logBuffer {
		l.flush()
	}
	l.buf = append(l.buf, p...)
	return len(p), nil
}

// Flush writes out what has come together.
func (l *LogWriter) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
}

func (l *LogWriter) flush() {
	if len(l.buf) > 0 {
		_, _ = l.w.Write(l.buf)
		l.buf = l.buf[:0]
	}
}

// Close writes the rest and stops. It is called once.
func (l *LogWriter) Close() error {
	close(l.stop)
	<-l.done
	l.Flush()
	return nil
}
