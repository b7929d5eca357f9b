-- A collection can be a choice of what lies in its folder: paths below it, as a list
-- in JSON. Empty means everything.
ALTER TABLE collections ADD COLUMN picks TEXT NOT NULL DEFAULT '';
