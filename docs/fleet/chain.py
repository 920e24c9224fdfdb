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
REFUSED = "sync.rejected", "sync.differed"


def part(type):
    """What an event of a type is to an erasure; "-" for what is never erased."""
    return next((part for part, types in PARTS.items() if re.fullmatch(types, type)), "U")


class Erasures:
    """The erased lines of a log and their records, and the rule for them (docs/log-format.md)."""

    def __init__(self):
        # By seq: what an erased line is to an erasure, its type, the calls then without an answer,
        # and for a conflict right after an answer that differed, the entry of that.
        self.erased, self.types, self.open, self.subjects, self.differed = {}, {}, {}, {}, None
        # The records, and the events that an erasure wrote or may have written.
        self.records, self.closing = [], set()
        # By entry, the first line that an erasure would have taken, and deletions that are left.
        self.kept, self.deletions = {}, {}
        # By event: the entry that its answer names, the event that undid it, and the calls, answers
        # and undoings that name it.
        self.owners, self.undone, self.naming = {}, {}, {}
        # By profile field, the events that gave it a value, and a person's edits; by conflict, its
        # field.
        self.values, self.edits, self.conflicts = {}, set(), {}
        self.calls, self.signed_in, self.replaced = set(), False, 0

    def note(self, event):
        seq, type, data = event["seq"], event["type"], event.get("data")
        differed, self.differed = self.differed, data if type == "sync.differed" else None
        if data is None:
            self.erased[seq], self.types[seq] = part(type), type
            self.open[seq] = len(self.calls), self.signed_in
            if differed and type == "conflict.detected":
                self.subjects[seq] = differed.get("entry")
            return
        if type == "event.erased" or seq - 1 in self.closing and (
                type == "sync.acknowledged" or part(type) == "D"):
            self.closing.add(seq)
        if part(type) == "D":
            self.deletions.setdefault(data["entry"], []).append(seq)
        if re.match(r"sync\.|edit\.undone", type):
            for named in data.get("events", [data.get("event")]):
                self.naming.setdefault(named, {})[seq] = type, data
        # What an erasure writes is not the answer, but stands for the erased one.
        if re.fullmatch(r"sync\.(acknowledged|deferred|rejected|differed)", type) \
                and seq not in self.closing:
            self.calls.discard(data.get("call"))
        if type == "event.erased":
            if event["by"] != "user" or not 1 <= len(data.get("reason") or "") <= 500 \
                    or "entry" in data and "fields" in data:
                raise ValueError("line %d is no record of an erasure that ledger makes" % seq)
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
            self.edits.add(seq)
        elif type == "profile.pulled":
            self.set(data.get("fields", {}), seq)
        elif type == "edit.undone":
            self.undone[data["event"]] = seq
        elif type == "account.signed_in":
            self.signed_in = True
        elif type == "account.replaced":
            self.replaced = seq
        elif type == "sync.attempted" and data["path"].startswith("/api/v1/users/"):
            self.calls.add(data["call"])
        elif type == "sync.acknowledged":
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
        self.recorded = {data["event"]: at for at, data in self.records}
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
        answers = sorted(seq for seq, type in self.types.items() if type == "sync.acknowledged"
                         or type in REFUSED and self.fields[seq] is not None)
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
        if (entry or fields is not None) and any(
                self.subjects.get(event, entry) != entry for event in events):
            return False
        if entry:
            return 1 <= run.count("L") <= 1 + run.count("D") and not set(run) & set("EAU") \
                and owners <= {entry} and self.kept.get(entry, at) >= at \
                and self.is_settled(entry, events, at)
        acts = re.findall(r"U|S*[LCD][LCDS]*|S*[EA][EAS]*|S+", run)
        if not all(set(act) & set("LEU") for act in acts):
            return False
        if fields is None:
            return all(self.kept.get(owner, at) >= at for owner in owners)
        if set(run) & set("LCD") or not fields and "E" in run:
            return False
        return all(self.had_later_value(field, event, at)
                   and self.is_replaced(field, event, events, at)
                   for event in events for field in fields
                   if self.erased[event] == "E" and event not in self.undone)

    def is_settled(self, entry, events, at):
        """Whether calls and answers allow the erasure of an entry."""
        first, told = at + 1 - len(events), {}
        for event in events + self.deletions.get(entry, []):
            told.update(self.naming.get(event, {}))
        told = [(seq, type, data) for seq, (type, data) in sorted(told.items())]
        if any(seq < first and type in REFUSED
               and (type == "sync.rejected" or data.get("entry") == entry)
               for seq, type, data in told):
            return False
        binding = [(seq, data) for seq, type, data in told if type == "sync.acknowledged"
                   and data.get("entry") == entry and "backend_id" in data]
        pulled = [event for event in events if self.types[event].endswith(".pulled")]
        refused = sorted(event for event in events if self.types[event] in REFUSED)
        answered = {data.get("call") for seq, type, data in told if type != "sync.attempted"}
        open = [seq for seq, type, data in told
                if type == "sync.attempted" and data["call"] not in answered]
        # A listing, too, makes a `sync.differed` of an entry that has a row.
        foreign = [seq for seq in refused
                   if self.types[seq] == "sync.rejected" or not binding and not pulled]
        if any(sum(call < seq for call in open) < count for count, seq in enumerate(foreign, 1)):
            return False
        # A call for acknowledged edits only deletes a former row.
        sent = max((seq for seq, type, data in told if type == "sync.attempted" and seq < first
                    and not all(self.is_acknowledged(event, self.replaced, seq)
                                for event in data["events"])), default=0)
        outcomes = refused + [seq for seq, type, data in told if type != "sync.attempted"]
        if sent > self.replaced and not any(sent < seq < first for seq in outcomes):
            return False
        if entry in self.deletions or any(self.erased[event] == "D" for event in events):
            return True
        bound = {event for seq, data in binding for event in data["events"]}
        gone = {data["backend_id"] for seq, data in binding if data.get("status") in (204, 404)}
        return all(event in bound for event in pulled if event > self.replaced) \
            and all(data["backend_id"] in gone for seq, data in binding if seq > self.replaced)

    def is_acknowledged(self, edit, after, before):
        """Whether an answer between two events says so."""
        return any(type == "sync.acknowledged" and after < seq < before
                   for seq, (type, data) in self.naming.get(edit, {}).items())

    def is_replaced(self, field, event, events, at):
        """Whether the backend had the later value, if it had the erased one."""
        first, end = at + 1 - len(events), at
        newest = max((seq for seq in self.values.get(field, [])
                      if seq < first and self.undone.get(seq, first) >= first), default=0)
        while end + 1 in self.closing:
            end += 1
        answers = [seq for seq, type in self.types.items() if type == "sync.acknowledged"]
        was_sent = self.is_acknowledged(event, 0, first) or any(
            seq > event and seq in events for seq in answers)
        # An answer that was erased since may have been that to the later value.
        return newest < event or newest not in self.edits or not was_sent \
            or self.is_acknowledged(newest, 0, end + 1) or any(
                newest < seq < first and self.recorded[seq] > at for seq in answers)

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
