-- Checksums of what was sent in a ZIP file once, by a hash that names exactly
-- these bytes. A download that goes on needs those of what it has sent before.
CREATE TABLE zip_sums (
    name        TEXT NOT NULL PRIMARY KEY,
    crc         BIGINT NOT NULL,
    computed_at BIGINT NOT NULL
);
--bun:split
CREATE INDEX zip_sums_old ON zip_sums (computed_at);
