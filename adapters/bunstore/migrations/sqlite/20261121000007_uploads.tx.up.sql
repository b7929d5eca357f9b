-- Uploads in parts that were begun through mounts.
CREATE TABLE mount_uploads (
    n                 INTEGER PRIMARY KEY,
    id                TEXT NOT NULL,
    storage_config_id TEXT NOT NULL,
    upload_id         TEXT NOT NULL,
    path              TEXT NOT NULL,
    object_key        TEXT NOT NULL,
    owner             TEXT NOT NULL,
    size              BIGINT NOT NULL,
    part_size         BIGINT NOT NULL,
    part_count        BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    completed_at      BIGINT,
    etag              TEXT NOT NULL,
    stored_size       BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX mount_uploads_id ON mount_uploads (id);
--bun:split
CREATE UNIQUE INDEX mount_uploads_upload ON mount_uploads (storage_config_id, upload_id);
--bun:split
CREATE INDEX mount_uploads_oldest ON mount_uploads (created_at);
