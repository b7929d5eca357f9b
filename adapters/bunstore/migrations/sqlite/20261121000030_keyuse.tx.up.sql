CREATE TABLE key_uses (
    key_id TEXT NOT NULL,
    day    TEXT NOT NULL,
    calls  BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
);
--bun:split
CREATE INDEX key_uses_day ON key_uses (day);
