CREATE TABLE audit_entries (
    n          INTEGER PRIMARY KEY,
    chain      TEXT NOT NULL,
    seq        BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    kind       TEXT NOT NULL,
    actor      TEXT NOT NULL,
    name       TEXT NOT NULL,
    action     TEXT NOT NULL,
    target     TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    code       TEXT NOT NULL,
    client_ip  TEXT NOT NULL,
    request_id TEXT NOT NULL,
    details    TEXT NOT NULL,
    prev       TEXT NOT NULL,
    hash       TEXT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX audit_entries_place ON audit_entries (chain, seq);
--bun:split
CREATE INDEX audit_entries_at ON audit_entries (at);
--bun:split
CREATE INDEX audit_entries_action ON audit_entries (action, n);
--bun:split
CREATE TABLE audit_heads (
    chain     TEXT NOT NULL PRIMARY KEY,
    seq       BIGINT NOT NULL,
    hash      TEXT NOT NULL,
    base_seq  BIGINT NOT NULL,
    base_hash TEXT NOT NULL
);
