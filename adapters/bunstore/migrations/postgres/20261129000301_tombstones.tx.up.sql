-- SQLite keeps what is deleted from an index of texts until a job takes it out; here that is autovacuum's work.
SELECT 1;
