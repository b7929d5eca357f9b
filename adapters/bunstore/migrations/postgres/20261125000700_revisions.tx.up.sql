-- Who wrote the content of a paste, and whether edits keep what they replace.
-- Without edited_at, it is the one that the paste began with.
ALTER TABLE paste_contents ADD COLUMN edited_by TEXT NOT NULL DEFAULT '';
--bun:split
ALTER TABLE paste_contents ADD COLUMN edited_at BIGINT;
--bun:split
ALTER TABLE paste_contents ADD COLUMN keep_none BOOLEAN NOT NULL DEFAULT FALSE;
--bun:split
CREATE TABLE paste_revisions (
    n         BIGINT NOT NULL REFERENCES paste_contents (n) ON DELETE CASCADE,
    version   BIGINT NOT NULL,
    size      BIGINT NOT NULL,
    edited_by TEXT NOT NULL,
    edited_at BIGINT NOT NULL,
    content   BYTEA NOT NULL,
    PRIMARY KEY (n, version)
);
--bun:split
CREATE INDEX paste_revisions_oldest ON paste_revisions (edited_at);
