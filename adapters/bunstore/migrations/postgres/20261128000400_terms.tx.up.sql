-- pg_trgm finds texts of two characters by itself; SQLite needs a table for it.
SELECT 1;
