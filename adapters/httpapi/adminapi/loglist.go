package adminapi

import (
	"encoding/json"
	"net/http"
	"time"

	"pasteport/adapters/httpapi/wire"
)

// linesType is the content type of JSON lines.
const linesType = "application/x-ndjson"

// logRequest chooses a page of a log. The next page begins before the last n.
type logRequest struct {
	Before wire.Int `query:"before,lenient"` // n of the last line seen
	Limit  wire.Int `query:"limit,lenient"`
	From   string   `query:"from"` // RFC 3339
	To     string   `query:"to"`
}

// logSpan is what a logRequest says.
type logSpan struct {
	before   int64
	limit    int // 1 to 1000
	from, to time.Time
}

func (in logRequest) span() (s logSpan, err error) {
	s = logSpan{before: int64(in.Before), limit: wire.ClampInt(int64(in.Limit), 0, 1000)}
	if s.limit == 0 {
		s.limit = 100
	}
	if s.from, err = wire.InstantIn(in.From, "from"); err != nil {
		return s, err
	}
	s.to, err = wire.InstantIn(in.To, "to")
	return s, err
}

// rowsOfLog are the lines of a page in the words of the API, and where the next
// page begins; nil when this is the last one.
func rowsOfLog[L, J any](lines []L, limit int, row func(L) J, n func(L) int64) (rows []J, next *int64) {
	rows = make([]J, len(lines))
	for i, l := range lines {
		rows[i] = row(l)
	}
	if len(lines) > 0 && len(lines) == limit {
		last := n(lines[len(lines)-1])
		next = &last
	}
	return rows, next
}

// exportLog streams a log as JSON lines, page by page, for a file of this name.
// page reads the lines before an n.
func exportLog[L, J any](w http.ResponseWriter, name string, before int64, page func(before int64, limit int) ([]L, error), row func(L) J, n func(L) int64) error {
	const limit = 1000
	lines, err := page(before, limit)
	if err != nil {
		return err
	}
	w.Header()["Content-Type"] = []string{linesType}
	w.Header().Set("Content-Disposition", `attachment; filename="pasteport-`+name+`.jsonl"`)
	w.WriteHeader(http.StatusOK)
	out := json.NewEncoder(w)
	for {
		rows, next := rowsOfLog(lines, limit, row, n)
		for _, row := range rows {
			if err := out.Encode(row); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		if lines, err = page(*next, limit); err != nil {
			return err
		}
	}
}
