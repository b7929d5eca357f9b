-- A file share whose file was replaced stays as a version of the share that has
-- its slug now. It is used up, so that nothing lists or opens it.
ALTER TABLE files ADD COLUMN version_of TEXT NOT NULL DEFAULT '';
--bun:split
-- Whether what replaces the file keeps no version of it.
ALTER TABLE files ADD COLUMN keep_none BOOLEAN NOT NULL DEFAULT FALSE;
--bun:split
CREATE INDEX files_versions ON files (version_of, version) WHERE version_of <> '';
