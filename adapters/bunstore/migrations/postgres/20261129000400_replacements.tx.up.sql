-- A file that is to become the content of a share waits under a slug that nobody
-- knows. Until it has come the share has what it had.
ALTER TABLE files ADD COLUMN replaces TEXT NOT NULL DEFAULT '';
--bun:split
CREATE INDEX files_replacing ON files (replaces) WHERE replaces <> '';
--bun:split
-- So far it had the slug at once, and what it was to replace was its newest version.
UPDATE files SET replaces = (SELECT v.id FROM files v WHERE v.version_of <> '' AND v.version_of = files.id AND v.erased_at IS NULL ORDER BY v.version DESC LIMIT 1),
    slug = slug || '~', keep_none = FALSE
WHERE pending AND id IN (SELECT version_of FROM files WHERE version_of <> '' AND erased_at IS NULL);
--bun:split
UPDATE files SET version_of = '', used_up_at = NULL,
    slug = (SELECT substr(p.slug, 1, length(p.slug) - 1) FROM files p WHERE p.replaces <> '' AND p.replaces = files.id)
WHERE id IN (SELECT replaces FROM files WHERE replaces <> '');
--bun:split
UPDATE files SET version_of = (SELECT p.replaces FROM files p WHERE p.id = files.version_of)
WHERE version_of IN (SELECT id FROM files WHERE replaces <> '');
