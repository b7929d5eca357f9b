-- Lists of shares that are protected, limited or have ended are counted by their writers, too: share_ends
-- tells how many listed shares end on each day. What one statement inserts or deletes is counted at
-- once: a row that is updated again and again in one transaction takes longer each time.
ALTER TABLE share_counts ADD COLUMN protected BIGINT NOT NULL DEFAULT 0, ADD COLUMN limited BIGINT NOT NULL DEFAULT 0;
--bun:split
CREATE TABLE share_ends (
    kind       TEXT NOT NULL,
    created_by TEXT NOT NULL,
    day        BIGINT NOT NULL, -- of the end, in days of UTC since 1970
    part       INTEGER NOT NULL,
    listed     BIGINT NOT NULL,
    PRIMARY KEY (kind, created_by, day, part)
);
--bun:split
DROP TRIGGER pastes_counted ON pastes;
--bun:split
DROP FUNCTION pastes_count();
--bun:split
CREATE FUNCTION pastes_count_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO share_counts AS c (kind, created_by, day, part, listed, protected, limited)
    SELECT 'paste', created_by, created_at / 86400000, pg_backend_pid() % 16, sum(sign), sum(CASE WHEN password_hash <> '' THEN sign ELSE 0 END), sum(CASE WHEN max_views > 0 THEN sign ELSE 0 END)
    FROM (SELECT 1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM came WHERE used_up_at IS NULL AND erased_at IS NULL) AS r GROUP BY created_by, created_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed, protected = c.protected + excluded.protected, limited = c.limited + excluded.limited;
    INSERT INTO share_ends AS c (kind, created_by, day, part, listed)
    SELECT 'paste', created_by, expires_at / 86400000, pg_backend_pid() % 16, sum(sign)
    FROM (SELECT 1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM came WHERE used_up_at IS NULL AND erased_at IS NULL) AS r WHERE expires_at IS NOT NULL GROUP BY created_by, expires_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed;
    RETURN NULL;
END $$;
--bun:split
CREATE FUNCTION pastes_count_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO share_counts AS c (kind, created_by, day, part, listed, protected, limited)
    SELECT 'paste', created_by, created_at / 86400000, pg_backend_pid() % 16, sum(sign), sum(CASE WHEN password_hash <> '' THEN sign ELSE 0 END), sum(CASE WHEN max_views > 0 THEN sign ELSE 0 END)
    FROM (SELECT -1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM went WHERE used_up_at IS NULL AND erased_at IS NULL) AS r GROUP BY created_by, created_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed, protected = c.protected + excluded.protected, limited = c.limited + excluded.limited;
    INSERT INTO share_ends AS c (kind, created_by, day, part, listed)
    SELECT 'paste', created_by, expires_at / 86400000, pg_backend_pid() % 16, sum(sign)
    FROM (SELECT -1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM went WHERE used_up_at IS NULL AND erased_at IS NULL) AS r WHERE expires_at IS NOT NULL GROUP BY created_by, expires_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed;
    RETURN NULL;
END $$;
--bun:split
CREATE FUNCTION pastes_count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO share_counts AS c (kind, created_by, day, part, listed, protected, limited)
    SELECT 'paste', created_by, created_at / 86400000, pg_backend_pid() % 16, sum(sign), sum(CASE WHEN password_hash <> '' THEN sign ELSE 0 END), sum(CASE WHEN max_views > 0 THEN sign ELSE 0 END)
    FROM (SELECT -1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM (SELECT OLD.created_by, OLD.created_at, OLD.expires_at, OLD.password_hash, OLD.max_views, OLD.used_up_at, OLD.erased_at) AS was WHERE used_up_at IS NULL AND erased_at IS NULL UNION ALL SELECT 1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM (SELECT NEW.created_by, NEW.created_at, NEW.expires_at, NEW.password_hash, NEW.max_views, NEW.used_up_at, NEW.erased_at) AS was WHERE used_up_at IS NULL AND erased_at IS NULL) AS r GROUP BY created_by, created_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed, protected = c.protected + excluded.protected, limited = c.limited + excluded.limited;
    INSERT INTO share_ends AS c (kind, created_by, day, part, listed)
    SELECT 'paste', created_by, expires_at / 86400000, pg_backend_pid() % 16, sum(sign)
    FROM (SELECT -1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM (SELECT OLD.created_by, OLD.created_at, OLD.expires_at, OLD.password_hash, OLD.max_views, OLD.used_up_at, OLD.erased_at) AS was WHERE used_up_at IS NULL AND erased_at IS NULL UNION ALL SELECT 1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM (SELECT NEW.created_by, NEW.created_at, NEW.expires_at, NEW.password_hash, NEW.max_views, NEW.used_up_at, NEW.erased_at) AS was WHERE used_up_at IS NULL AND erased_at IS NULL) AS r WHERE expires_at IS NOT NULL GROUP BY created_by, expires_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed;
    RETURN NULL;
END $$;
--bun:split
CREATE TRIGGER pastes_counted AFTER INSERT ON pastes REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION pastes_count_new();
--bun:split
CREATE TRIGGER pastes_uncounted AFTER DELETE ON pastes REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION pastes_count_gone();
--bun:split
CREATE TRIGGER pastes_recounted AFTER UPDATE OF used_up_at, erased_at, created_by, created_at, password_hash, max_views, expires_at ON pastes FOR EACH ROW WHEN ((NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL) OR NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR NEW.expires_at IS DISTINCT FROM OLD.expires_at OR (NEW.password_hash <> '') <> (OLD.password_hash <> '') OR (NEW.max_views > 0) <> (OLD.max_views > 0)) EXECUTE FUNCTION pastes_count_changed();
--bun:split
UPDATE share_counts c SET protected = s.protected, limited = s.limited FROM (SELECT d.kind, d.created_by, d.day, min(d.part) AS part, a.protected, a.limited FROM share_counts d
    JOIN (SELECT created_by, created_at / 86400000 AS day, count(*) FILTER (WHERE password_hash <> '') AS protected, count(*) FILTER (WHERE max_views > 0) AS limited FROM pastes WHERE pastes.used_up_at IS NULL AND pastes.erased_at IS NULL GROUP BY created_by, created_at / 86400000) AS a
    ON d.kind = 'paste' AND d.created_by = a.created_by AND d.day = a.day GROUP BY d.kind, d.created_by, d.day, a.protected, a.limited) AS s
    WHERE c.kind = s.kind AND c.created_by = s.created_by AND c.day = s.day AND c.part = s.part;
--bun:split
INSERT INTO share_ends (kind, created_by, day, part, listed) SELECT 'paste', created_by, expires_at / 86400000, 0, count(*) FROM pastes WHERE expires_at IS NOT NULL AND pastes.used_up_at IS NULL AND pastes.erased_at IS NULL GROUP BY created_by, expires_at / 86400000;
--bun:split
DROP TRIGGER files_counted ON files;
--bun:split
DROP FUNCTION files_count();
--bun:split
CREATE FUNCTION files_count_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO share_counts AS c (kind, created_by, day, part, listed, protected, limited)
    SELECT 'file', created_by, created_at / 86400000, pg_backend_pid() % 16, sum(sign), sum(CASE WHEN password_hash <> '' THEN sign ELSE 0 END), sum(CASE WHEN max_views > 0 THEN sign ELSE 0 END)
    FROM (SELECT 1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM came WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending) AS r GROUP BY created_by, created_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed, protected = c.protected + excluded.protected, limited = c.limited + excluded.limited;
    INSERT INTO share_ends AS c (kind, created_by, day, part, listed)
    SELECT 'file', created_by, expires_at / 86400000, pg_backend_pid() % 16, sum(sign)
    FROM (SELECT 1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM came WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending) AS r WHERE expires_at IS NOT NULL GROUP BY created_by, expires_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed;
    RETURN NULL;
END $$;
--bun:split
CREATE FUNCTION files_count_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO share_counts AS c (kind, created_by, day, part, listed, protected, limited)
    SELECT 'file', created_by, created_at / 86400000, pg_backend_pid() % 16, sum(sign), sum(CASE WHEN password_hash <> '' THEN sign ELSE 0 END), sum(CASE WHEN max_views > 0 THEN sign ELSE 0 END)
    FROM (SELECT -1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM went WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending) AS r GROUP BY created_by, created_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed, protected = c.protected + excluded.protected, limited = c.limited + excluded.limited;
    INSERT INTO share_ends AS c (kind, created_by, day, part, listed)
    SELECT 'file', created_by, expires_at / 86400000, pg_backend_pid() % 16, sum(sign)
    FROM (SELECT -1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM went WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending) AS r WHERE expires_at IS NOT NULL GROUP BY created_by, expires_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed;
    RETURN NULL;
END $$;
--bun:split
CREATE FUNCTION files_count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO share_counts AS c (kind, created_by, day, part, listed, protected, limited)
    SELECT 'file', created_by, created_at / 86400000, pg_backend_pid() % 16, sum(sign), sum(CASE WHEN password_hash <> '' THEN sign ELSE 0 END), sum(CASE WHEN max_views > 0 THEN sign ELSE 0 END)
    FROM (SELECT -1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM (SELECT OLD.created_by, OLD.created_at, OLD.expires_at, OLD.password_hash, OLD.max_views, OLD.used_up_at, OLD.erased_at, OLD.pending) AS was WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending UNION ALL SELECT 1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM (SELECT NEW.created_by, NEW.created_at, NEW.expires_at, NEW.password_hash, NEW.max_views, NEW.used_up_at, NEW.erased_at, NEW.pending) AS was WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending) AS r GROUP BY created_by, created_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed, protected = c.protected + excluded.protected, limited = c.limited + excluded.limited;
    INSERT INTO share_ends AS c (kind, created_by, day, part, listed)
    SELECT 'file', created_by, expires_at / 86400000, pg_backend_pid() % 16, sum(sign)
    FROM (SELECT -1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM (SELECT OLD.created_by, OLD.created_at, OLD.expires_at, OLD.password_hash, OLD.max_views, OLD.used_up_at, OLD.erased_at, OLD.pending) AS was WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending UNION ALL SELECT 1 AS sign, created_by, created_at, expires_at, password_hash, max_views FROM (SELECT NEW.created_by, NEW.created_at, NEW.expires_at, NEW.password_hash, NEW.max_views, NEW.used_up_at, NEW.erased_at, NEW.pending) AS was WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending) AS r WHERE expires_at IS NOT NULL GROUP BY created_by, expires_at / 86400000 ORDER BY 2, 3
    ON CONFLICT (kind, created_by, day, part) DO UPDATE SET listed = c.listed + excluded.listed;
    RETURN NULL;
END $$;
--bun:split
CREATE TRIGGER files_counted AFTER INSERT ON files REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION files_count_new();
--bun:split
CREATE TRIGGER files_uncounted AFTER DELETE ON files REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION files_count_gone();
--bun:split
CREATE TRIGGER files_recounted AFTER UPDATE OF used_up_at, erased_at, created_by, created_at, password_hash, max_views, expires_at, pending ON files FOR EACH ROW WHEN ((NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending) OR NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR NEW.expires_at IS DISTINCT FROM OLD.expires_at OR (NEW.password_hash <> '') <> (OLD.password_hash <> '') OR (NEW.max_views > 0) <> (OLD.max_views > 0)) EXECUTE FUNCTION files_count_changed();
--bun:split
UPDATE share_counts c SET protected = s.protected, limited = s.limited FROM (SELECT d.kind, d.created_by, d.day, min(d.part) AS part, a.protected, a.limited FROM share_counts d
    JOIN (SELECT created_by, created_at / 86400000 AS day, count(*) FILTER (WHERE password_hash <> '') AS protected, count(*) FILTER (WHERE max_views > 0) AS limited FROM files WHERE files.used_up_at IS NULL AND files.erased_at IS NULL AND NOT files.pending GROUP BY created_by, created_at / 86400000) AS a
    ON d.kind = 'file' AND d.created_by = a.created_by AND d.day = a.day GROUP BY d.kind, d.created_by, d.day, a.protected, a.limited) AS s
    WHERE c.kind = s.kind AND c.created_by = s.created_by AND c.day = s.day AND c.part = s.part;
--bun:split
INSERT INTO share_ends (kind, created_by, day, part, listed) SELECT 'file', created_by, expires_at / 86400000, 0, count(*) FROM files WHERE expires_at IS NOT NULL AND files.used_up_at IS NULL AND files.erased_at IS NULL AND NOT files.pending GROUP BY created_by, expires_at / 86400000;
--bun:split
DROP FUNCTION share_counted(TEXT, TEXT, BIGINT, BIGINT);
