-- Links for folders by where those are, for the marks of the entries of a folder.
CREATE INDEX collections_roots ON collections (root) WHERE root <> '' AND used_up_at IS NULL AND erased_at IS NULL;
