-- Collections are links for several files. The items of one are files that name
-- it; its own row has what every share has.
CREATE TABLE collections (
    n             INTEGER PRIMARY KEY,
    id            TEXT NOT NULL,
    slug          TEXT NOT NULL,
    title         TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    expires_at    BIGINT,
    max_views     BIGINT NOT NULL,
    views         BIGINT NOT NULL,
    used_up_at    BIGINT,
    erased_at     BIGINT,
    created_by    TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    version       BIGINT NOT NULL
);
--bun:split
CREATE UNIQUE INDEX collections_id ON collections (id);
--bun:split
CREATE UNIQUE INDEX collections_slug ON collections (slug);
--bun:split
CREATE INDEX collections_newest ON collections (created_at) WHERE used_up_at IS NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX collections_owner ON collections (created_by, created_at) WHERE used_up_at IS NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX collections_expiring ON collections (expires_at) WHERE expires_at IS NOT NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX collections_used_up ON collections (used_up_at) WHERE used_up_at IS NOT NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX collections_erased ON collections (erased_at) WHERE erased_at IS NOT NULL;
--bun:split
ALTER TABLE files ADD COLUMN collection_id TEXT NOT NULL DEFAULT '';
--bun:split
ALTER TABLE files ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
--bun:split
CREATE INDEX files_items ON files (collection_id, position) WHERE collection_id <> '';
