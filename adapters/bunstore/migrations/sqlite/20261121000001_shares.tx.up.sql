-- Times are milliseconds since 1970 in UTC. Every table keeps its natural
-- rowid order, so that inserting stays cheap however many rows there are; the
-- content of pastes lies apart, out of the way of lists and indexes.
CREATE TABLE pastes (
    n             INTEGER PRIMARY KEY,
    id            TEXT NOT NULL,
    slug          TEXT NOT NULL,
    size          BIGINT NOT NULL,
    preview       TEXT NOT NULL,
    syntax        TEXT NOT NULL,
    remark        TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    expires_at    BIGINT,
    max_views     BIGINT NOT NULL,
    views         BIGINT NOT NULL,
    used_up_at    BIGINT,
    erased_at     BIGINT,
    created_by    TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    version       BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX pastes_id ON pastes (id);
--bun:split
CREATE UNIQUE INDEX pastes_slug ON pastes (slug);
--bun:split
CREATE INDEX pastes_newest ON pastes (created_at) WHERE used_up_at IS NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX pastes_owner ON pastes (created_by, created_at) WHERE used_up_at IS NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX pastes_expiring ON pastes (expires_at) WHERE expires_at IS NOT NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX pastes_used_up ON pastes (used_up_at) WHERE used_up_at IS NOT NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX pastes_erased ON pastes (erased_at) WHERE erased_at IS NOT NULL;
--bun:split
CREATE TABLE paste_contents (
    n       INTEGER PRIMARY KEY REFERENCES pastes (n) ON DELETE CASCADE,
    content BLOB NOT NULL
);
--bun:split
CREATE TABLE files (
    n                 INTEGER PRIMARY KEY,
    id                TEXT NOT NULL,
    slug              TEXT NOT NULL,
    filename          TEXT NOT NULL,
    storage_config_id TEXT NOT NULL,
    storage_type      TEXT NOT NULL,
    storage_path      TEXT NOT NULL,
    file_path         TEXT NOT NULL,
    mime_type         TEXT NOT NULL,
    size              BIGINT NOT NULL,
    etag              TEXT NOT NULL,
    remark            TEXT NOT NULL,
    password_hash     TEXT NOT NULL,
    expires_at        BIGINT,
    max_views         BIGINT NOT NULL,
    views             BIGINT NOT NULL,
    used_up_at        BIGINT,
    erased_at         BIGINT,
    use_proxy         BOOLEAN NOT NULL,
    created_by        TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL,
    pending           BOOLEAN NOT NULL,
    upload_id         TEXT NOT NULL,
    version           BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX files_id ON files (id);
--bun:split
CREATE UNIQUE INDEX files_slug ON files (slug);
--bun:split
CREATE INDEX files_newest ON files (created_at) WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending;
--bun:split
CREATE INDEX files_owner ON files (created_by, created_at) WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending;
--bun:split
CREATE INDEX files_object ON files (storage_config_id, storage_path);
--bun:split
CREATE INDEX files_expiring ON files (expires_at) WHERE expires_at IS NOT NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX files_used_up ON files (used_up_at) WHERE used_up_at IS NOT NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX files_erased ON files (erased_at) WHERE erased_at IS NOT NULL;
--bun:split
CREATE INDEX files_pending ON files (created_at) WHERE pending AND erased_at IS NULL;
--bun:split
-- What the files of each storage config hold, kept by the statements that
-- change files, so that asking for capacity reads one row.
CREATE TABLE storage_usage (
    storage_config_id TEXT NOT NULL PRIMARY KEY,
    files             BIGINT NOT NULL,
    bytes             BIGINT NOT NULL
);
