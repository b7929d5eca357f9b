-- What visitors of a collection see first; empty: what they have chosen themselves.
ALTER TABLE collections ADD COLUMN look TEXT NOT NULL DEFAULT '';
