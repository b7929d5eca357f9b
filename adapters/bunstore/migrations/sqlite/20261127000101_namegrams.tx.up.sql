-- The index of texts tells pieces of names from those of contents from now on: what it has is due again.
INSERT INTO index_pastes_due (n) SELECT n FROM pastes WHERE erased_at IS NULL ON CONFLICT DO NOTHING;
--bun:split
INSERT INTO index_files_due (n) SELECT n FROM files WHERE erased_at IS NULL ON CONFLICT DO NOTHING;
