-- Lists of shares that are protected, limited or have ended are counted by their writers, too: share_ends
-- tells how many listed shares end on each day.
ALTER TABLE share_counts ADD COLUMN protected BIGINT NOT NULL DEFAULT 0;
--bun:split
ALTER TABLE share_counts ADD COLUMN limited BIGINT NOT NULL DEFAULT 0;
--bun:split
CREATE TABLE share_ends (
    kind       TEXT NOT NULL,
    created_by TEXT NOT NULL,
    day        BIGINT NOT NULL, -- of the end, in days of UTC since 1970
    part       INTEGER NOT NULL,
    listed     BIGINT NOT NULL,
    PRIMARY KEY (kind, created_by, day, part)
) WITHOUT ROWID;
--bun:split
DROP TRIGGER pastes_counted;
--bun:split
DROP TRIGGER pastes_uncounted;
--bun:split
DROP TRIGGER pastes_left;
--bun:split
DROP TRIGGER pastes_came;
--bun:split
CREATE TRIGGER pastes_counted AFTER INSERT ON pastes WHEN NEW.used_up_at IS NULL AND NEW.erased_at IS NULL BEGIN
    INSERT INTO share_counts (kind, created_by, day, part, listed, protected, limited) VALUES ('paste', NEW.created_by, NEW.created_at / 86400000, 0, 1, NEW.password_hash <> '', NEW.max_views > 0)
        ON CONFLICT DO UPDATE SET listed = listed + 1, protected = protected + excluded.protected, limited = limited + excluded.limited;
END;
--bun:split
CREATE TRIGGER pastes_uncounted AFTER DELETE ON pastes WHEN OLD.used_up_at IS NULL AND OLD.erased_at IS NULL BEGIN
    UPDATE share_counts SET listed = listed - 1, protected = protected - (OLD.password_hash <> ''), limited = limited - (OLD.max_views > 0)
        WHERE kind = 'paste' AND created_by = OLD.created_by AND day = OLD.created_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER pastes_left AFTER UPDATE OF used_up_at, erased_at, created_by, created_at, password_hash, max_views ON pastes WHEN OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND (NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR (NEW.password_hash <> '') <> (OLD.password_hash <> '') OR (NEW.max_views > 0) <> (OLD.max_views > 0) OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL)) BEGIN
    UPDATE share_counts SET listed = listed - 1, protected = protected - (OLD.password_hash <> ''), limited = limited - (OLD.max_views > 0)
        WHERE kind = 'paste' AND created_by = OLD.created_by AND day = OLD.created_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER pastes_came AFTER UPDATE OF used_up_at, erased_at, created_by, created_at, password_hash, max_views ON pastes WHEN NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND (NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR (NEW.password_hash <> '') <> (OLD.password_hash <> '') OR (NEW.max_views > 0) <> (OLD.max_views > 0) OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL)) BEGIN
    INSERT INTO share_counts (kind, created_by, day, part, listed, protected, limited) VALUES ('paste', NEW.created_by, NEW.created_at / 86400000, 0, 1, NEW.password_hash <> '', NEW.max_views > 0)
        ON CONFLICT DO UPDATE SET listed = listed + 1, protected = protected + excluded.protected, limited = limited + excluded.limited;
END;
--bun:split
CREATE TRIGGER pastes_ends_counted AFTER INSERT ON pastes WHEN NEW.expires_at IS NOT NULL AND NEW.used_up_at IS NULL AND NEW.erased_at IS NULL BEGIN
    INSERT INTO share_ends (kind, created_by, day, part, listed) VALUES ('paste', NEW.created_by, NEW.expires_at / 86400000, 0, 1) ON CONFLICT DO UPDATE SET listed = listed + 1;
END;
--bun:split
CREATE TRIGGER pastes_ends_uncounted AFTER DELETE ON pastes WHEN OLD.expires_at IS NOT NULL AND OLD.used_up_at IS NULL AND OLD.erased_at IS NULL BEGIN
    UPDATE share_ends SET listed = listed - 1 WHERE kind = 'paste' AND created_by = OLD.created_by AND day = OLD.expires_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER pastes_ends_left AFTER UPDATE OF used_up_at, erased_at, created_by, expires_at ON pastes WHEN OLD.expires_at IS NOT NULL AND OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND (NEW.created_by <> OLD.created_by OR NEW.expires_at IS NOT OLD.expires_at OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL)) BEGIN
    UPDATE share_ends SET listed = listed - 1 WHERE kind = 'paste' AND created_by = OLD.created_by AND day = OLD.expires_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER pastes_ends_came AFTER UPDATE OF used_up_at, erased_at, created_by, expires_at ON pastes WHEN NEW.expires_at IS NOT NULL AND NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND (NEW.created_by <> OLD.created_by OR NEW.expires_at IS NOT OLD.expires_at OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL)) BEGIN
    INSERT INTO share_ends (kind, created_by, day, part, listed) VALUES ('paste', NEW.created_by, NEW.expires_at / 86400000, 0, 1) ON CONFLICT DO UPDATE SET listed = listed + 1;
END;
--bun:split
UPDATE share_counts SET protected = s.protected, limited = s.limited FROM (SELECT created_by, created_at / 86400000 AS day, sum(password_hash <> '') AS protected, sum(max_views > 0) AS limited
    FROM pastes WHERE pastes.used_up_at IS NULL AND pastes.erased_at IS NULL GROUP BY created_by, created_at / 86400000) AS s WHERE share_counts.kind = 'paste' AND share_counts.created_by = s.created_by AND share_counts.day = s.day AND share_counts.part = 0;
--bun:split
INSERT INTO share_ends (kind, created_by, day, part, listed) SELECT 'paste', created_by, expires_at / 86400000, 0, count(*) FROM pastes WHERE expires_at IS NOT NULL AND pastes.used_up_at IS NULL AND pastes.erased_at IS NULL GROUP BY created_by, expires_at / 86400000;
--bun:split
DROP TRIGGER files_counted;
--bun:split
DROP TRIGGER files_uncounted;
--bun:split
DROP TRIGGER files_left;
--bun:split
DROP TRIGGER files_came;
--bun:split
CREATE TRIGGER files_counted AFTER INSERT ON files WHEN NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending BEGIN
    INSERT INTO share_counts (kind, created_by, day, part, listed, protected, limited) VALUES ('file', NEW.created_by, NEW.created_at / 86400000, 0, 1, NEW.password_hash <> '', NEW.max_views > 0)
        ON CONFLICT DO UPDATE SET listed = listed + 1, protected = protected + excluded.protected, limited = limited + excluded.limited;
END;
--bun:split
CREATE TRIGGER files_uncounted AFTER DELETE ON files WHEN OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending BEGIN
    UPDATE share_counts SET listed = listed - 1, protected = protected - (OLD.password_hash <> ''), limited = limited - (OLD.max_views > 0)
        WHERE kind = 'file' AND created_by = OLD.created_by AND day = OLD.created_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER files_left AFTER UPDATE OF used_up_at, erased_at, created_by, created_at, password_hash, max_views, pending ON files WHEN OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending AND (NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR (NEW.password_hash <> '') <> (OLD.password_hash <> '') OR (NEW.max_views > 0) <> (OLD.max_views > 0) OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending)) BEGIN
    UPDATE share_counts SET listed = listed - 1, protected = protected - (OLD.password_hash <> ''), limited = limited - (OLD.max_views > 0)
        WHERE kind = 'file' AND created_by = OLD.created_by AND day = OLD.created_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER files_came AFTER UPDATE OF used_up_at, erased_at, created_by, created_at, password_hash, max_views, pending ON files WHEN NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending AND (NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR (NEW.password_hash <> '') <> (OLD.password_hash <> '') OR (NEW.max_views > 0) <> (OLD.max_views > 0) OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending)) BEGIN
    INSERT INTO share_counts (kind, created_by, day, part, listed, protected, limited) VALUES ('file', NEW.created_by, NEW.created_at / 86400000, 0, 1, NEW.password_hash <> '', NEW.max_views > 0)
        ON CONFLICT DO UPDATE SET listed = listed + 1, protected = protected + excluded.protected, limited = limited + excluded.limited;
END;
--bun:split
CREATE TRIGGER files_ends_counted AFTER INSERT ON files WHEN NEW.expires_at IS NOT NULL AND NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending BEGIN
    INSERT INTO share_ends (kind, created_by, day, part, listed) VALUES ('file', NEW.created_by, NEW.expires_at / 86400000, 0, 1) ON CONFLICT DO UPDATE SET listed = listed + 1;
END;
--bun:split
CREATE TRIGGER files_ends_uncounted AFTER DELETE ON files WHEN OLD.expires_at IS NOT NULL AND OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending BEGIN
    UPDATE share_ends SET listed = listed - 1 WHERE kind = 'file' AND created_by = OLD.created_by AND day = OLD.expires_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER files_ends_left AFTER UPDATE OF used_up_at, erased_at, created_by, expires_at, pending ON files WHEN OLD.expires_at IS NOT NULL AND OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending AND (NEW.created_by <> OLD.created_by OR NEW.expires_at IS NOT OLD.expires_at OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending)) BEGIN
    UPDATE share_ends SET listed = listed - 1 WHERE kind = 'file' AND created_by = OLD.created_by AND day = OLD.expires_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER files_ends_came AFTER UPDATE OF used_up_at, erased_at, created_by, expires_at, pending ON files WHEN NEW.expires_at IS NOT NULL AND NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending AND (NEW.created_by <> OLD.created_by OR NEW.expires_at IS NOT OLD.expires_at OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending)) BEGIN
    INSERT INTO share_ends (kind, created_by, day, part, listed) VALUES ('file', NEW.created_by, NEW.expires_at / 86400000, 0, 1) ON CONFLICT DO UPDATE SET listed = listed + 1;
END;
--bun:split
UPDATE share_counts SET protected = s.protected, limited = s.limited FROM (SELECT created_by, created_at / 86400000 AS day, sum(password_hash <> '') AS protected, sum(max_views > 0) AS limited
    FROM files WHERE files.used_up_at IS NULL AND files.erased_at IS NULL AND NOT files.pending GROUP BY created_by, created_at / 86400000) AS s WHERE share_counts.kind = 'file' AND share_counts.created_by = s.created_by AND share_counts.day = s.day AND share_counts.part = 0;
--bun:split
INSERT INTO share_ends (kind, created_by, day, part, listed) SELECT 'file', created_by, expires_at / 86400000, 0, count(*) FROM files WHERE expires_at IS NOT NULL AND files.used_up_at IS NULL AND files.erased_at IS NULL AND NOT files.pending GROUP BY created_by, expires_at / 86400000;
