-- Makes the tables of a fleet out of fleet.line (ledger, line), which by_postgres.py has filled.
SET search_path = fleet;

CREATE TABLE event AS
SELECT ledger, (line->>'seq')::bigint AS seq, line->>'at' AS moment, line->>'by' AS actor,
  line->>'type' AS type, line->>'hash' AS hash, line->>'erased' IS NOT NULL AS is_erased,
  line->'data'->>'device' AS device, line->'data'->>'entry' AS entry,
  line->'data'->>'metric' AS metric,
  CASE WHEN line->>'type' IN ('progress.logged', 'progress.pulled', 'progress.corrected')
    THEN (line->'data'->>'quantity')::double precision END AS quantity,
  line->'data'->>'date' AS day, line->'data'->>'time' AS clock,
  CASE WHEN line->>'type' IN ('edit.undone', 'event.erased')
    THEN (line->'data'->>'event')::bigint END AS target,
  CASE WHEN line->>'type' = 'sync.rejected' THEN (line->'data'->>'status')::bigint END AS status,
  line->'data'->>'message' AS message, line->'data'->>'subject' AS subject,
  line->'data'->>'field' AS field, line->'data'->>'decision' AS decision,
  CASE WHEN line->>'type' = 'conflict.resolved' THEN (line->'data'->>'conflict')::bigint END
    AS conflict
FROM line;

CREATE TABLE answered AS
SELECT ledger, (line->>'seq')::bigint AS seq, named.edit::bigint AS edit
FROM line, json_array_elements_text(line->'data'->'events') AS named(edit)
WHERE line->>'type' IN ('sync.attempted', 'sync.deferred', 'sync.acknowledged', 'sync.rejected',
    'sync.held')
  AND line->>'erased' IS NULL;

DROP TABLE line;

-- A line that was loaded twice is refused here.
ALTER TABLE event ADD PRIMARY KEY (ledger, seq);
CREATE INDEX ON event (type);
CREATE INDEX ON event (ledger, entry) WHERE entry IS NOT NULL;
CREATE INDEX ON answered (ledger, edit);
ANALYZE event, answered;
