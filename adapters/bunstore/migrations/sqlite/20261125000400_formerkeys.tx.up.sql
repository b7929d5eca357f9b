ALTER TABLE api_keys ADD COLUMN former_mac TEXT NOT NULL DEFAULT '';
--bun:split
ALTER TABLE api_keys ADD COLUMN former_masked TEXT NOT NULL DEFAULT '';
--bun:split
ALTER TABLE api_keys ADD COLUMN former_until BIGINT NOT NULL DEFAULT 0;
--bun:split
CREATE UNIQUE INDEX api_keys_former ON api_keys (former_mac) WHERE former_mac <> '';
