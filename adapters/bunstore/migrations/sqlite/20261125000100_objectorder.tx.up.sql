-- The records of a storage in the order of their keys, page by page.
CREATE INDEX files_object_bytes ON files (storage_config_id, storage_path, id) WHERE erased_at IS NULL;
