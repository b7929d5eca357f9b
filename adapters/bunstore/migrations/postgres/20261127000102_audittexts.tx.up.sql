-- Which short pieces the texts of the audit log have, for its search.
CREATE TABLE index_audit (
    n     BIGINT PRIMARY KEY REFERENCES audit_entries (n) ON DELETE CASCADE,
    grams INTEGER[] NOT NULL
);
--bun:split
CREATE INDEX index_audit_grams ON index_audit USING gin (grams);
--bun:split
-- The last entry that was seen, and the number of the transaction from which on no other could get a
-- smaller number: those before may still be about to commit one.
CREATE TABLE index_audit_seen (
    one   INTEGER PRIMARY KEY, -- the only row
    n     BIGINT NOT NULL,
    until BIGINT NOT NULL
);
