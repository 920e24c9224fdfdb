#!/usr/bin/env python3
"""Makes a fleet of small ledgers, the same ones each time.

usage: generate.py FLEET COUNT [--program LEDGER [--real N]]

FLEET/NAME/.ledger/events.jsonl are whole, right logs, with all that makes adding up hard:
corrections, deletions, undone edits, erased lines, pulled entries, refusals, conflicts, types that
nobody knows. FLEET/heads.csv is a register of heads as an earlier moment knew them.

Two more are wrong on purpose, and their names say so: planted-gap lacks a line, and the register
holds a hash for planted-head that its chain never had.

With --program, the first N (default 3) are made by that `ledger` itself instead of by this script;
their ids and hashes are other ones each time.
"""

import argparse
import json
import random
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

from chain import Log

METRICS = {  # name: (low, high, digits after the point)
    "weight": (45, 120, 1),
    "steps": (0, 25000, 0),
    "water_liters": (0, 5, 2),
    "distance_km": (0, 40, 3),
    "sleep_hours": (0, 12, 2),
}
NOTES = ["after a run", 'said "hm"', "back\\slash \\u0000", "two\nlines", "Zoë 🚴", "nul \x00 inside"]
MESSAGES = ["quantity out of range", "date lies in the future", "Zoë's quota is used up"]


class Person:
    """One ledger's story: what its owner does and what the backend answers."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.clock = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=number)
        self.log = Log()
        self.entries = {}  # entry id: {"seqs", "sent", "undone", "refused", "corrections"}
        self.waiting = []  # edits that were not answered
        self.add("system", "ledger.created", ledger=self.uuid(),
                 device=self.random.choice(["phone", "tablet", "watch"]), format=1)
        self.add("system", "account.signed_in", account="p%d@example.org" % number,
                 origin="https://api.example.org")

    def uuid(self):
        digits = "%032x" % self.random.getrandbits(128)
        return "%s-%s-7%s-8%s-%s" % (digits[:8], digits[8:12], digits[13:16], digits[17:20], digits[20:])

    def add(self, by, type, **data):
        # Clocks step back now and then; seq is the order.
        self.clock += timedelta(milliseconds=self.random.choice([-4000, 250, 61_000, 5_000_000]))
        at = self.clock.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (self.clock.microsecond // 1000)
        return self.log.add(self.uuid(), at, by, type, "%016x" % self.random.getrandbits(64), data)

    def quantity(self, metric):
        low, high, digits = METRICS[metric]
        value = round(self.random.uniform(low, high), digits)
        return int(value) if value == int(value) else value

    def moment(self):
        data = {"date": "2026-01-%02d" % self.random.randint(1, 28)}
        if self.random.random() < 0.6:
            data["time"] = "%02d:%02d:00" % (self.random.randint(0, 23), self.random.choice([0, 30]))
            data["zone"] = self.random.choice(["+00:00", "+02:00", "-05:00"])
        return data

    def live(self):
        return [entry for entry, known in self.entries.items() if not known["undone"]]

    # What may happen

    def logged(self):
        entry, metric = self.uuid(), self.random.choice(list(METRICS))
        data = dict(entry=entry, metric=metric, quantity=self.quantity(metric), **self.moment())
        if self.random.random() < 0.3:
            data["notes"] = self.random.choice(NOTES)
        by = "import" if self.random.random() < 0.2 else "user"
        seq = self.add(by, "progress.logged", **data)
        self.note(entry, metric, seq)
        self.waiting.append(seq)

    def pulled(self):
        entry, metric, row = self.uuid(), self.random.choice(list(METRICS)), self.uuid()
        seq = self.add("sync", "progress.pulled", entry=entry, backend_id=row,
                       metric=metric, quantity=self.quantity(metric), **self.moment())
        self.note(entry, metric, seq).update(sent=True, row=row)

    def note(self, entry, metric, seq):
        known = dict(metric=metric, seqs=[seq], sent=False, undone=False, touched=False,
                     refused=False, lost=set())
        self.entries[entry] = known
        return known

    def corrected(self):
        if not self.live():
            return
        entry = self.random.choice(self.live())
        metric = self.entries[entry]["metric"]
        data = {"entry": entry}
        if self.random.random() < 0.7:
            data["quantity"] = self.quantity(metric)
        if self.random.random() < 0.4:
            data.update(self.moment())
        if len(data) == 1:
            data["notes"] = None
        self.change(entry, self.add("user", "progress.corrected", **data))

    def deleted(self):
        if not self.live():
            return
        entry = self.random.choice(self.live())
        by = "sync" if self.entries[entry]["sent"] and self.random.random() < 0.3 else "user"
        seq = self.add(by, "progress.deleted", entry=entry)
        if by == "user":
            self.change(entry, seq)

    def change(self, entry, seq):
        self.entries[entry]["seqs"].append(seq)
        self.waiting.append(seq)

    def undone(self):
        # What may have been sent is not undone by this event but by a deletion.
        sent = {known["seqs"][0] for known in self.entries.values() if known["touched"]}
        open = [seq for seq in self.waiting if seq not in sent]
        if not open:
            return
        seq = self.random.choice(open)
        self.waiting.remove(seq)
        self.add("user", "edit.undone", event=seq)
        for known in self.entries.values():
            if known["seqs"][0] == seq:
                known["undone"] = True  # and nothing of it is sent any more
                self.waiting = [edit for edit in self.waiting if edit not in known["seqs"]]

    def profile(self):
        kind, data = self.random.choice([
            ("profile", {"bio": self.random.choice(NOTES[:5])}),
            ("physical", {"height_cm": 170.5}), ("preferences", {"allergies": ["nuts"]})])
        self.waiting.append(self.add("user", kind + ".updated", **data))

    def synced(self):
        """A round of calls: most are answered, some are put off, refused or held."""
        for seq in list(self.waiting):
            fate = self.random.choices(
                ["acknowledged", "deferred", "rejected", "held", "lost", "later"],
                [60, 8, 6, 4, 2, 20])[0]
            if fate == "later":
                continue
            for known in self.entries.values():
                if seq in known["seqs"]:
                    known["sent"] = known["sent"] or fate == "acknowledged"
                    known["touched"] = True
                    known["refused"] = known["refused"] or fate == "rejected"
                    known["lost"] = known["lost"] - {seq} | ({seq} if fate == "lost" else set())
            if fate == "held":
                self.add("sync", "sync.held", events=[seq], reason="profile-needs-name")
                continue
            call = self.uuid()
            self.add("sync", "sync.attempted", call=call, method="POST", path="/api/v1/progress",
                     events=[seq], fingerprint="ab12", attempt=1)
            if fate == "acknowledged":
                self.add("sync", "sync.acknowledged", events=[seq], via="response", call=call,
                         status=201)
                self.waiting.remove(seq)
            elif fate == "deferred":
                self.add("sync", "sync.deferred", call=call, events=[seq], reason="server-error",
                         status=503)
            elif fate == "rejected":
                self.add("sync", "sync.rejected", call=call, events=[seq], status=422,
                         message=self.random.choice(MESSAGES))

    def conflict(self):
        field = self.random.choice(["bio", "name", "language_code"])
        decision = self.random.choice(["open", "local", "remote"])
        seq = self.add("sync", "conflict.detected", subject="profile", field=field, base="a",
                       local="b", remote="c", decision=decision)
        if decision == "open" and self.random.random() < 0.5:
            self.add("user", "conflict.resolved", conflict=seq, decision="remote", value="c")

    def unknown(self):
        self.add("user", "coach.noted", text="a type of a later version", entry=None)

    def erased(self):
        """As `ledger erase` does it: the entry's lines, an answer for each, the id of a row that was
        pulled, and a deletion of what the backend has."""
        open = [entry for entry in self.live()
                if self.entries[entry]["sent"] or not self.entries[entry]["touched"]]
        # An answer that is unknown prevents it; refusals would have to go, too.
        open = [entry for entry in open
                if not self.entries[entry]["refused"] and not self.entries[entry]["lost"]]
        if not open:
            return
        entry = self.random.choice(open)
        known = self.entries.pop(entry)
        kept = []
        for seq in known["seqs"]:
            if '"type":"progress.deleted"' in self.log.lines[seq - 1][0]:
                kept.append(seq)
                continue
            self.log.erase(seq)
            self.add("user", "event.erased", event=seq, reason="asked for", entry=entry)
        self.waiting = [seq for seq in self.waiting if seq not in known["seqs"] or seq in kept]
        if "row" in known:
            self.add("sync", "sync.acknowledged", events=known["seqs"][:1], via="elided",
                     entry=entry, backend_id=known["row"])
        if known["sent"]:
            self.waiting.append(self.add("user", "progress.deleted", entry=entry))

    def live_on(self, events):
        ways = [(self.logged, 40), (self.corrected, 14), (self.deleted, 5), (self.undone, 7),
                (self.pulled, 10), (self.synced, 3), (self.profile, 3), (self.conflict, 2),
                (self.unknown, 1), (self.erased, 3)]
        while len(self.log.lines) < events:
            self.random.choices([way for way, _ in ways], [weight for _, weight in ways])[0]()


def register_line(name, lines, seq):
    return "%s,%d,%s\n" % (name, seq, lines[seq - 1][2])


def by_program(program, folder, number):
    """The same kinds of edits through the commands a person has."""
    choice = random.Random(number)

    def run(*words, input=""):
        done = subprocess.run([program, "--ledger", str(folder), *words], input=input, text=True,
                              capture_output=True)
        if done.returncode != 0:
            raise SystemExit("%s %s: %s" % (program, " ".join(words), done.stderr))
        return done.stdout

    run("init", "--device", "program")
    batch = [{"type": "progress.logged", "data": {
        "metric": "weight", "quantity": round(choice.uniform(50, 90), 1),
        "date": "2026-01-%02d" % choice.randint(1, 9), "notes": choice.choice(NOTES)}}
        for _ in range(30)]
    run("append", "--stdin", input="".join(json.dumps(line) + "\n" for line in batch))
    for seq in (3, 4, 5):
        run("append", "correction", str(seq), "--quantity", "71.25", "--date", "2026-01-05")
    run("append", "deletion", "6")
    run("append", "deletion", "7")
    run("undo")
    run("undo", "8")
    run("undo", "4")
    run("erase", "9", "--reason", "asked for", "--yes")
    run("erase", "3", "--reason", "asked for", "--yes")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    parser.add_argument("fleet", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--program")
    parser.add_argument("--real", type=int, default=3)
    asked = parser.parse_args()
    real = min(asked.real, asked.count) if asked.program else 0
    asked.fleet.mkdir(parents=True)
    with open(asked.fleet / "heads.csv", "w") as register:
        register.write("ledger,seq,hash\n")
        for number in range(asked.count):
            name = "ledger-%06d" % number
            folder = asked.fleet / name / ".ledger"
            if number < real:
                folder.parent.mkdir()
                by_program(asked.program, folder, number)
                continue
            person = Person(number)
            person.live_on(person.random.randint(20, 160))
            lines = person.log.lines
            register.write(register_line(name, lines, person.random.randint(1, len(lines))))
            person.log.write(folder)
        for name, number in (("planted-gap", 9_000_001), ("planted-head", 9_000_002)):
            person = Person(number)
            person.live_on(40)
            if name == "planted-gap":
                register.write(register_line(name, person.log.lines, 40))
                del person.log.lines[24]
            else:
                register.write("%s,12,%s\n" % (name, "f" * 64))
            person.log.write(asked.fleet / name / ".ledger")


if __name__ == "__main__":
    main()
