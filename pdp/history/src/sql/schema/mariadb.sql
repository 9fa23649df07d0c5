CREATE TABLE IF NOT EXISTS operationshistory (
    id BIGINT NOT NULL,
    closedLoopName VARCHAR(255),
    requestId VARCHAR(50),
    subrequestId VARCHAR(50),
    actor VARCHAR(50),
    operation VARCHAR(50),
    target VARCHAR(50),
    starttime TIMESTAMP(6) NULL,
    outcome VARCHAR(50),
    message VARCHAR(255),
    endtime TIMESTAMP(6) NULL,
    PRIMARY KEY (id),
    INDEX operationshistory_clreqid_index (requestId, closedLoopName),
    INDEX operationshistory_target_index (target, operation, actor, endtime)
) DEFAULT CHARACTER SET utf8mb4;
CREATE TABLE IF NOT EXISTS ophistory_id_sequence (
    SEQ_NAME VARCHAR(50) NOT NULL,
    SEQ_COUNT BIGINT NOT NULL,
    PRIMARY KEY (SEQ_NAME)
);
INSERT IGNORE INTO ophistory_id_sequence (SEQ_NAME, SEQ_COUNT) VALUES ('SEQ_GEN', 1);
CREATE TABLE IF NOT EXISTS pdp_permit_lock (bucket INT NOT NULL, PRIMARY KEY (bucket));
