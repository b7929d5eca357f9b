-- What the audit log is narrowed by. Most of what happens is done: other outcomes are few.
CREATE INDEX audit_entries_actor ON audit_entries (actor, n);
--bun:split
CREATE INDEX audit_entries_name ON audit_entries (name, n);
--bun:split
CREATE INDEX audit_entries_outcome ON audit_entries (outcome, n) WHERE outcome <> 'done';
