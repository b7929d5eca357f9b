-- Files and folders on their way from one place to another: what a crash must
-- not leave half done.
CREATE TABLE journeys (
    id          TEXT NOT NULL PRIMARY KEY,
    from_config TEXT NOT NULL,
    from_key    TEXT NOT NULL,
    from_path   TEXT NOT NULL,
    to_config   TEXT NOT NULL,
    to_key      TEXT NOT NULL,
    to_path     TEXT NOT NULL,
    to_type     TEXT NOT NULL,
    folder      BOOLEAN NOT NULL,
    replacing   BOOLEAN NOT NULL,
    phase       TEXT NOT NULL,
    worker      TEXT NOT NULL,
    held        BOOLEAN NOT NULL,
    created_at  BIGINT NOT NULL,
    beat_at     BIGINT NOT NULL
);
