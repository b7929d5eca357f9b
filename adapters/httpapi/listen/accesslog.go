package listen

import (
	"io"
	"sync"
	"time"
)

// LogWriter gathers log lines and writes them out every 100 ms, when much has
// come together, and when it is closed. It is safe for concurrent use.
type LogWriter struct {
	mu  sync.Mutex
	buf []byte // lines that wait

	out   sync.Mutex // held while lines are written out
	spare []byte     // takes the place of buf meanwhile
	w     io.Writer

	much chan struct{} // half a buffer waits
	stop chan struct{}
	done chan struct{}
}

const (
	logFlush  = 100 * time.Millisecond
	logBuffer = 64 << 10 // bytes
)

// NewLogWriter starts the writer; Close stops it.
func NewLogWriter(w io.Writer) *LogWriter {
	l := &LogWriter{w: w, buf: make([]byte, 0, logBuffer), spare: make([]byte, 0, logBuffer), much: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
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
		case <-l.much:
			l.Flush()
		case <-l.stop:
			return
		}
	}
}

// Write keeps a line. It waits only for a writer below that is a whole buffer
// behind: who logs holds the logger, and with it everybody else. An error of that
// writer is not reported: a log that cannot be written stops no request.
func (l *LogWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.buf = append(l.buf, p...)
	waiting := len(l.buf)
	l.mu.Unlock()
	switch {
	case waiting >= logBuffer:
		l.Flush()
	case waiting >= logBuffer/2:
		select {
		case l.much <- struct{}{}:
		default: // it is told already
		}
	}
	return len(p), nil
}

// Flush writes out what has come together.
func (l *LogWriter) Flush() {
	l.out.Lock()
	defer l.out.Unlock()
	l.mu.Lock()
	lines := l.buf
	l.buf = l.spare[:0]
	l.mu.Unlock()
	if len(lines) > 0 {
		_, _ = l.w.Write(lines)
	}
	l.spare = lines
}

// Close writes the rest and stops. It is called once.
func (l *LogWriter) Close() error {
	close(l.stop)
	<-l.done
	l.Flush()
	return nil
}
