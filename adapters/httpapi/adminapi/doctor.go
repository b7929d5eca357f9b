package adminapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/adapters/httpapi/words"
	"pasteport/domain/doctor"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// maxEcho bounds the body of an echo, in bytes.
const maxEcho = 32 << 20

// doctorOps are the calls that look for what is wrong.
func doctorOps(a *httpapi.API, d *doctor.Doctor, s *System) {
	httpapi.Handle(a, httpapi.Op{Name: "doctor.examine", Method: http.MethodGet, Path: "/api/admin/doctor", Actions: []policy.Action{policy.DoctorRead}, Class: httpapi.Heavy,
		Summary: "Examines the installation: database, disk, storages, backups, rules, clocks, certificate and the way through the public address. Each finding tells its cause and what helps."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (DoctorReport, error) {
			r, err := d.Examine(ctx, who)
			return DoctorReportOf(r, httpapi.ScopeOf(ctx).Language()), err
		})

	httpapi.Stream(a, httpapi.Op{Name: "doctor.echo", Method: http.MethodPost, Path: doctor.EchoPath, Actions: []policy.Action{policy.SiteRead}, Public: true, Body: httpapi.RawBody, Class: httpapi.Streaming,
		Errors: []string{"not_found", "too_large"}, Summary: "Tells an examination that is under way what arrived of its request; 404 for all others."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			if err := s.ask(r.Context(), who, policy.SiteRead); err != nil {
				return err
			}
			if !d.Admitted(r.Header.Get(doctor.TokenHeader)) {
				return &ports.Error{Code: ports.NotFound, Key: "not_found"}
			}
			out, err := echo(r)
			if err != nil {
				return err
			}
			return httpapi.Send(w, r, out)
		})
	httpapi.Describe(a, "doctor.echo", nil, echoJSON{})
}

// DoctorHandler examines for those who have the master key, on the listener for
// probes.
func DoctorHandler(d *doctor.Doctor, report func(doing string, err error)) http.Handler {
	return WithToken(d.Admitted, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := json.Marshal(DoctorReportOf(d.Look(r.Context()), r.URL.Query().Get("lang")))
		if err != nil {
			report("tell what the doctor found", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	}))
}

// echo reads a request to its end.
func echo(r *http.Request) (echoJSON, error) {
	call := policy.CallFrom(r.Context())
	out := echoJSON{Scheme: "http", Client: call.ClientIP, Headers: []string{}}
	if call.TLS {
		out.Scheme = "https"
	}
	for _, name := range doctor.Headers {
		if r.Header.Get(name) != "" {
			out.Headers = append(out.Headers, name)
		}
	}
	var first time.Time
	block := make([]byte, 32<<10)
	for {
		n, err := r.Body.Read(block)
		if n > 0 && first.IsZero() {
			first = time.Now()
		}
		if out.Bytes += int64(n); out.Bytes > maxEcho {
			return out, &ports.Error{Code: ports.TooLarge, Key: "too_large"}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return out, err
		}
	}
	if !first.IsZero() {
		out.Spread = time.Since(first).Milliseconds()
	}
	return out, nil
}

// echoJSON is what arrived of a request.
type echoJSON struct {
	Bytes   int64    `json:"bytes"`
	Spread  int64    `json:"spread_ms"` // between the first and the last byte of the body
	Scheme  string   `json:"scheme"`    // http or https
	Client  string   `json:"client"`
	Headers []string `json:"headers"` // those that proxies lose, and that arrived
}

// DoctorReport is what an examination found, in one language.
type DoctorReport struct {
	At       wire.Instant    `json:"at"`
	TookMS   int64           `json:"took_ms"`
	Version  string          `json:"version"`
	Level    string          `json:"level"` // ok, warning or problem: of the worst finding
	Findings []DoctorFinding `json:"findings"`
}

// DoctorFinding is one thing that was looked at.
type DoctorFinding struct {
	ID     string `json:"id"`    // such as disk.full
	About  string `json:"about"` // name of a storage; empty for the server itself
	Level  string `json:"level"` // ok, warning or problem
	Cause  string `json:"cause"`
	Remedy string `json:"remedy"` // empty where nothing is to be done
	Detail string `json:"detail"` // what a program said, untranslated
}

// DoctorReportOf puts a report into the words of a language, the worst first.
func DoctorReportOf(r doctor.Report, lang string) DoctorReport {
	out := DoctorReport{At: wire.Instant(r.At), TookMS: r.Took.Milliseconds(), Version: r.Version, Level: string(r.Level()), Findings: make([]DoctorFinding, len(r.Findings))}
	for i, f := range r.Findings {
		params := f.Params
		if free, ok := params["free"].(int64); ok {
			params["free"] = words.Size(free)
		}
		say := func(key string) string {
			if t, known := words.Catalogue[key]; known {
				return words.Render(t, lang, params)
			}
			return key
		}
		cause := words.OwnWords(f.Messages, lang)
		if cause == "" {
			cause = say(f.Cause)
		}
		out.Findings[i] = DoctorFinding{ID: f.ID, About: f.About, Level: string(f.Level), Cause: cause, Remedy: say(f.Remedy), Detail: f.Detail}
	}
	slices.SortStableFunc(out.Findings, func(a, b DoctorFinding) int { return severity(b.Level) - severity(a.Level) })
	return out
}

func severity(level string) int { return slices.Index([]string{"ok", "warning", "problem"}, level) }
