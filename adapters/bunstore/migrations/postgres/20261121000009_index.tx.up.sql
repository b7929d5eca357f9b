CREATE EXTENSION IF NOT EXISTS pg_trgm;
--bun:split
CREATE TABLE index_storages (
    n          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    config_id  TEXT NOT NULL,
    scanned_at BIGINT,
    scan       TEXT NOT NULL,
    beat_at    BIGINT,
    failed_at  BIGINT
);
--bun:split
CREATE UNIQUE INDEX index_storages_config ON index_storages (config_id);
--bun:split
CREATE TABLE index_folders (
    n       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    store   BIGINT NOT NULL,
    path    TEXT COLLATE "C" NOT NULL,
    size    BIGINT NOT NULL,
    files   BIGINT NOT NULL,
    folders BIGINT NOT NULL,
    newest  BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX index_folders_path ON index_folders (store, path);
--bun:split
CREATE TABLE index_entries (
    n        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    store    BIGINT NOT NULL,
    folder   BIGINT NOT NULL,
    name     TEXT COLLATE "C" NOT NULL,
    folded   TEXT NOT NULL,
    size     BIGINT NOT NULL,
    modified BIGINT NOT NULL,
    etag     TEXT NOT NULL,
    marker   BOOLEAN NOT NULL,
    noted_at BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX index_entries_name ON index_entries (folder, name);
--bun:split
CREATE INDEX index_entries_folded ON index_entries (store, folded COLLATE "C");
--bun:split
CREATE INDEX index_entries_trigrams ON index_entries USING gin (folded gin_trgm_ops);
