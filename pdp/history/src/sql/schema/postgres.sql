CREATE TABLE IF NOT EXISTS operationshistory (
    id BIGINT NOT NULL,
    closedLoopName VARCHAR(255),
    requestId VARCHAR(50),
    subrequestId VARCHAR(50),
    actor VARCHAR(50),
    operation VARCHAR(50),
    target VARCHAR(50),
    starttime TIMESTAMP,
    outcome VARCHAR(50),
    message VARCHAR(255),
    endtime TIMESTAMP,
    PRIMARY KEY (id)
);
CREATE INDEX IF NOT EXISTS operationshistory_clreqid_index ON operationshistory (requestId, closedLoopName);
CREATE INDEX IF NOT EXISTS operationshistory_target_index ON operationshistory (target, operation, actor, endtime);
CREATE TABLE IF NOT EXISTS ophistory_id_sequence (
    SEQ_NAME VARCHAR(50) NOT NULL,
    SEQ_COUNT BIGINT NOT NULL,
    PRIMARY KEY (SEQ_NAME)
);
INSERT INTO ophistory_id_sequence (SEQ_NAME, SEQ_COUNT) VALUES ('SEQ_GEN', 1) ON CONFLICT DO NOTHING;
