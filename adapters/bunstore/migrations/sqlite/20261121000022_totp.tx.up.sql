CREATE TABLE admin_totp (
    admin_id   TEXT NOT NULL PRIMARY KEY,
    sealed     BLOB NOT NULL,
    enabled    BOOLEAN NOT NULL,
    last_step  BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
--bun:split
CREATE TABLE admin_recovery (
    admin_id TEXT NOT NULL,
    hash     TEXT NOT NULL,
    PRIMARY KEY (admin_id, hash)
);
