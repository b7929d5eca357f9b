-- Links through which people without an account send files, and what they have
-- sent. types are separated by spaces; ask_name and ask_note are no, optional or required.
CREATE TABLE requests (
    n                 INTEGER PRIMARY KEY,
    id                TEXT NOT NULL,
    slug              TEXT NOT NULL,
    title             TEXT NOT NULL,
    message           TEXT NOT NULL,
    created_by        TEXT NOT NULL,
    folder            TEXT NOT NULL,
    max_files         BIGINT NOT NULL,
    max_bytes         BIGINT NOT NULL,
    max_file_bytes    BIGINT NOT NULL,
    types             TEXT NOT NULL,
    folder_per_sender BOOLEAN NOT NULL,
    ask_name          TEXT NOT NULL,
    ask_note          TEXT NOT NULL,
    password_hash     TEXT NOT NULL,
    expires_at        BIGINT,
    ended_at          BIGINT,
    files             BIGINT NOT NULL,
    bytes             BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL,
    version           BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX requests_id ON requests (id);
--bun:split
CREATE UNIQUE INDEX requests_slug ON requests (slug);
--bun:split
CREATE INDEX requests_newest ON requests (created_at DESC, id DESC);
--bun:split
CREATE INDEX requests_owner ON requests (created_by, created_at DESC, id DESC);
--bun:split
CREATE TABLE request_files (
    n          INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    request_id TEXT NOT NULL,
    visit      TEXT NOT NULL,
    name       TEXT NOT NULL,
    sender     TEXT NOT NULL,
    note       TEXT NOT NULL,
    size       BIGINT NOT NULL,
    type       TEXT NOT NULL,
    state      TEXT NOT NULL,
    place      TEXT NOT NULL,
    session_id TEXT NOT NULL,
    part_size  BIGINT NOT NULL,
    part_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    stored_at  BIGINT
);
--bun:split
CREATE UNIQUE INDEX request_files_id ON request_files (id);
--bun:split
CREATE INDEX request_files_newest ON request_files (request_id, created_at DESC, id DESC);
--bun:split
CREATE INDEX request_files_unfinished ON request_files (created_at) WHERE state <> 'stored';
