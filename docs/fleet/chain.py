"""The form and the chain of a log (docs/log-format.md), read and written without `ledger`."""

import hashlib
import json
import re
from pathlib import Path

START = "0" * 64
TAIL = re.compile(rb',"hash":"([0-9a-f]{64})"}')


def sha(*parts):
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def text(value):
    """JSON as a log holds it: no white space, and nothing escaped that need not be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Log:
    """Lines in the making. Erasing takes a line's body away and leaves its hash."""

    def __init__(self):
        self.lines = []  # [front, body, hash], body None once erased
        self.head = START

    def add(self, id, at, by, type, salt, data):
        """Returns the new event's seq."""
        seq = len(self.lines) + 1
        front = text(dict(id=id, seq=seq, at=at, by=by, type=type, v=1))[:-1] + ","
        body = '"salt":%s,"data":%s' % (text(salt), text(data))
        self.head = sha(self.head, front, sha(body))
        self.lines.append([front, body, self.head])
        return seq

    def erase(self, seq):
        line = self.lines[seq - 1]
        line[0] += '"erased":"%s"' % sha(line[1])
        line[1] = ""

    def write(self, folder):
        """Writes `events.jsonl` and `head` into the folder, which it makes."""
        folder.mkdir(parents=True, mode=0o700)
        whole = "".join('%s%s,"hash":"%s"}\n' % tuple(line) for line in self.lines).encode()
        (folder / "events.jsonl").write_bytes(whole)
        head = "%020d %020d %s\n" % (len(self.lines), len(whole), self.head)
        (folder / "head").write_text(head)


def link(line, previous, seq):
    """Checks one whole line; returns its event and its hash. Raises ValueError."""
    if not line.endswith(b"\n"):
        raise ValueError("line %d is torn" % seq)
    line = line[:-1]
    event = json.loads(line)
    tail = TAIL.fullmatch(line[-75:])
    cut = line.find(b'"erased":"' if "erased" in event else b'"salt":"')
    if event["seq"] != seq or not tail or cut < 0:
        raise ValueError("line %d has the wrong seq or form" % seq)
    digest = event.get("erased") or hashlib.sha256(line[cut:-75]).hexdigest()
    found = hashlib.sha256(previous.encode() + line[:cut] + digest.encode()).hexdigest()
    if found != tail[1].decode():
        raise ValueError("line %d breaks the chain" % seq)
    if seq == 1 and event["type"] != "ledger.created":
        raise ValueError("line 1 is not ledger.created")
    if "erased" in event and event["v"] != 1:
        raise ValueError("line %d is erased and has another version than 1" % seq)
    if "erased" not in event and not isinstance(event["data"], dict):
        raise ValueError("line %d has no data" % seq)
    return event, found


PARTS = {
    "L": r"(progress|sleep)\.(logged|pulled)",
    "C": r"(progress|sleep)\.corrected",
    "D": r"(progress|sleep)\.deleted",
    "E": r"(profile|physical|preferences)\.updated",
    "A": r"sync\.acknowledged|profile\.pulled",
    "S": r"conflict\.(detected|resolved)|sync\.(rejected|differed)",
    "-": r"ledger\.created|account\..*|log\.repaired|event\.erased|row\.skipped|edit\.undone"
         r"|sync\.(attempted|deferred|held)|duplicate\.(suspected|resolved)|goal\.removed",
}


def part(type):
    """What an event of a type is to an erasure; "-" for what is never erased."""
    return next((part for part, types in PARTS.items() if re.fullmatch(types, type)), "U")


class Erasures:
    """The erased lines of a log and their records, and the rule for them (docs/log-format.md)."""

    def __init__(self):
        # By seq: what an erased line is to an erasure, its type, and the calls then without an answer.
        self.erased, self.types, self.open = {}, {}, {}
        self.records = []
        # By entry, the first line that an erasure would have taken.
        self.kept = {}
        # By event: the entry that its answer names, and the event that undid it.
        self.owners, self.undone = {}, {}
        # By profile field, the events that gave it a value; by conflict, its field.
        self.values, self.conflicts = {}, {}
        self.calls, self.signed_in = set(), False

    def note(self, event):
        seq, type, data = event["seq"], event["type"], event.get("data")
        if data is None:
            self.erased[seq], self.types[seq] = part(type), type
            self.open[seq] = len(self.calls), self.signed_in
        elif type == "event.erased":
            self.records.append((seq, data))
        elif part(type) in "LC" or type == "conflict.detected" \
                or part(type) == "D" and "reason" in data:
            self.kept.setdefault(data.get("entry", data.get("subject")), seq)
            self.conflicts[seq] = data.get("field")
            if data.get("decision") == "remote":
                self.set([data["field"]], seq)
        elif type == "conflict.resolved":
            self.set([self.conflicts.get(data["conflict"])], seq)
        elif part(type) == "E":
            self.set(data, seq)
        elif type == "profile.pulled":
            self.set(data.get("fields", {}), seq)
        elif type == "edit.undone":
            self.undone[data["event"]] = seq
        elif type == "account.signed_in":
            self.signed_in = True
        elif type == "sync.attempted" and data["path"].startswith("/api/v1/users/"):
            self.calls.add(data["call"])
        elif type == "sync.acknowledged":
            self.calls.discard(data.get("call"))
            for event in data["events"]:
                if "entry" in data and event < seq:
                    self.owners[event] = data["entry"]

    def set(self, fields, seq):
        for field in fields:
            self.values.setdefault(field, []).append(seq)

    def check(self):
        """Raises ValueError for an erasure that `ledger erase` would not have made."""
        if any(data["event"] >= at for at, data in self.records) \
                or sorted(data["event"] for at, data in self.records) != sorted(self.erased):
            raise ValueError("lines are erased and no event.erased, or more than one, names them, "
                             "or an event.erased names a line that is not")
        if "-" in self.erased.values():
            raise ValueError("a line is erased that never is")
        self.fields = {data["event"]: data.get("fields") for at, data in self.records}
        runs, before = [], None
        for at, data in self.records:
            subject = data.get("entry"), data.get("fields")
            if before != (at - 1, subject):
                runs.append([subject, [], at])
            before = at, subject
            runs[-1][1].append(data["event"])
            runs[-1][2] = at
        for subject, events, at in runs:
            if not self.is_right(subject, events, at):
                raise ValueError("line %d records an erasure that ledger would not make" % at)
        answers = sorted(seq for seq, type in self.types.items() if type == "sync.acknowledged")
        for count, seq in enumerate(answers, 1):
            calls, signed_in = self.open[seq]
            # The answer to a registration, which has no call in the log, is about the date of birth.
            if signed_in and "date_of_birth" in (self.fields[seq] or []):
                calls += 1
            if count > calls:
                raise ValueError("line %d is erased, and answers no call about the profile" % seq)

    def is_right(self, subject, events, at):
        entry, fields = subject
        run = "".join(self.erased[event] for event in events)
        owners = {self.owners[event] for event in events
                  if self.erased[event] in "LCD" and event in self.owners}
        if entry:
            return 1 <= run.count("L") <= 1 + run.count("D") and not set(run) & set("EAU") \
                and owners <= {entry} and self.kept.get(entry, at) >= at
        acts = re.findall(r"U|S*[LCD][LCDS]*|S*[EA][EAS]*|S+", run)
        if not all(set(act) & set("LEU") for act in acts):
            return False
        if fields is None:
            return all(self.kept.get(owner, at) >= at for owner in owners)
        if set(run) & set("LCD") or not fields and "E" in run:
            return False
        return all(self.had_later_value(field, event, at) for event in events for field in fields
                   if self.erased[event] == "E" and event not in self.undone)

    def had_later_value(self, field, event, at):
        return any(event < seq < at and self.undone.get(seq, at) >= at
                   for seq in self.values.get(field, [])) or any(
            seq > event and self.erased[seq] in "ES" and field in (self.fields[seq] or [field])
            for seq in self.erased)


def check(path):
    """Returns (number of events, hash of the last one); raises ValueError at the first wrong line."""
    previous, seq, erasures = START, 0, Erasures()
    with open(path, "rb") as file:
        for seq, line in enumerate(file, 1):
            event, previous = link(line, previous, seq)
            erasures.note(event)
    if seq == 0:
        raise ValueError("it is empty")
    erasures.check()
    return seq, previous


def logs(fleet):
    """(name, path) of every ledger in a fleet: FLEET/NAME/.ledger/events.jsonl, by name."""
    paths = sorted(Path(fleet).glob("*/.ledger/events.jsonl"))
    return [(path.parent.parent.name, path) for path in paths]
