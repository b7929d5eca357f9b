-- Pages of the mounts in use, and of those of one storage, without a look at
-- the others.
CREATE INDEX mounts_active_order ON mounts (sort_order, name COLLATE "C", id) WHERE active;
--bun:split
CREATE INDEX mounts_config_order ON mounts (storage_config_id, sort_order, name COLLATE "C", id);
