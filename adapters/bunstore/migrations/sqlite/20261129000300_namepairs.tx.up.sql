-- How names end: a text of two characters that is elsewhere begins a trigram of index_names.
CREATE INDEX index_entries_pairs ON index_entries (store, substr(folded, -2));
