-- Which short pieces the texts of shares have, so that a search looks at few of
-- them. What is due is looked at as before until it has its pieces.
CREATE TABLE index_pastes (
    n     BIGINT PRIMARY KEY,
    grams INTEGER[] NOT NULL
);
--bun:split
CREATE INDEX index_pastes_grams ON index_pastes USING gin (grams);
--bun:split
CREATE TABLE index_pastes_due (n BIGINT PRIMARY KEY);
--bun:split
CREATE FUNCTION pastes_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO index_pastes_due (n) VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.n ELSE NEW.n END) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
--bun:split
CREATE TRIGGER pastes_due_new AFTER INSERT OR DELETE ON pastes FOR EACH ROW EXECUTE FUNCTION pastes_due();
--bun:split
CREATE TRIGGER pastes_due_changed AFTER UPDATE OF version, erased_at ON pastes FOR EACH ROW
    WHEN (NEW.version <> OLD.version OR NEW.erased_at IS DISTINCT FROM OLD.erased_at) EXECUTE FUNCTION pastes_due();
--bun:split
INSERT INTO index_pastes_due (n) SELECT n FROM pastes WHERE erased_at IS NULL;
--bun:split
CREATE TABLE index_files (
    n     BIGINT PRIMARY KEY,
    grams INTEGER[] NOT NULL
);
--bun:split
CREATE INDEX index_files_grams ON index_files USING gin (grams);
--bun:split
CREATE TABLE index_files_due (n BIGINT PRIMARY KEY);
--bun:split
CREATE FUNCTION files_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO index_files_due (n) VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.n ELSE NEW.n END) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
--bun:split
CREATE TRIGGER files_due_new AFTER INSERT OR DELETE ON files FOR EACH ROW EXECUTE FUNCTION files_due();
--bun:split
CREATE TRIGGER files_due_changed AFTER UPDATE OF version, erased_at ON files FOR EACH ROW
    WHEN (NEW.version <> OLD.version OR NEW.erased_at IS DISTINCT FROM OLD.erased_at) EXECUTE FUNCTION files_due();
--bun:split
INSERT INTO index_files_due (n) SELECT n FROM files WHERE erased_at IS NULL;
