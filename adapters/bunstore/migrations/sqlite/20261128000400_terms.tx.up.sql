-- The trigrams of names one by one: whether a name has a text of two characters.
CREATE VIRTUAL TABLE index_names_terms USING fts5vocab(index_names, instance);
