-- Who may open a share at all, and how its end moves when it is opened.
ALTER TABLE pastes ADD COLUMN key_only BOOLEAN NOT NULL DEFAULT FALSE;
--bun:split
ALTER TABLE pastes ADD COLUMN slide_ms BIGINT NOT NULL DEFAULT 0;
--bun:split
ALTER TABLE pastes ADD COLUMN slide_until BIGINT;
--bun:split
ALTER TABLE files ADD COLUMN key_only BOOLEAN NOT NULL DEFAULT FALSE;
--bun:split
ALTER TABLE files ADD COLUMN slide_ms BIGINT NOT NULL DEFAULT 0;
--bun:split
ALTER TABLE files ADD COLUMN slide_until BIGINT;
--bun:split
ALTER TABLE collections ADD COLUMN key_only BOOLEAN NOT NULL DEFAULT FALSE;
--bun:split
ALTER TABLE collections ADD COLUMN slide_ms BIGINT NOT NULL DEFAULT 0;
--bun:split
ALTER TABLE collections ADD COLUMN slide_until BIGINT;
