-- Of which end of a share somebody was told, so that it is told once. An end that
-- moves is another one.
CREATE TABLE event_endings (
    share      TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
--bun:split
CREATE INDEX event_endings_past ON event_endings (expires_at);
