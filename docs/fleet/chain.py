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
    return event, found


PARTS = {
    "L": r"(progress|sleep)\.(logged|pulled)",
    "C": r"(progress|sleep)\.corrected",
    "D": r"(progress|sleep)\.deleted",
    "E": r"(profile|physical|preferences)\.updated",
    "A": r"sync\.acknowledged|profile\.pulled",
    "S": r"conflict\.(detected|resolved)|sync\.(rejected|differed)",
    "-": r"ledger\.created|account\..*|log\.repaired|event\.erased|row\.skipped|edit\.undone"
         r"|sync\.(attempted|deferred|held)|duplicate\.(suspected|resolved)",
}


def part(type):
    """What an event of a type is to an erasure; "-" for what is never erased."""
    return next((part for part, types in PARTS.items() if re.fullmatch(types, type)), "U")


class Erasures:
    """The erased lines of a log and their records, and the rule for them (docs/log-format.md)."""

    def __init__(self):
        self.erased, self.records, self.kept = {}, [], {}

    def note(self, event):
        seq, type, data = event["seq"], event["type"], event.get("data")
        if data is None:
            self.erased[seq] = part(type)
        elif type == "event.erased":
            self.records.append((seq, data))
        elif part(type) in "LC" or type == "conflict.detected":
            self.kept.setdefault(data.get("entry", data.get("subject")), seq)

    def check(self):
        """Raises ValueError for an erasure that `ledger erase` would not have made."""
        named = [data["event"] for at, data in self.records
                 if data["event"] < at and data["event"] in self.erased]
        if sorted(named) != sorted(self.erased):
            raise ValueError("lines are erased and no event.erased, or more than one, names them")
        if "-" in self.erased.values():
            raise ValueError("a line is erased that never is")
        runs, before = [], None
        for at, data in self.records:
            subject = data.get("entry"), data.get("fields")
            if before != (at - 1, subject):
                runs.append([subject, "", at])
            before = at, subject
            if data["event"] < at:
                runs[-1][1] += self.erased.get(data["event"], "")
            runs[-1][2] = at
        for (entry, fields), run, at in runs:
            if entry and run:
                right = 1 <= run.count("L") <= 1 + run.count("D") and not set(run) & set("EAU")
                right = right and self.kept.get(entry, at) >= at
            else:
                acts = re.findall(r"U|S*[LCD][LCDS]*|S*[EA][EAS]*|S+", run)
                right = all(set(act) & set("LEU") for act in acts)
                right = right and (fields is None or not set(run) & set("LCD"))
            if not right:
                raise ValueError("line %d records an erasure that ledger would not make" % at)


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
