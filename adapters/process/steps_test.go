package process

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestAStartTellsItsPartsInOrder(t *testing.T) {
	var text bytes.Buffer
	s := NewSteps()
	s.Done("database")
	s.Done("policies")
	s.Tell(slog.New(slog.NewTextHandler(&text, nil)))
	if text.Len() > 0 {
		t.Errorf("above debug: %s", &text)
	}
	s.Tell(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})))
	line := text.String()
	at := -1
	for _, part := range []string{"msg=started", "database=", "policies=", "took=", "processor="} {
		next := strings.Index(line, part)
		if next <= at {
			t.Errorf("%q is missing or out of order: %s", part, line)
		}
		at = next
	}
}
