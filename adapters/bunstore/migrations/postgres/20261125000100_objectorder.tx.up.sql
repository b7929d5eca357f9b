-- The records of a storage in the order of the bytes of their keys, as storages list
-- them, page by page. files_object stays: it finds one key in the database's own order.
CREATE INDEX files_object_bytes ON files (storage_config_id, storage_path COLLATE "C", id) WHERE erased_at IS NULL;
