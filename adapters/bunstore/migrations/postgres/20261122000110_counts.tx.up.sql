-- How often a storage was counted, now and when a reservation was made: what that
-- is for may be part of a later count before it is settled.
ALTER TABLE storage_capacity ADD COLUMN counts BIGINT NOT NULL DEFAULT 0;
--bun:split
ALTER TABLE storage_reservations ADD COLUMN counts BIGINT NOT NULL DEFAULT 0;
