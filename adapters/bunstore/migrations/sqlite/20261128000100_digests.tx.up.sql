-- A channel gathers one digest at a time.
CREATE UNIQUE INDEX event_deliveries_digest ON event_deliveries (channel_id) WHERE status = 'held';
