#!/usr/bin/env python3
"""The fleet's questions in Spark (pip install pyspark, and a Java).

usage: by_spark.py FLEET OUT
"""

import re
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from answers import QUESTIONS, write

HERE = Path(__file__).parent
# The members that are asked for, each with its type: Spark leaves all others out.
LINE = """seq BIGINT, at STRING, `by` STRING, type STRING, erased STRING, hash STRING,
  data STRUCT<device: STRING, entry: STRING, metric: STRING, quantity: DOUBLE, date: STRING,
    time: STRING, event: BIGINT, events: ARRAY<BIGINT>, status: BIGINT, message: STRING,
    subject: STRING, field: STRING, decision: STRING, conflict: BIGINT>"""
EVENT = r"""
SELECT ledger, seq, at AS moment, `by` AS actor, type, hash, erased IS NOT NULL AS is_erased,
  data.device, data.entry, data.metric, data.quantity, data.date AS day, data.time AS clock,
  data.event AS target, data.status, data.message, data.subject, data.field, data.decision,
  data.conflict
FROM line"""
ANSWERED = """
SELECT ledger, seq, explode(data.events) AS edit FROM line
WHERE type IN ('sync.attempted', 'sync.deferred', 'sync.acknowledged', 'sync.rejected', 'sync.held')
  AND erased IS NULL"""
# Spark's sum() knows no order, and floating-point sums hang on it.
ORDERED_SUM = """aggregate(array_sort(collect_list(struct(made, quantity))), CAST(0 AS DOUBLE),
  (total, one) -> total + one.quantity)"""


def views():
    text = re.sub(r"--.*", "", (HERE / "views.sql").read_text())
    text = text.replace("CREATE VIEW", "CREATE OR REPLACE TEMP VIEW")
    text = text.replace("sum(quantity ORDER BY made)", ORDERED_SUM)
    return [statement for statement in text.split(";") if statement.strip()]


def main(fleet, out):
    spark = (SparkSession.builder.master("local[*]").appName("fleet")
             .config("spark.ui.enabled", "false")
             .config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", "4")
             .getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    fleet = str(Path(fleet).resolve())
    # A line that is no JSON, or has another type where one is named, stops the run.
    lines = spark.read.json(fleet + "/*/.ledger/events.jsonl", schema=LINE, mode="FAILFAST")
    lines.selectExpr(
        r"regexp_extract(_metadata.file_path, '([^/]+)/[.]ledger/events[.]jsonl$', 1) AS ledger",
        "*").createOrReplaceTempView("line")
    spark.sql(EVENT).cache().createOrReplaceTempView("event")
    spark.sql(ANSWERED).cache().createOrReplaceTempView("answered")
    spark.read.csv(fleet + "/heads.csv", header=True, schema="ledger STRING, seq BIGINT, hash STRING"
                   ).createOrReplaceTempView("register")
    for statement in views():
        spark.sql(statement)
    for question in QUESTIONS:
        rows = spark.table(question).collect()
        write(out, question, [row.asDict() for row in rows])
    spark.stop()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
