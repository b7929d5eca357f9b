-- The records of a storage in the order of their keys, page by page.
DROP INDEX files_object;
--bun:split
CREATE INDEX files_object ON files (storage_config_id, storage_path, id);
