-- Files in mounts whose edits are known, by storage config and key of the object:
-- who wrote the present content, by its ETag, and whether edits keep what they
-- replace. last is the version of the newest revision that there ever was.
CREATE TABLE kept_files (
    n                 BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    storage_config_id TEXT NOT NULL REFERENCES storage_configs (id) ON DELETE CASCADE,
    object_key        TEXT COLLATE "C" NOT NULL,
    etag              TEXT NOT NULL DEFAULT '',
    edited_by         TEXT NOT NULL DEFAULT '',
    edited_at         BIGINT NOT NULL DEFAULT 0,
    keep_none         BOOLEAN NOT NULL DEFAULT FALSE,
    last              BIGINT NOT NULL DEFAULT 0
);
--bun:split
CREATE UNIQUE INDEX kept_files_object ON kept_files (storage_config_id, object_key);
--bun:split
CREATE TABLE file_revisions (
    n         BIGINT NOT NULL REFERENCES kept_files (n) ON DELETE CASCADE,
    version   BIGINT NOT NULL,
    etag      TEXT NOT NULL,
    size      BIGINT NOT NULL,
    edited_by TEXT NOT NULL,
    edited_at BIGINT NOT NULL,
    content   BYTEA NOT NULL,
    PRIMARY KEY (n, version)
);
--bun:split
CREATE INDEX file_revisions_oldest ON file_revisions (edited_at);
