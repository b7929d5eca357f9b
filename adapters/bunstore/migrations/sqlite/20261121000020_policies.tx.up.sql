CREATE TABLE policy_revisions (
    n          INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    number     BIGINT NOT NULL,
    rules      TEXT NOT NULL,
    hash       TEXT NOT NULL,
    note       TEXT NOT NULL,
    author     TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX policy_revisions_id ON policy_revisions (id);
--bun:split
CREATE UNIQUE INDEX policy_revisions_number ON policy_revisions (number);
--bun:split
CREATE TABLE policy_state (
    id         BIGINT NOT NULL PRIMARY KEY,
    version    BIGINT NOT NULL,
    active     TEXT NOT NULL,
    previous   TEXT NOT NULL,
    trial_ends BIGINT,
    changed_at BIGINT NOT NULL,
    changed_by TEXT NOT NULL,
    shadow     TEXT NOT NULL
);
--bun:split
CREATE TABLE decisions (
    n          INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    at         BIGINT NOT NULL,
    revision   TEXT NOT NULL,
    kind       TEXT NOT NULL,
    principal  TEXT NOT NULL,
    name       TEXT NOT NULL,
    action     TEXT NOT NULL,
    path       TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    codes      TEXT NOT NULL,
    failed     TEXT NOT NULL,
    request_id TEXT NOT NULL,
    client_ip  TEXT NOT NULL,
    took_us    BIGINT NOT NULL,
    input      BLOB
);
--bun:split
CREATE UNIQUE INDEX decisions_id ON decisions (id);
--bun:split
CREATE INDEX decisions_at ON decisions (at);
--bun:split
CREATE TABLE policy_hits (
    code    TEXT NOT NULL,
    hour    BIGINT NOT NULL,
    hits    BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (code, hour)
);
