-- Who opened shares, and who tried to. The lines of a share go with its record.
CREATE TABLE share_visits (
    n        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind     TEXT NOT NULL,
    share_id TEXT COLLATE "C" NOT NULL,
    at       BIGINT NOT NULL,
    who      TEXT NOT NULL,
    address  TEXT NOT NULL,
    agent    TEXT NOT NULL,
    how      TEXT NOT NULL,
    item     TEXT NOT NULL,
    verdict  TEXT NOT NULL,
    refused  BOOLEAN NOT NULL,
    times    BIGINT NOT NULL,
    views    BIGINT NOT NULL
);
--bun:split
CREATE INDEX share_visits_share ON share_visits (share_id, refused, n);
--bun:split
CREATE INDEX share_visits_refused ON share_visits (n) WHERE refused;
--bun:split
CREATE INDEX share_visits_old ON share_visits (at);
--bun:split
CREATE FUNCTION share_visits_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM share_visits WHERE share_id = OLD.id;
    RETURN NULL;
END $$;
--bun:split
CREATE TRIGGER pastes_visits_gone AFTER DELETE ON pastes FOR EACH ROW EXECUTE FUNCTION share_visits_gone();
--bun:split
CREATE TRIGGER files_visits_gone AFTER DELETE ON files FOR EACH ROW EXECUTE FUNCTION share_visits_gone();
--bun:split
CREATE TRIGGER collections_visits_gone AFTER DELETE ON collections FOR EACH ROW EXECUTE FUNCTION share_visits_gone();
