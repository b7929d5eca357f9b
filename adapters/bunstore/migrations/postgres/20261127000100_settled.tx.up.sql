-- On SQLite a new text is taken into some indexes and counts later, with others. Here all are at once.
ALTER TABLE pastes ADD COLUMN settled INTEGER NOT NULL DEFAULT 1;
