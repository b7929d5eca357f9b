-- Sessions of uploads in parts, whatever they are for. Those of file shares were
-- noted in the share until now, and those of mounts in a table of their own.
ALTER TABLE mount_uploads RENAME TO uploads;
--bun:split
ALTER TABLE uploads ADD COLUMN destination TEXT NOT NULL DEFAULT 'tree';
--bun:split
DROP INDEX mount_uploads_id;
--bun:split
DROP INDEX mount_uploads_upload;
--bun:split
DROP INDEX mount_uploads_oldest;
--bun:split
CREATE UNIQUE INDEX uploads_id ON uploads (id);
--bun:split
CREATE UNIQUE INDEX uploads_upload ON uploads (storage_config_id, upload_id);
--bun:split
CREATE INDEX uploads_oldest ON uploads (created_at);
--bun:split
-- The parts of a share's file follow from its size: 5 MiB, or the least multiple
-- of it that needs no more than 10000 parts.
INSERT INTO uploads (id, destination, storage_config_id, upload_id, path, object_key, owner, size, part_size, part_count, created_at, completed_at, etag, stored_size)
SELECT id, 'share', storage_config_id, upload_id, '', storage_path, created_by, size, part_size, greatest(1, (size + part_size - 1) / part_size), created_at, NULL, '', 0
FROM (SELECT id, storage_config_id, upload_id, storage_path, created_by, size, created_at, 5242880 * greatest(1, (size + 52428799999) / 52428800000) AS part_size
      FROM files WHERE pending AND erased_at IS NULL AND upload_id <> '') AS begun;
--bun:split
ALTER TABLE files DROP COLUMN upload_id;
