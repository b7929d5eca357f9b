-- Keyed hashes over both ends of a chain, and the first entry that was added
-- to an end which its hash did not fit; 0 for none.
ALTER TABLE audit_heads ADD COLUMN mac TEXT NOT NULL DEFAULT '';
--bun:split
ALTER TABLE audit_heads ADD COLUMN base_mac TEXT NOT NULL DEFAULT '';
--bun:split
ALTER TABLE audit_heads ADD COLUMN doubt BIGINT NOT NULL DEFAULT 0;
