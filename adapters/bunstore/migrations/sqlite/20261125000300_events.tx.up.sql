-- What has happened and who is to hear of it. events is the outbox: a row is
-- written in the transaction of its cause, and routed when its deliveries are made.
CREATE TABLE events (
    n       INTEGER PRIMARY KEY,
    id      TEXT NOT NULL,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    at      BIGINT NOT NULL,
    data    TEXT NOT NULL,
    routed  BOOLEAN NOT NULL
);
--bun:split
CREATE INDEX events_outbox ON events (n) WHERE NOT routed;
--bun:split
CREATE TABLE event_channels (
    n          INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    name       TEXT NOT NULL,
    type       TEXT NOT NULL,
    address    TEXT NOT NULL,
    kinds      TEXT NOT NULL,
    active     BOOLEAN NOT NULL,
    secrets    TEXT NOT NULL,
    failures   BIGINT NOT NULL,
    retry_at   BIGINT NOT NULL,
    stopped    TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version    BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX event_channels_id ON event_channels (id);
--bun:split
CREATE TABLE event_leases (
    channel_id TEXT PRIMARY KEY,
    turn       BIGINT NOT NULL,
    until      BIGINT NOT NULL
);
--bun:split
CREATE TABLE event_deliveries (
    n          INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    channel_id TEXT NOT NULL,
    event_n    BIGINT NOT NULL,
    subject    TEXT NOT NULL,
    status     TEXT NOT NULL,
    attempts   BIGINT NOT NULL,
    next_at    BIGINT NOT NULL,
    answer     BIGINT NOT NULL,
    problem    TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX event_deliveries_id ON event_deliveries (id);
--bun:split
CREATE INDEX event_deliveries_channel ON event_deliveries (channel_id, n DESC);
--bun:split
CREATE INDEX event_deliveries_waiting ON event_deliveries (channel_id, n) WHERE status = 'waiting';
--bun:split
CREATE INDEX event_deliveries_held ON event_deliveries (channel_id, subject, n) WHERE status = 'waiting';
--bun:split
CREATE INDEX event_deliveries_old ON event_deliveries (status, updated_at);
--bun:split
CREATE INDEX event_deliveries_event ON event_deliveries (event_n);
