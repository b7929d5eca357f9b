CREATE TABLE index_storages (
    n          INTEGER PRIMARY KEY,
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
    n       INTEGER PRIMARY KEY,
    store   BIGINT NOT NULL,
    path    TEXT NOT NULL,
    size    BIGINT NOT NULL,
    files   BIGINT NOT NULL,
    folders BIGINT NOT NULL,
    newest  BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX index_folders_path ON index_folders (store, path);
--bun:split
CREATE TABLE index_entries (
    n        INTEGER PRIMARY KEY,
    store    BIGINT NOT NULL,
    folder   BIGINT NOT NULL,
    name     TEXT NOT NULL,
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
CREATE INDEX index_entries_folded ON index_entries (store, folded);
--bun:split
CREATE VIRTUAL TABLE index_names USING fts5(folded, content='index_entries', content_rowid='n', tokenize='trigram case_sensitive 1', columnsize=0);
--bun:split
CREATE TRIGGER index_entries_new AFTER INSERT ON index_entries BEGIN
    INSERT INTO index_names (rowid, folded) VALUES (new.n, new.folded);
END;
--bun:split
CREATE TRIGGER index_entries_gone AFTER DELETE ON index_entries BEGIN
    INSERT INTO index_names (index_names, rowid, folded) VALUES ('delete', old.n, old.folded);
END;
