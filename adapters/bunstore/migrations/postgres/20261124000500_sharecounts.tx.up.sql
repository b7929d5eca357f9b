-- How many shares of each day everybody has in their lists, kept by whoever writes: to count
-- a million rows for every page of a list takes far longer than the page.
-- Each is kept in parts, so that connections seldom wait for each other.
CREATE TABLE share_counts (
    kind       TEXT NOT NULL,
    created_by TEXT NOT NULL,
    day        BIGINT NOT NULL, -- of creation, in days of UTC since 1970
    part       INTEGER NOT NULL,
    listed     BIGINT NOT NULL,
    PRIMARY KEY (kind, created_by, day, part)
);
--bun:split
CREATE FUNCTION share_counted(of_kind TEXT, owner TEXT, created BIGINT, more BIGINT) RETURNS void LANGUAGE sql AS $$
    INSERT INTO share_counts AS c (kind, created_by, day, part, listed) VALUES (of_kind, owner, created / 86400000, pg_backend_pid() % 16, more)
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed
$$;
--bun:split
CREATE FUNCTION pastes_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was BOOLEAN := FALSE;
    is_now BOOLEAN := FALSE;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        was := OLD.used_up_at IS NULL AND OLD.erased_at IS NULL;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        is_now := NEW.used_up_at IS NULL AND NEW.erased_at IS NULL;
    END IF;
    IF was AND is_now AND OLD.created_by = NEW.created_by AND OLD.created_at = NEW.created_at THEN
        RETURN NULL;
    END IF;
    IF was THEN
        PERFORM share_counted('paste', OLD.created_by, OLD.created_at, -1);
    END IF;
    IF is_now THEN
        PERFORM share_counted('paste', NEW.created_by, NEW.created_at, 1);
    END IF;
    RETURN NULL;
END $$;
--bun:split
CREATE TRIGGER pastes_counted AFTER INSERT OR DELETE OR UPDATE OF used_up_at, erased_at, created_by, created_at ON pastes FOR EACH ROW EXECUTE FUNCTION pastes_count();
--bun:split
INSERT INTO share_counts (kind, created_by, day, part, listed) SELECT 'paste', created_by, created_at / 86400000, 0, count(*) FROM pastes WHERE used_up_at IS NULL AND erased_at IS NULL GROUP BY created_by, created_at / 86400000;
--bun:split
CREATE FUNCTION files_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was BOOLEAN := FALSE;
    is_now BOOLEAN := FALSE;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        was := OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        is_now := NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending;
    END IF;
    IF was AND is_now AND OLD.created_by = NEW.created_by AND OLD.created_at = NEW.created_at THEN
        RETURN NULL;
    END IF;
    IF was THEN
        PERFORM share_counted('file', OLD.created_by, OLD.created_at, -1);
    END IF;
    IF is_now THEN
        PERFORM share_counted('file', NEW.created_by, NEW.created_at, 1);
    END IF;
    RETURN NULL;
END $$;
--bun:split
CREATE TRIGGER files_counted AFTER INSERT OR DELETE OR UPDATE OF used_up_at, erased_at, created_by, created_at, pending ON files FOR EACH ROW EXECUTE FUNCTION files_count();
--bun:split
INSERT INTO share_counts (kind, created_by, day, part, listed) SELECT 'file', created_by, created_at / 86400000, 0, count(*) FROM files WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending GROUP BY created_by, created_at / 86400000;
