-- Who takes the content of a file that is sent to a request says so again and again.
-- What a process that is gone has left is taken by the next who sends it.
ALTER TABLE request_files ADD COLUMN turn BIGINT NOT NULL DEFAULT 0;
--bun:split
ALTER TABLE request_files ADD COLUMN taken_until BIGINT;
