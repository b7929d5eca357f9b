-- Downloads of a collection that limits them: each counts once for its name, and
-- rows are at most as many as downloads were counted.
ALTER TABLE collections ADD COLUMN max_downloads BIGINT NOT NULL DEFAULT 0;
--bun:split
ALTER TABLE collections ADD COLUMN downloads BIGINT NOT NULL DEFAULT 0;
--bun:split
CREATE TABLE collection_downloads (
    collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    at            BIGINT NOT NULL,
    PRIMARY KEY (collection_id, name)
);
