-- Which short pieces the texts of the audit log have, for its search.
CREATE VIRTUAL TABLE index_audit USING fts5(grams, content='', contentless_delete=1, detail='none', tokenize='ascii');
--bun:split
CREATE TRIGGER audit_entries_gone AFTER DELETE ON audit_entries BEGIN
    DELETE FROM index_audit WHERE rowid = OLD.n;
END;
