-- Which short pieces the texts of shares have, so that a search looks at few of
-- them. What is due is looked at as before until it has its pieces.
CREATE VIRTUAL TABLE index_pastes USING fts5(grams, content='', contentless_delete=1, detail='none', tokenize='ascii');
--bun:split
CREATE TABLE index_pastes_due (n INTEGER PRIMARY KEY);
--bun:split
CREATE TRIGGER pastes_due_new AFTER INSERT ON pastes BEGIN
    INSERT INTO index_pastes_due (n) VALUES (NEW.n) ON CONFLICT DO NOTHING;
END;
--bun:split
CREATE TRIGGER pastes_due_changed AFTER UPDATE OF version, erased_at ON pastes WHEN NEW.version <> OLD.version OR NEW.erased_at IS NOT OLD.erased_at BEGIN
    INSERT INTO index_pastes_due (n) VALUES (NEW.n) ON CONFLICT DO NOTHING;
END;
--bun:split
CREATE TRIGGER pastes_due_gone AFTER DELETE ON pastes BEGIN
    INSERT INTO index_pastes_due (n) VALUES (OLD.n) ON CONFLICT DO NOTHING;
END;
--bun:split
INSERT INTO index_pastes_due (n) SELECT n FROM pastes WHERE erased_at IS NULL;
--bun:split
CREATE VIRTUAL TABLE index_files USING fts5(grams, content='', contentless_delete=1, detail='none', tokenize='ascii');
--bun:split
CREATE TABLE index_files_due (n INTEGER PRIMARY KEY);
--bun:split
CREATE TRIGGER files_due_new AFTER INSERT ON files BEGIN
    INSERT INTO index_files_due (n) VALUES (NEW.n) ON CONFLICT DO NOTHING;
END;
--bun:split
CREATE TRIGGER files_due_changed AFTER UPDATE OF version, erased_at ON files WHEN NEW.version <> OLD.version OR NEW.erased_at IS NOT OLD.erased_at BEGIN
    INSERT INTO index_files_due (n) VALUES (NEW.n) ON CONFLICT DO NOTHING;
END;
--bun:split
CREATE TRIGGER files_due_gone AFTER DELETE ON files BEGIN
    INSERT INTO index_files_due (n) VALUES (OLD.n) ON CONFLICT DO NOTHING;
END;
--bun:split
INSERT INTO index_files_due (n) SELECT n FROM files WHERE erased_at IS NULL;
