"""Answers on disk: OUT/QUESTION.jsonl, a row a line, in an order of their own."""

import json
import math
from pathlib import Path

# Each is a view of that name in views.sql.
QUESTIONS = ["days", "counts", "behind", "rejections", "conflicts", "heads", "devices", "gaps"]


def rounded(value):
    """A number as `ledger` prints computed ones: nine decimals, three from a million on."""
    scale = 1e9 if abs(value) < 1e6 else 1e3
    scaled = math.floor(abs(value) * scale + 0.5)
    return math.copysign(scaled / scale, value) if 0 < scaled < 2 ** 53 else float(value)


def line(row):
    """A row as it is compared: numbers by value (75 and 75.0 are one)."""
    return json.dumps({name: rounded(value) if isinstance(value, (int, float)) else value
                       for name, value in row.items()}, sort_keys=True, ensure_ascii=False)


def write(out, question, rows):
    Path(out).mkdir(parents=True, exist_ok=True)
    with open(Path(out) / (question + ".jsonl"), "w", encoding="utf-8") as file:
        for text in sorted(line(row) for row in rows):
            file.write(text + "\n")


def read(out, question):
    path = Path(out) / (question + ".jsonl")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else None
