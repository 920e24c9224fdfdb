#!/usr/bin/env python3
"""Says of each engine whether it answers as `ledger` and the Python fold do.

usage: compare.py LEDGER PYTHON ANSWERS...

Each is a folder of QUESTION.jsonl; what `ledger` does not answer is compared with the Python fold.
One line an engine; exit 1 if any differs. The ledgers that are
wrong on purpose (planted-…) are left out where only whole logs can be asked.
"""

import json
import sys
from pathlib import Path

from answers import QUESTIONS, read


def kept(question, lines):
    if question not in ("days", "counts", "behind"):
        return set(lines)
    return {line for line in lines if not json.loads(line)["ledger"].startswith("planted-")}


def main(ledger, python, answers):
    worst = 0
    for folder in answers:
        differ, rows = [], 0
        for question in QUESTIONS:
            found = read(folder, question)
            is_ledger = Path(folder) == Path(ledger)
            if is_ledger and found is None:
                continue
            wanted = None if is_ledger else read(ledger, question)
            wanted = wanted or read(python, question)
            if found is None:
                differ.append("%s: no answer" % question)
                continue
            wanted, found = kept(question, wanted), kept(question, found)
            rows += len(found)
            if wanted != found:
                example = sorted(wanted ^ found)[0]
                differ.append("%s: %d missing, %d too many, such as %s" % (
                    question, len(wanted - found), len(found - wanted), example))
        print("%s: %s" % (Path(folder).name, "; ".join(differ) or "same, %d rows" % rows))
        worst = worst or (1 if differ else 0)
    return worst


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
