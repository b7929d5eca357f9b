-- Tickets for archives that somebody asked for and nobody has fetched yet.
CREATE TABLE archive_tickets (
    id         TEXT NOT NULL PRIMARY KEY,
    request    TEXT NOT NULL,
    expires_at INTEGER NOT NULL
);
