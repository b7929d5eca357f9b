-- How many shares of each day everybody has in their lists, kept by whoever writes: to count
-- a million rows for every page of a list takes far longer than the page.
CREATE TABLE share_counts (
    kind       TEXT NOT NULL,
    created_by TEXT NOT NULL,
    day        BIGINT NOT NULL, -- of creation, in days of UTC since 1970
    part       INTEGER NOT NULL,
    listed     BIGINT NOT NULL,
    PRIMARY KEY (kind, created_by, day, part)
) WITHOUT ROWID;
--bun:split
CREATE TRIGGER pastes_counted AFTER INSERT ON pastes WHEN NEW.used_up_at IS NULL AND NEW.erased_at IS NULL BEGIN
    INSERT INTO share_counts (kind, created_by, day, part, listed) VALUES ('paste', NEW.created_by, NEW.created_at / 86400000, 0, 1) ON CONFLICT DO UPDATE SET listed = listed + 1;
END;
--bun:split
CREATE TRIGGER pastes_uncounted AFTER DELETE ON pastes WHEN OLD.used_up_at IS NULL AND OLD.erased_at IS NULL BEGIN
    UPDATE share_counts SET listed = listed - 1 WHERE kind = 'paste' AND created_by = OLD.created_by AND day = OLD.created_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER pastes_left AFTER UPDATE OF used_up_at, erased_at, created_by, created_at ON pastes WHEN OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND (NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL)) BEGIN
    UPDATE share_counts SET listed = listed - 1 WHERE kind = 'paste' AND created_by = OLD.created_by AND day = OLD.created_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER pastes_came AFTER UPDATE OF used_up_at, erased_at, created_by, created_at ON pastes WHEN NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND (NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL)) BEGIN
    INSERT INTO share_counts (kind, created_by, day, part, listed) VALUES ('paste', NEW.created_by, NEW.created_at / 86400000, 0, 1) ON CONFLICT DO UPDATE SET listed = listed + 1;
END;
--bun:split
INSERT INTO share_counts (kind, created_by, day, part, listed) SELECT 'paste', created_by, created_at / 86400000, 0, count(*) FROM pastes WHERE used_up_at IS NULL AND erased_at IS NULL GROUP BY created_by, created_at / 86400000;
--bun:split
CREATE TRIGGER files_counted AFTER INSERT ON files WHEN NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending BEGIN
    INSERT INTO share_counts (kind, created_by, day, part, listed) VALUES ('file', NEW.created_by, NEW.created_at / 86400000, 0, 1) ON CONFLICT DO UPDATE SET listed = listed + 1;
END;
--bun:split
CREATE TRIGGER files_uncounted AFTER DELETE ON files WHEN OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending BEGIN
    UPDATE share_counts SET listed = listed - 1 WHERE kind = 'file' AND created_by = OLD.created_by AND day = OLD.created_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER files_left AFTER UPDATE OF used_up_at, erased_at, created_by, created_at, pending ON files WHEN OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending AND (NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending)) BEGIN
    UPDATE share_counts SET listed = listed - 1 WHERE kind = 'file' AND created_by = OLD.created_by AND day = OLD.created_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER files_came AFTER UPDATE OF used_up_at, erased_at, created_by, created_at, pending ON files WHEN NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending AND (NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND NOT NEW.pending) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND NOT OLD.pending)) BEGIN
    INSERT INTO share_counts (kind, created_by, day, part, listed) VALUES ('file', NEW.created_by, NEW.created_at / 86400000, 0, 1) ON CONFLICT DO UPDATE SET listed = listed + 1;
END;
--bun:split
INSERT INTO share_counts (kind, created_by, day, part, listed) SELECT 'file', created_by, created_at / 86400000, 0, count(*) FROM files WHERE used_up_at IS NULL AND erased_at IS NULL AND NOT pending GROUP BY created_by, created_at / 86400000;
