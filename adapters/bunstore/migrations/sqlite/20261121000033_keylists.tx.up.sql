-- What the panel's lists of keys and mounts are sorted by, as in the queries.
CREATE INDEX api_keys_by_name ON api_keys (name COLLATE NOCASE);
--bun:split
CREATE INDEX api_keys_by_path ON api_keys (basic_path);
--bun:split
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at);
--bun:split
CREATE INDEX api_keys_by_use ON api_keys ((COALESCE(last_used, 0)));
--bun:split
CREATE INDEX mounts_by_name ON mounts (name COLLATE NOCASE);
--bun:split
CREATE INDEX mounts_newest ON mounts (created_at);
