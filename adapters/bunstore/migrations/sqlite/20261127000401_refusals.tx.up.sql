-- When the owner of a request was last told that an upload was refused, by the reason.
CREATE TABLE request_refusals (
    request_id TEXT NOT NULL,
    reason     TEXT NOT NULL,
    told_at    BIGINT NOT NULL,
    PRIMARY KEY (request_id, reason)
);
