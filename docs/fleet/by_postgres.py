#!/usr/bin/env python3
"""The fleet's questions in PostgreSQL, through psql and the database that PGHOST and so on name.

usage: by_postgres.py FLEET OUT

It replaces the schema `fleet` there.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from answers import QUESTIONS, write
from chain import logs

HERE = Path(__file__).parent
PSQL = ["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "-v", "ON_ERROR_STOP=1"]
TABLES = """
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS fleet CASCADE;
CREATE SCHEMA fleet;
SET search_path = fleet;
CREATE TABLE line (ledger text, line json);
CREATE TABLE register (ledger text, seq bigint, hash text);
"""
# Bytes that no line holds as they are: JSON escapes them.
COPY = "COPY line FROM STDIN WITH (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01');\n"
# PostgreSQL's text has no NUL. Notes may; an even number of backslashes before it is other text.
NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")


def ask(command):
    return subprocess.run([*PSQL, "-c", "SET search_path = fleet", "-c", command],
                          stdout=subprocess.PIPE, text=True, check=True).stdout


def load(fleet):
    psql = subprocess.Popen(PSQL, stdin=subprocess.PIPE)
    give = psql.stdin.write
    give((TABLES + COPY).encode())
    for name, path in logs(fleet):
        with open(path, "rb") as file:
            for line in file:
                give(name.encode() + b"\x02" + NUL.sub(rb"\1\\ufffd", line))
    give(b"\\.\nCOPY register FROM STDIN WITH (FORMAT csv, HEADER);\n")
    give((Path(fleet) / "heads.csv").read_bytes() + b"\\.\n")
    for script in ("postgres.sql", "views.sql"):
        give((HERE / script).read_bytes())
    psql.stdin.close()
    if psql.wait() != 0:
        raise SystemExit("PostgreSQL refused the fleet")


def main(fleet, out):
    load(fleet)
    for question in QUESTIONS:
        rows = ask("SELECT row_to_json(answer) FROM %s answer" % question)
        write(out, question, [json.loads(row) for row in rows.splitlines()])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
