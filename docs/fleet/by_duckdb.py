#!/usr/bin/env python3
"""The fleet's questions in DuckDB (pip install duckdb).

usage: by_duckdb.py FLEET OUT
"""

import sys
from pathlib import Path

import duckdb

from answers import QUESTIONS, write

HERE = Path(__file__).parent


def main(fleet, out):
    engine = duckdb.connect()
    engine.execute("SET VARIABLE fleet = '%s'" % fleet.replace("'", "''"))
    engine.execute((HERE / "duckdb.sql").read_text())
    engine.execute((HERE / "views.sql").read_text())
    for question in QUESTIONS:
        answer = engine.execute("SELECT * FROM " + question)
        names = [column[0] for column in answer.description]
        write(out, question, [dict(zip(names, row)) for row in answer.fetchall()])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
