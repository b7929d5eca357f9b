-- Channels that accounts have for themselves, whose matter an event is, and the
-- shares of whose openings accounts want to be told. An owner is a created_by.
ALTER TABLE event_channels ADD COLUMN owner TEXT NOT NULL DEFAULT '';
--bun:split
ALTER TABLE events ADD COLUMN owner TEXT NOT NULL DEFAULT '';
--bun:split
CREATE TABLE event_watches (
    share TEXT NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (share, owner)
);
--bun:split
CREATE INDEX event_watches_owner ON event_watches (owner);
