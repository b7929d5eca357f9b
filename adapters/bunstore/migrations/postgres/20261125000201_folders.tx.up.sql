-- A collection is a folder of a mount, by its path, or, where that is empty, the
-- files that name it.
ALTER TABLE collections ADD COLUMN root TEXT NOT NULL DEFAULT '';
