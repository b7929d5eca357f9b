// Package auditsink takes the audit log elsewhere: to a syslog server (RFC 5424, over
// UDP, TCP, TLS or a unix socket) and into a file that rotates. Each line holds the
// whole entry, so that the chain of hashes can be proved from it.
package auditsink

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"pasteport/domain/audit"
)

// line is an entry as JSON, with the names that the API's export has.
type line struct {
	At        string          `json:"timestamp"`
	Type      string          `json:"type"`
	Actor     string          `json:"actor"`
	Name      string          `json:"name"`
	Action    string          `json:"action"`
	Target    string          `json:"target"`
	Outcome   string          `json:"outcome"`
	Code      string          `json:"code"`
	ClientIP  string          `json:"client_ip"`
	RequestID string          `json:"request_id"`
	Details   json.RawMessage `json:"details"`
	Chain     string          `json:"chain"`
	Seq       int64           `json:"seq"`
	Hash      string          `json:"hash"`
	Prev      string          `json:"prev"`
}

const millis = "2006-01-02T15:04:05.000Z07:00"

// encode writes an entry as one line of JSON, without its end.
func encode(e *audit.Entry) ([]byte, error) {
	l := line{e.At.UTC().Format(millis), string(e.Kind), e.Actor, e.Name, e.Action, e.Target, e.Outcome, e.Code, e.ClientIP, e.RequestID,
		json.RawMessage("{}"), e.Chain, e.Seq, e.Hash, e.Prev}
	if json.Valid([]byte(e.Details)) {
		l.Details = json.RawMessage(e.Details)
	}
	return json.Marshal(l)
}

// Fields of the header (RFC 5424 §6.2): facility "log audit", and the severities
// "warning" and "informational".
const (
	facility = 13
	warning  = 4
	info     = 6
	appName  = "pasteport"
	msgID    = "audit"
	// sdID is the name of the structured data, below the number for examples and
	// own use (RFC 5612).
	sdID = "pasteport@32473"
)

// format writes an entry as a message of RFC 5424: its main fields as structured data,
// all of it as JSON. A message over most bytes goes without its details, and tells their
// SHA-256; 0 means no bound.
func format(e *audit.Entry, host string, pid, most int) ([]byte, error) {
	text, err := message(e, host, pid)
	if err != nil || most == 0 || len(text) <= most {
		return text, err
	}
	sum := sha256.Sum256([]byte(e.Details))
	cut := *e
	cut.Details = `{"cut":true,"sha256":"` + hex.EncodeToString(sum[:]) + `"}`
	return message(&cut, host, pid)
}

func message(e *audit.Entry, host string, pid int) ([]byte, error) {
	text, err := encode(e)
	if err != nil {
		return nil, err
	}
	severity := info
	if e.Outcome == audit.Failed {
		severity = warning
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<%d>1 %s %s %s %d %s [%s", facility*8+severity, e.At.UTC().Format(millis), host, appName, pid, msgID, sdID)
	for _, p := range [][2]string{{"chain", e.Chain}, {"seq", fmt.Sprint(e.Seq)}, {"action", e.Action}, {"outcome", e.Outcome}, {"code", e.Code}, {"type", string(e.Kind)}, {"actor", e.Actor},
		{"name", e.Name}, {"client", e.ClientIP}, {"request", e.RequestID}, {"hash", e.Hash}, {"prev", e.Prev}} {
		if p[1] != "" {
			b.WriteString(" " + p[0] + `="` + escaper.Replace(p[1]) + `"`)
		}
	}
	b.WriteString("] \ufeff") // RFC 5424 §6.4: what follows is UTF-8
	b.Write(text)
	return []byte(b.String()), nil
}

// escaper escapes the values of structured data (RFC 5424 §6.3.3), and keeps them on
// one line.
var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `]`, `\]`, "\n", " ", "\r", " ")

// hostName is the host in messages: printable ASCII, at most 255 bytes.
func hostName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, name)
	if name == "" {
		return "-"
	}
	return name[:min(len(name), 255)]
}
