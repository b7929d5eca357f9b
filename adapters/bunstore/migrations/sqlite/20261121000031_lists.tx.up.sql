-- What the panel's lists are sorted and narrowed by, so that a page of 100,000
-- rows needs no look at all of them.
CREATE INDEX api_keys_newest ON api_keys (created_at);
--bun:split
CREATE INDEX mounts_order ON mounts (sort_order, name, id);
--bun:split
CREATE INDEX pastes_by_size ON pastes (size) WHERE used_up_at IS NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX pastes_by_views ON pastes (views) WHERE used_up_at IS NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX pastes_by_expiry ON pastes ((expires_at IS NULL), expires_at) WHERE used_up_at IS NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX pastes_protected ON pastes (created_at) WHERE used_up_at IS NULL AND erased_at IS NULL AND password_hash <> '';
--bun:split
CREATE INDEX pastes_limited ON pastes (created_at) WHERE used_up_at IS NULL AND erased_at IS NULL AND max_views > 0;
--bun:split
CREATE INDEX files_by_size ON files (size) WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending;
--bun:split
CREATE INDEX files_by_views ON files (views) WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending;
--bun:split
CREATE INDEX files_by_filename ON files (filename) WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending;
--bun:split
CREATE INDEX files_by_expiry ON files ((expires_at IS NULL), expires_at) WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending;
--bun:split
CREATE INDEX files_protected ON files (created_at) WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending AND password_hash <> '';
--bun:split
CREATE INDEX files_limited ON files (created_at) WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending AND max_views > 0;
--bun:split
CREATE INDEX files_storage ON files (storage_config_id, created_at) WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending;
--bun:split
CREATE INDEX files_mounted ON files (created_at) WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending AND file_path <> '';
