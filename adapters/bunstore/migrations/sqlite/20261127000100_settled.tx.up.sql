-- A new text stands in few indexes. The sort indexes, the counts and the note for the index of texts take
-- many at once: they know the texts that are settled. Those that are not are the last few, behind the
-- number in index_pastes_settled, and every list looks at them, too.
ALTER TABLE pastes ADD COLUMN settled INTEGER NOT NULL DEFAULT 0;
--bun:split
UPDATE pastes SET settled = 1;
--bun:split
CREATE TABLE index_pastes_settled (n INTEGER NOT NULL);
--bun:split
INSERT INTO index_pastes_settled (n) SELECT coalesce(max(n), 0) FROM pastes;
--bun:split
-- A number may be given again once the last texts are deleted.
CREATE TRIGGER pastes_settled_gone AFTER DELETE ON pastes WHEN (SELECT coalesce(max(n), 0) FROM pastes) < (SELECT n FROM index_pastes_settled) BEGIN
    UPDATE index_pastes_settled SET n = (SELECT coalesce(max(n), 0) FROM pastes);
END;
--bun:split
DROP INDEX pastes_by_size;
--bun:split
DROP INDEX pastes_by_views;
--bun:split
DROP INDEX pastes_by_expiry;
--bun:split
CREATE INDEX pastes_by_size ON pastes (size) WHERE settled = 1 AND used_up_at IS NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX pastes_by_views ON pastes (views) WHERE settled = 1 AND used_up_at IS NULL AND erased_at IS NULL;
--bun:split
CREATE INDEX pastes_by_expiry ON pastes ((expires_at IS NULL), expires_at) WHERE settled = 1 AND used_up_at IS NULL AND erased_at IS NULL;
--bun:split
DROP TRIGGER pastes_counted;
--bun:split
DROP TRIGGER pastes_ends_counted;
--bun:split
DROP TRIGGER pastes_due_new;
--bun:split
DROP TRIGGER pastes_due_changed;
--bun:split
DROP TRIGGER pastes_due_gone;
--bun:split
DROP TRIGGER pastes_uncounted;
--bun:split
DROP TRIGGER pastes_left;
--bun:split
DROP TRIGGER pastes_came;
--bun:split
DROP TRIGGER pastes_ends_uncounted;
--bun:split
DROP TRIGGER pastes_ends_left;
--bun:split
DROP TRIGGER pastes_ends_came;
--bun:split
CREATE TRIGGER pastes_due_changed AFTER UPDATE OF version, erased_at ON pastes WHEN OLD.settled = 1 AND (NEW.version <> OLD.version OR NEW.erased_at IS NOT OLD.erased_at) BEGIN
    INSERT INTO index_pastes_due (n) VALUES (NEW.n) ON CONFLICT DO NOTHING;
END;
--bun:split
CREATE TRIGGER pastes_due_gone AFTER DELETE ON pastes WHEN OLD.settled = 1 BEGIN
    INSERT INTO index_pastes_due (n) VALUES (OLD.n) ON CONFLICT DO NOTHING;
END;
--bun:split
CREATE TRIGGER pastes_uncounted AFTER DELETE ON pastes WHEN OLD.settled = 1 AND OLD.used_up_at IS NULL AND OLD.erased_at IS NULL BEGIN
    UPDATE share_counts SET listed = listed - 1, protected = protected - (OLD.password_hash <> ''), limited = limited - (OLD.max_views > 0)
        WHERE kind = 'paste' AND created_by = OLD.created_by AND day = OLD.created_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER pastes_left AFTER UPDATE OF used_up_at, erased_at, created_by, created_at, password_hash, max_views ON pastes WHEN OLD.settled = 1 AND OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND (NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR (NEW.password_hash <> '') <> (OLD.password_hash <> '') OR (NEW.max_views > 0) <> (OLD.max_views > 0) OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL)) BEGIN
    UPDATE share_counts SET listed = listed - 1, protected = protected - (OLD.password_hash <> ''), limited = limited - (OLD.max_views > 0)
        WHERE kind = 'paste' AND created_by = OLD.created_by AND day = OLD.created_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER pastes_came AFTER UPDATE OF used_up_at, erased_at, created_by, created_at, password_hash, max_views ON pastes WHEN OLD.settled = 1 AND NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND (NEW.created_by <> OLD.created_by OR NEW.created_at <> OLD.created_at OR (NEW.password_hash <> '') <> (OLD.password_hash <> '') OR (NEW.max_views > 0) <> (OLD.max_views > 0) OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL)) BEGIN
    INSERT INTO share_counts (kind, created_by, day, part, listed, protected, limited) VALUES ('paste', NEW.created_by, NEW.created_at / 86400000, 0, 1, NEW.password_hash <> '', NEW.max_views > 0)
        ON CONFLICT DO UPDATE SET listed = listed + 1, protected = protected + excluded.protected, limited = limited + excluded.limited;
END;
--bun:split
CREATE TRIGGER pastes_ends_uncounted AFTER DELETE ON pastes WHEN OLD.settled = 1 AND OLD.expires_at IS NOT NULL AND OLD.used_up_at IS NULL AND OLD.erased_at IS NULL BEGIN
    UPDATE share_ends SET listed = listed - 1 WHERE kind = 'paste' AND created_by = OLD.created_by AND day = OLD.expires_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER pastes_ends_left AFTER UPDATE OF used_up_at, erased_at, created_by, expires_at ON pastes WHEN OLD.settled = 1 AND OLD.expires_at IS NOT NULL AND OLD.used_up_at IS NULL AND OLD.erased_at IS NULL AND (NEW.created_by <> OLD.created_by OR NEW.expires_at IS NOT OLD.expires_at OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL)) BEGIN
    UPDATE share_ends SET listed = listed - 1 WHERE kind = 'paste' AND created_by = OLD.created_by AND day = OLD.expires_at / 86400000 AND part = 0;
END;
--bun:split
CREATE TRIGGER pastes_ends_came AFTER UPDATE OF used_up_at, erased_at, created_by, expires_at ON pastes WHEN OLD.settled = 1 AND NEW.expires_at IS NOT NULL AND NEW.used_up_at IS NULL AND NEW.erased_at IS NULL AND (NEW.created_by <> OLD.created_by OR NEW.expires_at IS NOT OLD.expires_at OR (NEW.used_up_at IS NULL AND NEW.erased_at IS NULL) <> (OLD.used_up_at IS NULL AND OLD.erased_at IS NULL)) BEGIN
    INSERT INTO share_ends (kind, created_by, day, part, listed) VALUES ('paste', NEW.created_by, NEW.expires_at / 86400000, 0, 1) ON CONFLICT DO UPDATE SET listed = listed + 1;
END;
