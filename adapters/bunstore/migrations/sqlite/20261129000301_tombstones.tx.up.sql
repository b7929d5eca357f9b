-- What is deleted from an index of texts is only noted: a job takes it out, a few pages at a time.
INSERT INTO index_pastes (index_pastes, rank) VALUES ('deletemerge', 0);
--bun:split
INSERT INTO index_files (index_files, rank) VALUES ('deletemerge', 0);
--bun:split
INSERT INTO index_audit (index_audit, rank) VALUES ('deletemerge', 0);
