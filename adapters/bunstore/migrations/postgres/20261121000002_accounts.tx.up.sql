CREATE TABLE api_keys (
    n           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id          TEXT NOT NULL,
    name        TEXT NOT NULL,
    mac         TEXT NOT NULL,
    masked      TEXT NOT NULL,
    permissions BIGINT NOT NULL,
    role        TEXT NOT NULL,
    basic_path  TEXT NOT NULL,
    is_guest    BOOLEAN NOT NULL,
    is_active   BOOLEAN NOT NULL,
    expires_at  BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    last_used   BIGINT
);
--bun:split
CREATE UNIQUE INDEX api_keys_id ON api_keys (id);
--bun:split
CREATE UNIQUE INDEX api_keys_name ON api_keys (name);
--bun:split
CREATE UNIQUE INDEX api_keys_mac ON api_keys (mac);
--bun:split
CREATE TABLE admins (
    n             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            TEXT NOT NULL,
    username      TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX admins_id ON admins (id);
--bun:split
CREATE UNIQUE INDEX admins_username ON admins (username);
--bun:split
CREATE TABLE sessions (
    n          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         TEXT NOT NULL,
    admin_id   TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    client_ip  TEXT NOT NULL,
    user_agent TEXT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX sessions_id ON sessions (id);
--bun:split
CREATE INDEX sessions_admin ON sessions (admin_id, created_at);
--bun:split
CREATE INDEX sessions_expiring ON sessions (expires_at);
--bun:split
CREATE TABLE settings (
    name       TEXT NOT NULL PRIMARY KEY,
    value      TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
--bun:split
CREATE TABLE secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);
--bun:split
CREATE TABLE storage_configs (
    n                    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id                   TEXT NOT NULL,
    name                 TEXT NOT NULL,
    driver               TEXT NOT NULL,
    provider_type        TEXT NOT NULL,
    storage_type         TEXT NOT NULL,
    endpoint_url         TEXT NOT NULL,
    bucket_name          TEXT NOT NULL,
    region               TEXT NOT NULL,
    path_style           BOOLEAN NOT NULL,
    sealed               BYTEA,
    options              TEXT NOT NULL,
    default_folder       TEXT NOT NULL,
    is_public            BOOLEAN NOT NULL,
    is_default           BOOLEAN NOT NULL,
    total_storage_bytes  BIGINT NOT NULL,
    custom_host          TEXT NOT NULL,
    signature_expires_in BIGINT NOT NULL,
    admin_id             TEXT NOT NULL,
    created_at           BIGINT NOT NULL,
    updated_at           BIGINT NOT NULL,
    last_used            BIGINT
);
--bun:split
CREATE UNIQUE INDEX storage_configs_id ON storage_configs (id);
--bun:split
CREATE TABLE guesses (
    subject  TEXT NOT NULL PRIMARY KEY,
    failures BIGINT NOT NULL,
    last_at  BIGINT NOT NULL,
    ends_at  BIGINT NOT NULL
);
--bun:split
CREATE INDEX guesses_ending ON guesses (ends_at);
--bun:split
CREATE TABLE idempotency (
    caller     TEXT NOT NULL,
    name       TEXT NOT NULL,
    method     TEXT NOT NULL,
    path       TEXT NOT NULL,
    body       BYTEA NOT NULL,
    claimed_at BIGINT NOT NULL,
    status     BIGINT NOT NULL,
    type       TEXT NOT NULL,
    answer     BYTEA,
    PRIMARY KEY (caller, name)
);
--bun:split
CREATE INDEX idempotency_claimed ON idempotency (claimed_at);
