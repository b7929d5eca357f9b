-- What a storage with a capacity holds, whatever door it came by. Storages
-- without one have no row, or one that is not kept.
CREATE TABLE storage_capacity (
    storage_config_id TEXT PRIMARY KEY,
    held              INTEGER NOT NULL, -- bytes; never less than the storage has
    reserved          INTEGER NOT NULL, -- bytes, the sum of the reservations
    added             INTEGER NOT NULL, -- bytes that were ever settled; tells a count what came meanwhile
    doubt             INTEGER NOT NULL -- 0: as counted; 1: less may be held; 2: it must be counted before it is used
);
--bun:split
-- Bytes that are on their way. Each has an end, so that a killed process leaks
-- nothing.
CREATE TABLE storage_reservations (
    id                TEXT PRIMARY KEY,
    storage_config_id TEXT NOT NULL,
    bytes             INTEGER NOT NULL,
    counted           BOOLEAN NOT NULL, -- in storage_capacity
    owner             TEXT NOT NULL,
    day               TEXT NOT NULL,    -- in upload_days; empty when not counted there yet
    expires_at        INTEGER NOT NULL
);
--bun:split
CREATE INDEX storage_reservations_config ON storage_reservations (storage_config_id, expires_at);
--bun:split
CREATE INDEX storage_reservations_expiry ON storage_reservations (expires_at);
--bun:split
-- What each owner has uploaded in a day of UTC, uploads under way included where
-- a quota bounds them.
CREATE TABLE upload_days (
    owner TEXT NOT NULL,
    day   TEXT NOT NULL, -- 2006-01-02
    bytes INTEGER NOT NULL,
    files INTEGER NOT NULL,
    PRIMARY KEY (owner, day)
);
--bun:split
CREATE INDEX upload_days_day ON upload_days (day);
--bun:split
-- What the file shares of each owner hold; those of files in mounts hold nothing.
CREATE TABLE owner_usage (
    owner TEXT PRIMARY KEY,
    files INTEGER NOT NULL,
    bytes INTEGER NOT NULL
);
--bun:split
INSERT INTO owner_usage (owner, files, bytes)
SELECT created_by, count(*), sum(size) FROM files WHERE erased_at IS NULL AND file_path = '' GROUP BY created_by;
