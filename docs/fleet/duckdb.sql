-- Loads a fleet into DuckDB: SET VARIABLE fleet = 'FOLDER' first. The paths are
-- FOLDER/NAME/.ledger/events.jsonl; NAME becomes the ledger's.
CREATE TEMP TABLE line AS
SELECT regexp_extract(filename, '([^/]+)/\.ledger/events\.jsonl$', 1) AS ledger, *
FROM read_json(getvariable('fleet') || '/*/.ledger/events.jsonl',
  format = 'newline_delimited', filename = true,
  columns = {seq: 'BIGINT', "at": 'VARCHAR', "by": 'VARCHAR', type: 'VARCHAR', data: 'JSON',
    erased: 'VARCHAR', hash: 'VARCHAR'});

CREATE TABLE event AS
SELECT ledger, seq, "at" AS moment, "by" AS actor, type, hash, erased IS NOT NULL AS is_erased,
  data->>'$.device' AS device, data->>'$.entry' AS entry, data->>'$.metric' AS metric,
  CASE WHEN type IN ('progress.logged', 'progress.pulled', 'progress.corrected')
    THEN CAST(data->>'$.quantity' AS DOUBLE) END AS quantity,
  data->>'$.date' AS day, data->>'$.time' AS clock,
  CASE WHEN type IN ('edit.undone', 'event.erased') THEN CAST(data->>'$.event' AS BIGINT) END
    AS target,
  CASE WHEN type = 'sync.rejected' THEN CAST(data->>'$.status' AS BIGINT) END AS status,
  data->>'$.message' AS message, data->>'$.subject' AS subject, data->>'$.field' AS field,
  data->>'$.decision' AS decision,
  CASE WHEN type = 'conflict.resolved' THEN CAST(data->>'$.conflict' AS BIGINT) END AS conflict
FROM line;

CREATE TABLE answered AS
SELECT ledger, seq, unnest(CAST(data->'$.events' AS BIGINT[])) AS edit
FROM line
WHERE type IN ('sync.attempted', 'sync.deferred', 'sync.acknowledged', 'sync.rejected', 'sync.held')
  AND erased IS NULL;

DROP TABLE line;

CREATE TABLE register AS
SELECT * FROM read_csv(getvariable('fleet') || '/heads.csv',
  header = true, columns = {ledger: 'VARCHAR', seq: 'BIGINT', hash: 'VARCHAR'});
