-- The texts of two characters in the names of files and folders: pg_trgm finds none that is so short.
CREATE FUNCTION name_pairs(name TEXT) RETURNS TEXT[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(DISTINCT substr(name, i, 2)), '{}') FROM generate_series(1, length(name) - 1) AS i
$$;
--bun:split
CREATE INDEX index_entries_pairs ON index_entries USING gin (name_pairs(folded));
