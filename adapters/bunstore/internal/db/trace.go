package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	"github.com/XSAM/otelsql"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// open is sql.Open, with spans where Options ask for them.
func (d *DB) open(name, address string) (*sql.DB, error) {
	if d.traces == nil {
		return sql.Open(name, address)
	}
	return otelsql.Open(name, address, d.tracing("sqlite")...)
}

// connect is sql.OpenDB, with spans where Options ask for them.
func (d *DB) connect(c driver.Connector) *sql.DB {
	if d.traces == nil {
		return sql.OpenDB(c)
	}
	return otelsql.OpenDB(c, d.tracing("postgresql")...)
}

// tracing makes a span of a statement below another span only. It tells the kind
// of the statement and never its text, in which values may stand.
func (d *DB) tracing(system string) []otelsql.Option {
	return []otelsql.Option{
		otelsql.WithTracerProvider(d.traces), otelsql.WithAttributes(attribute.String("db.system.name", system)),
		otelsql.WithSpanNameFormatter(func(_ context.Context, method otelsql.Method, query string) string {
			if kind := kindOf(query); kind != "" {
				return "db " + kind
			}
			return string(method)
		}),
		otelsql.WithSpanOptions(otelsql.SpanOptions{
			DisableQuery: true, DisableErrSkip: true, OmitConnResetSession: true, OmitConnPrepare: true, OmitRows: true, OmitConnectorConnect: true,
			RecordError: func(error) bool { return false },
			SpanFilter: func(ctx context.Context, _ otelsql.Method, _ string, _ []driver.NamedValue) bool {
				return trace.SpanFromContext(ctx).IsRecording()
			},
		}),
	}
}

// statements are the words that begin those of a span's name.
var statements = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "SAVEPOINT", "RELEASE", "ROLLBACK"}

// kindOf is the first word of a statement, if it is one of them.
func kindOf(query string) string {
	for _, word := range statements {
		if strings.HasPrefix(query, word+" ") {
			return word
		}
	}
	return ""
}

// underTrace begins a span below the one in ctx; without one there is none.
func (d *DB) underTrace(ctx context.Context, name string) (context.Context, func(error)) {
	if d.traces == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(error) {}
	}
	ctx, span := d.traces.Tracer("pasteport/db").Start(ctx, name)
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
