-- A folder as it stood when the link for it was made: its files, below its root.
ALTER TABLE collections ADD COLUMN stood BOOLEAN NOT NULL DEFAULT FALSE;
--bun:split
CREATE TABLE collection_stands (
    collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    path          TEXT NOT NULL,
    size          BIGINT NOT NULL,
    etag          TEXT NOT NULL,
    modified      BIGINT NOT NULL,
    PRIMARY KEY (collection_id, path)
);
