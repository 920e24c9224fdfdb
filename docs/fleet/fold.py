#!/usr/bin/env python3
"""The fleet's questions answered in plain Python, one ledger at a time: what the engines are
compared with where they ask more than `ledger` does, and a page to read the rules from.

usage: fold.py FLEET OUT
"""

import csv
import json
import sys
from collections import Counter, defaultdict

from answers import QUESTIONS, write
from chain import logs

EDITS = {"profile.updated", "physical.updated", "preferences.updated", "progress.logged",
         "progress.corrected", "progress.deleted"}
STATES = {"sync.attempted": "in doubt", "sync.deferred": "pending", "sync.rejected": "rejected",
          "sync.held": "held", "sync.acknowledged": "acknowledged"}


class Ledger:
    def __init__(self, name, events):
        self.name, self.events = name, events
        told = [event for event in events if "data" in event]  # what was erased says nothing
        self.told = told
        self.undone = {event["data"]["event"] for event in told
                       if event["type"] == "edit.undone" and event["data"]["event"] < event["seq"]}
        self.rows = {}  # seq of the logging: [event, its changes that count]
        self.row_of = {}  # seq of an edit of an entry: seq of the logging
        newest = {}
        for event in told:
            entry = event["data"].get("entry")
            if event["type"] in ("progress.logged", "progress.pulled"):
                newest[entry] = event["seq"]
                self.rows[event["seq"]] = [event]
                self.row_of[event["seq"]] = event["seq"]
            elif event["type"] in ("progress.corrected", "progress.deleted") and entry in newest:
                self.row_of[event["seq"]] = newest[entry]
                if event["seq"] not in self.undone:
                    self.rows[newest[entry]].append(event)

    def days(self):
        groups = defaultdict(list)
        for seq, versions in self.rows.items():
            deleted = any(event["type"] == "progress.deleted" for event in versions)
            if seq in self.undone or deleted:
                continue
            now = {}
            for event in versions:  # a later version wins, member by member
                now.update(event["data"])
            key = (now["date"], now["metric"])
            groups[key].append((now.get("time", "00:00:00"), seq, float(now["quantity"])))
        for (date, metric), group in groups.items():
            quantities = [quantity for _, _, quantity in group]  # in the order of seq
            total = 0.0
            for quantity in quantities:
                total += quantity
            yield {"ledger": self.name, "date": date, "type": metric, "count": len(group),
                   "sum": total, "min": min(quantities), "max": max(quantities),
                   "mean": total / len(group), "last": max(group)[2]}

    def states(self):
        """The state of each edit that is to be sent: {seq: state}."""
        erasures = [event["seq"] for event in self.told if event["type"] == "event.erased"]
        states = {}
        for event in self.told:
            seq, type = event["seq"], event["type"]
            if type in EDITS and event["by"] != "sync" and seq not in self.undone:
                row = self.row_of.get(seq)
                if type.startswith("progress.") and row is None:
                    # Of an erased entry, only the deletion of what the backend has is left.
                    counts = type == "progress.deleted" and erasures and erasures[0] < seq
                else:
                    counts = row not in self.undone
                if counts:
                    states[seq] = "pending"
            if type in STATES:
                for edit in event["data"]["events"]:
                    if states.get(edit, "acknowledged") != "acknowledged":
                        states[edit] = STATES[type]
        return states

    def standing(self):
        at = {event["seq"]: event["at"] for event in self.events}
        states = self.states()
        waiting = [seq for seq, state in states.items() if state in ("pending", "in doubt", "held")]
        unsettled = sum(state != "acknowledged" for state in states.values())
        if unsettled:
            counts = {"ledger": self.name, "unsettled": unsettled}
            behind = {"ledger": self.name, "waiting": len(waiting),
                      "since": min(at[seq] for seq in waiting)} if waiting else None
            return counts, behind
        return None, None

    def gaps(self):
        seqs = [event["seq"] for event in self.events]
        for before, seq in zip([0] + seqs, seqs):
            if seq != before + 1:
                yield {"ledger": self.name, "after": before, "next": seq}


def main(fleet, out):
    found = {question: [] for question in QUESTIONS}
    rejections, refused_by = Counter(), defaultdict(set)
    conflicts, resolved = Counter(), Counter()
    edits, owners = Counter(), defaultdict(set)
    hashes = {}
    for name, path in logs(fleet):
        with open(path, encoding="utf-8") as file:
            ledger = Ledger(name, [json.loads(line) for line in file])
        found["days"] += ledger.days()
        found["gaps"] += ledger.gaps()
        for question, row in zip(("counts", "behind"), ledger.standing()):
            if row:
                found[question].append(row)
        device = None
        by_seq = {event["seq"]: event for event in ledger.told}
        for event in ledger.events:
            hashes[name, event["seq"]] = event["hash"]
        for event in ledger.told:
            data = event["data"]
            if event["type"] == "ledger.created":
                device = data["device"]
                owners[device].add(name)
            elif event["type"] == "sync.rejected":
                rejections[data["status"], data["message"]] += 1
                refused_by[data["status"], data["message"]].add(name)
            elif event["type"] == "conflict.detected":
                conflicts[data["subject"], data["field"], data["decision"]] += 1
            elif event["type"] == "conflict.resolved" and data["conflict"] in by_seq:
                of = by_seq[data["conflict"]]["data"]
                resolved[of["subject"], of["field"], of["decision"]] += 1
            if event["type"] in EDITS and event["by"] != "sync":
                edits[device] += 1
    for (status, message), count in rejections.items():
        found["rejections"].append({"status": status, "message": message, "count": count,
                                    "ledgers": len(refused_by[status, message])})
    for (subject, field, decision), count in conflicts.items():
        found["conflicts"].append({"subject": subject, "field": field, "decision": decision,
                                   "count": count, "resolved": resolved[subject, field, decision]})
    for device, names in owners.items():
        found["devices"].append({"device": device, "ledgers": len(names), "edits": edits[device]})
    with open("%s/heads.csv" % fleet, newline="") as file:
        for row in csv.DictReader(file):
            has = hashes.get((row["ledger"], int(row["seq"])))
            if has != row["hash"]:
                found["heads"].append({"ledger": row["ledger"], "seq": int(row["seq"]),
                                       "registered": row["hash"], "found": has})
    for question, rows in found.items():
        write(out, question, rows)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
