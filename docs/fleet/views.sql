-- The fleet's questions, in SQL that DuckDB, PostgreSQL and Spark understand alike. They stand on
-- three tables that the script of each engine loads:
--   event     a line a row: ledger, seq, moment, actor ("at" and "by" in the log), type, hash, and of its data
--             device, entry, metric, quantity, day, clock, target (of edit.undone and event.erased),
--             status, message, subject, field, decision, conflict; all NULL once erased
--   answered  ledger, seq, edit: a row for each edit that an answer of the backend names
--   register  ledger, seq, hash: heads as an earlier moment knew them
-- The order of events is seq, never moment: clocks step back.

-- Edits that count as never made.
CREATE VIEW undone AS
SELECT DISTINCT ledger, target AS seq FROM event WHERE type = 'edit.undone' AND target < seq;

-- Entries as they were logged or pulled.
CREATE VIEW logged AS
SELECT e.ledger, e.seq, e.entry, e.metric, e.quantity, e.day, e.clock, u.seq IS NOT NULL AS is_undone
FROM event e LEFT JOIN undone u ON u.ledger = e.ledger AND u.seq = e.seq
WHERE e.type IN ('progress.logged', 'progress.pulled') AND e.entry IS NOT NULL;

-- Corrections and deletions; made is the seq that logged the entry before them, NULL once erased.
CREATE VIEW changed AS
SELECT c.ledger, c.seq, c.actor, c.type, c.quantity, c.day, c.clock, u.seq IS NOT NULL AS is_undone,
  max(l.seq) AS made
FROM event c
LEFT JOIN undone u ON u.ledger = c.ledger AND u.seq = c.seq
LEFT JOIN logged l ON l.ledger = c.ledger AND l.entry = c.entry AND l.seq < c.seq
WHERE c.type IN ('progress.corrected', 'progress.deleted') AND c.entry IS NOT NULL
GROUP BY c.ledger, c.seq, c.actor, c.type, c.quantity, c.day, c.clock, u.seq;

CREATE VIEW version AS
SELECT ledger, seq AS made, seq, metric, quantity, day, clock, 0 AS deletes
FROM logged WHERE NOT is_undone
UNION ALL
SELECT c.ledger, c.made, c.seq, l.metric, c.quantity, c.day, c.clock,
  CASE WHEN c.type = 'progress.deleted' THEN 1 ELSE 0 END
FROM changed c JOIN logged l ON l.ledger = c.ledger AND l.seq = c.made
WHERE NOT c.is_undone AND NOT l.is_undone;

-- Live entries as they are now: of each member, the newest version that has it.
CREATE VIEW entry AS
SELECT ledger, made, metric, quantity, day, coalesce(clock, '00:00:00') AS clock
FROM (
  SELECT ledger, made, seq, metric,
    first_value(quantity) OVER (PARTITION BY ledger, made
      ORDER BY CASE WHEN quantity IS NULL THEN 1 ELSE 0 END, seq DESC) AS quantity,
    first_value(day) OVER (PARTITION BY ledger, made
      ORDER BY CASE WHEN day IS NULL THEN 1 ELSE 0 END, seq DESC) AS day,
    first_value(clock) OVER (PARTITION BY ledger, made
      ORDER BY CASE WHEN clock IS NULL THEN 1 ELSE 0 END, seq DESC) AS clock,
    max(deletes) OVER (PARTITION BY ledger, made) AS is_deleted
  FROM version) all_versions
WHERE seq = made AND is_deleted = 0;

-- As `ledger show days --json`. Added up in the order of seq, so that sums agree to the last bit.
CREATE VIEW days AS
SELECT ledger, day AS date, metric AS type, count(*) AS count, sum(quantity ORDER BY made) AS sum,
  min(quantity) AS min, max(quantity) AS max, sum(quantity ORDER BY made) / count(*) AS mean,
  max(CASE WHEN is_last = 1 THEN quantity END) AS last
FROM (
  SELECT entry.*,
    row_number() OVER (PARTITION BY ledger, day, metric ORDER BY clock DESC, made DESC) AS is_last
  FROM entry) ranked
GROUP BY ledger, day, metric;

-- The edits to be sent: not those that a sync wrote, that were undone, or of an undone entry. Of an
-- erased entry, the deletion of what the backend has is left.
CREATE VIEW edit AS
SELECT e.ledger, e.seq, e.moment, e.type
FROM event e
LEFT JOIN undone u ON u.ledger = e.ledger AND u.seq = e.seq
LEFT JOIN changed c ON c.ledger = e.ledger AND c.seq = e.seq
LEFT JOIN logged l ON l.ledger = e.ledger AND l.seq = c.made
LEFT JOIN (
  SELECT ledger, min(seq) AS first_seq FROM event
  WHERE type = 'event.erased' AND target IS NOT NULL GROUP BY ledger
) r ON r.ledger = e.ledger
WHERE e.type IN ('profile.updated', 'physical.updated', 'preferences.updated', 'progress.logged',
    'progress.corrected', 'progress.deleted')
  AND e.actor <> 'sync' AND NOT e.is_erased AND u.seq IS NULL
  AND (e.type NOT IN ('progress.corrected', 'progress.deleted')
    OR (l.seq IS NOT NULL AND NOT l.is_undone)
    OR (l.seq IS NULL AND e.type = 'progress.deleted' AND r.first_seq < e.seq));

-- The state of each edit: acknowledged if it ever was, else that of the last answer. A decision
-- of a conflict is not counted as an edit of its own.
CREATE VIEW standing AS
SELECT e.ledger, e.seq, e.moment, e.type,
  CASE WHEN a.acknowledged > 0 THEN 'acknowledged'
    WHEN m.type = 'sync.attempted' THEN 'in doubt'
    WHEN m.type = 'sync.rejected' THEN 'rejected'
    WHEN m.type = 'sync.held' THEN 'held'
    ELSE 'pending' END AS state
FROM edit e
LEFT JOIN (
  SELECT x.ledger, x.edit, max(x.seq) AS newest,
    sum(CASE WHEN y.type = 'sync.acknowledged' THEN 1 ELSE 0 END) AS acknowledged
  FROM answered x JOIN event y ON y.ledger = x.ledger AND y.seq = x.seq
  WHERE x.edit < x.seq GROUP BY x.ledger, x.edit
) a ON a.ledger = e.ledger AND a.edit = e.seq
LEFT JOIN event m ON m.ledger = a.ledger AND m.seq = a.newest;

-- Edits that the backend has not taken: the sum of the counts of `ledger status --json`, which puts
-- those in an open conflict, refused or not, into a count of their own.
CREATE VIEW counts AS
SELECT ledger, count(*) AS unsettled FROM standing WHERE state <> 'acknowledged' GROUP BY ledger;

-- Who is behind, and since when: ORDER BY since.
CREATE VIEW behind AS
SELECT ledger, count(*) AS waiting, min(moment) AS since
FROM standing WHERE state IN ('pending', 'in doubt', 'held') GROUP BY ledger;

-- What the backend refuses, in its own words: ORDER BY count DESC.
CREATE VIEW rejections AS
SELECT status, message, count(*) AS count, count(DISTINCT ledger) AS ledgers
FROM event WHERE type = 'sync.rejected' AND NOT is_erased GROUP BY status, message;

-- Fields that both sides changed, how that was decided, and how often a person decided since.
CREATE VIEW conflicts AS
SELECT d.subject, d.field, d.decision, count(DISTINCT d.ledger || ' ' || d.seq) AS count,
  count(r.seq) AS resolved
FROM event d
LEFT JOIN event r ON r.ledger = d.ledger AND r.conflict = d.seq AND r.type = 'conflict.resolved'
WHERE d.type = 'conflict.detected' AND NOT d.is_erased
GROUP BY d.subject, d.field, d.decision;

-- Chains that do not have the hash the register holds for them: cut off, or written anew.
CREATE VIEW heads AS
SELECT r.ledger, r.seq, r.hash AS registered, e.hash AS found
FROM register r LEFT JOIN event e ON e.ledger = r.ledger AND e.seq = r.seq
WHERE e.hash IS NULL OR e.hash <> r.hash;

-- Edits by the device that the ledger was made on, erased ones left out. The log names no version
-- of an app.
CREATE VIEW devices AS
SELECT c.device, count(DISTINCT c.ledger) AS ledgers, count(e.seq) AS edits
FROM event c
LEFT JOIN event e ON e.ledger = c.ledger AND e.actor <> 'sync' AND NOT e.is_erased
  AND e.type IN ('profile.updated', 'physical.updated', 'preferences.updated', 'progress.logged',
    'progress.corrected', 'progress.deleted')
WHERE c.type = 'ledger.created'
GROUP BY c.device;

-- Lines that are missing or out of order among those that were loaded.
CREATE VIEW gaps AS
SELECT ledger, before AS after, seq AS next
FROM (SELECT ledger, seq, lag(seq, 1, CAST(0 AS BIGINT)) OVER (PARTITION BY ledger ORDER BY seq)
    AS before FROM event) pairs
WHERE seq <> before + 1;
