CREATE TABLE mounts (
    n                 INTEGER PRIMARY KEY,
    id                TEXT NOT NULL,
    name              TEXT NOT NULL,
    storage_type      TEXT NOT NULL,
    storage_config_id TEXT NOT NULL,
    path              TEXT NOT NULL,
    remark            TEXT NOT NULL,
    active            BOOLEAN NOT NULL,
    created_by        TEXT NOT NULL,
    sort_order        BIGINT NOT NULL,
    cache_ttl         BIGINT NOT NULL,
    web_proxy         BOOLEAN NOT NULL,
    enable_sign       BOOLEAN NOT NULL,
    sign_expires      BIGINT,
    webdav_policy     TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL,
    last_used         BIGINT
);
--bun:split
CREATE UNIQUE INDEX mounts_id ON mounts (id);
--bun:split
CREATE UNIQUE INDEX mounts_path ON mounts (path);
--bun:split
CREATE INDEX mounts_config ON mounts (storage_config_id);
