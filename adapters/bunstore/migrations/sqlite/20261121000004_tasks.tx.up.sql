-- Work in the background: our own rows are the truth, the queue holds ids only.
CREATE TABLE tasks (
    n                INTEGER PRIMARY KEY,
    id               TEXT NOT NULL,
    kind             TEXT NOT NULL,
    title            TEXT NOT NULL,
    owner            TEXT NOT NULL,
    created_by       TEXT NOT NULL,
    status           TEXT NOT NULL,
    cancelling       BOOLEAN NOT NULL,
    failure          TEXT NOT NULL,
    payload          BLOB,
    state            BLOB,
    passed_completed BIGINT NOT NULL,
    passed_skipped   BIGINT NOT NULL,
    passed_failed    BIGINT NOT NULL,
    passed_bytes     BIGINT NOT NULL,
    items            BIGINT NOT NULL,
    bytes            BIGINT NOT NULL,
    done_completed   BIGINT NOT NULL,
    done_skipped     BIGINT NOT NULL,
    done_failed      BIGINT NOT NULL,
    done_bytes       BIGINT NOT NULL,
    underway         TEXT NOT NULL,
    run              BIGINT NOT NULL,
    node             TEXT NOT NULL,
    beat_at          BIGINT NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    started_at       BIGINT,
    finished_at      BIGINT
);
--bun:split
CREATE UNIQUE INDEX tasks_id ON tasks (id);
--bun:split
CREATE INDEX tasks_newest ON tasks (created_at, id);
--bun:split
CREATE INDEX tasks_owner ON tasks (created_by, created_at, id);
--bun:split
CREATE INDEX tasks_unfinished ON tasks (status, beat_at) WHERE finished_at IS NULL;
--bun:split
CREATE INDEX tasks_finished ON tasks (finished_at, id) WHERE finished_at IS NOT NULL;
--bun:split
CREATE TABLE task_items (
    n       INTEGER PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    path    TEXT NOT NULL,
    target  TEXT NOT NULL,
    status  TEXT NOT NULL,
    bytes   BIGINT NOT NULL,
    failure TEXT NOT NULL,
    passed  BOOLEAN NOT NULL,
    told_at BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX task_items_path ON task_items (task_id, path);
--bun:split
CREATE INDEX task_items_told ON task_items (task_id, n);
