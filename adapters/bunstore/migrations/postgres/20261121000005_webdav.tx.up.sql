CREATE TABLE dav_locks (
    n          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token      TEXT NOT NULL,
    path       TEXT COLLATE "C" NOT NULL,
    folder     BOOLEAN NOT NULL,
    deep       BOOLEAN NOT NULL,
    shared     BOOLEAN NOT NULL,
    note       TEXT NOT NULL,
    holder     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX dav_locks_token ON dav_locks (token);
--bun:split
CREATE INDEX dav_locks_path ON dav_locks (path);
--bun:split
CREATE INDEX dav_locks_holder ON dav_locks (holder);
--bun:split
CREATE INDEX dav_locks_expiring ON dav_locks (expires_at);
--bun:split
CREATE TABLE dav_properties (
    folder TEXT COLLATE "C" NOT NULL,
    name   TEXT COLLATE "C" NOT NULL,
    space  TEXT COLLATE "C" NOT NULL,
    local  TEXT COLLATE "C" NOT NULL,
    xml    TEXT NOT NULL,
    PRIMARY KEY (folder, name, space, local)
);
