-- When a move put the object of a share under its key; NULL: when it was created.
ALTER TABLE files ADD COLUMN placed_at BIGINT;
