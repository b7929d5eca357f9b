-- What channels for people need besides an address, and how often the event of a
-- delivery has happened.
ALTER TABLE event_channels ADD COLUMN options TEXT NOT NULL DEFAULT '{}';
--bun:split
ALTER TABLE event_deliveries ADD COLUMN times BIGINT NOT NULL DEFAULT 1;
