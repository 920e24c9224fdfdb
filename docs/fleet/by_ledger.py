#!/usr/bin/env python3
"""What `ledger` itself answers, ledger by ledger.

usage: by_ledger.py PROGRAM FLEET OUT

days is `show days --json`; counts is the sum of those of `status --json`.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from answers import write
from chain import logs

COUNTS = ("pending", "in_doubt", "held", "rejected", "conflicts")


def main(program, fleet, out):
    def ask(path, *words):
        answer = subprocess.run([program, *words, "--json", "--ledger", str(path.parent)],
                                capture_output=True)
        if answer.returncode != 0:
            raise SystemExit("%s: %s" % (path, answer.stderr.decode()))
        return json.loads(answer.stdout)

    def both(item):
        name, path = item
        return name, ask(path, "show", "days"), ask(path, "status")

    days, counts = [], []
    whole = [(name, path) for name, path in logs(fleet) if not name.startswith("planted-")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, groups, status in pool.map(both, whole):
            days += [{"ledger": name, **group} for group in groups]
            unsettled = sum(status[of] for of in COUNTS)
            if unsettled:
                counts.append({"ledger": name, "unsettled": unsettled})
    write(out, "days", days)
    write(out, "counts", counts)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
