"""The form and the chain of a log (docs/log-format.md), read and written without `ledger`."""

import hashlib
import json
import re
from pathlib import Path
from urllib.parse import unquote

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
    if not isinstance(event, dict) or not {"seq", "at", "by", "type", "v"} <= set(event) \
            or not isinstance(event["type"], str) or not isinstance(event.get("erased", ""), str) \
            or not {"erased", "data"} & set(event):
        raise ValueError("line %d lacks a member, or has one of another type" % seq)
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
# The members of calls and answers that are read once all lines are known.
MEMBERS = {type: ["events"] for type in (
    "sync.acknowledged", "sync.deferred", "sync.held") + REFUSED}
MEMBERS["sync.attempted"] = ["call", "path", "events"]
# What a member that is absent or of another type causes.
MALFORMED = KeyError, TypeError, AttributeError, IndexError
# The groups of profile fields, by the path of the calls about them, with the types of edits.
GROUPS = {
    "/api/v1/users/me": ("profile.updated", (
        "name", "bio", "preferred_unit_system", "language_code")),
    "/api/v1/users/me/physical": ("physical.updated", (
        "biological_sex", "height_cm", "date_of_birth")),
    "/api/v1/users/me/preferences": ("preferences.updated", (
        "allergies", "dietary_restrictions", "food_dislikes")),
}
# The types that can give a profile field a value.
SETTERS = [type for type, fields in GROUPS.values()] + [
    "profile.pulled", "conflict.detected", "conflict.resolved"]


def part(type):
    """What an event of a type is to an erasure; "-" for what is never erased."""
    return next((part for part, types in PARTS.items() if re.fullmatch(types, type)), "U")


def group(fields):
    """The path of the calls about fields; None if they are not different fields of one group."""
    return next((path for path, (type, names) in GROUPS.items() if fields
                 and set(fields) <= set(names) and len(set(fields)) == len(fields)), None)


def deleted_row(path):
    """The row that a call to a path deletes."""
    return unquote(path[len("/api/v1/progress/"):]) if path.startswith("/api/v1/progress/") else None


class Erasures:
    """The erased lines of a log and their records, and the rule for them (docs/log-format.md)."""

    def __init__(self):
        # By seq: what an erased line is to an erasure, its type, and who made it; for an answer,
        # whether it can be that to a registration; and for a conflict right after an answer that
        # differed, the entry of that.
        self.erased, self.types, self.by = {}, {}, {}
        self.registered, self.subjects, self.differed = {}, {}, None
        # The first event of a known type and a newer version.
        self.newer = None
        # The types of the last lines.
        self.last = [None] * 3
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
        # By profile field, the first pull of it that is left.
        self.pulled = {}
        # The calls about the profile, and all answers; by row, the entries that it was bound to.
        self.calls, self.rows, self.replaced, self.replacements = [], {}, 0, []
        # The entries with a logging, and corrections and deletions with their types and entries. For
        # records of older versions, which name no entry or fields: when and why each record was made,
        # and the events of fields.
        self.logged, self.changed, self.times, self.older = set(), [], {}, set()
        # The lines that a conflict follows; and those that the answer follows that another row of an
        # entry is gone, with the entry.
        self.disputed, self.moved, self.suspicions = set(), {}, set()

    def note(self, event):
        """Takes the next event. Raises ValueError if it lacks a member that the rule needs."""
        try:
            for name in MEMBERS.get(event["type"], []) if "data" in event else []:
                len(event["data"][name])
            self.take(event)
        except MALFORMED:
            raise ValueError("line %d lacks a member, or has one of another type" % event["seq"])

    def take(self, event):
        seq, type, data = event["seq"], event["type"], event.get("data")
        differed, self.differed = self.differed, data if type == "sync.differed" else None
        last, self.last = self.last, [type] + self.last[:2]
        if data is None:
            self.erased[seq], self.types[seq], self.by[seq] = part(type), type, event["by"]
            while last and last[0] in ("profile.updated", "physical.updated"):
                last = last[1:]
            self.registered[seq] = last[:1] == ["account.signed_in"]
            if differed and type == "conflict.detected":
                self.subjects[seq] = differed.get("entry")
            return
        if event["v"] > 1 and (part(type) != "U" or type == "goal.set"):
            self.newer = self.newer or seq
            if type != "event.erased":
                return
        if type == "event.erased" or seq - 1 in self.closing and (
                type == "sync.acknowledged" or part(type) == "D"):
            self.closing.add(seq)
        if type == "conflict.detected":
            self.disputed.add(seq - 1)
        if type == "duplicate.suspected":
            self.suspicions.add(seq)
        if type == "sync.acknowledged" and data.get("status") == 404 \
                and data.get("via") == "reconciled" and data["events"][0] not in self.suspicions:
            self.moved[seq - 1] = data.get("entry")
        if part(type) == "L":
            self.logged.add((type.split(".")[0], data["entry"]))
        if part(type) in "CD":
            self.changed.append((seq, type, data["entry"]))
        if part(type) == "D":
            self.deletions.setdefault(data["entry"], []).append(seq)
            self.by[seq] = event["by"]
        if re.match(r"sync\.|edit\.undone", type):
            for named in data.get("events", [data.get("event")]):
                self.naming.setdefault(named, {})[seq] = type, data
        if re.fullmatch(r"sync\.(acknowledged|deferred|rejected|differed)", type) \
                or type == "sync.attempted" and data["path"] in GROUPS:
            self.calls.append((seq, type, data))
        if "backend_id" in data and (
                type == "progress.pulled" or type == "sync.acknowledged" and "entry" in data
                and data.get("status") not in (204, 404)):
            self.rows.setdefault(data["backend_id"], set()).add(data["entry"])
        if type == "event.erased":
            if event["by"] != "user" or not isinstance(data.get("event"), (int, float)) \
                    or not 1 <= len(data.get("reason") or "") <= 500 \
                    or "entry" in data and "fields" in data:
                raise ValueError("line %d is no record of an erasure that ledger makes" % seq)
            self.records.append((seq, data))
            self.times[seq] = event["at"], data["reason"]
        elif part(type) in "LC" or type == "conflict.detected" \
                or part(type) == "D" and set(data) != {"entry"}:
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
            for field in data.get("fields", {}):
                self.pulled.setdefault(field, seq)
            self.set(data.get("fields", {}), seq)
        elif type == "edit.undone":
            self.undone[data["event"]] = seq
        elif type == "account.replaced":
            self.replaced = seq
            self.replacements.append(seq)
        elif type in ("sync.acknowledged", "sync.differed"):
            for event in data["events"]:
                if "entry" in data and event < seq:
                    self.owners[event] = data["entry"]

    def set(self, fields, seq):
        for field in fields:
            self.values.setdefault(field, []).append(seq)

    def check(self):
        """Raises ValueError for an erasure that `ledger erase` would not have made."""
        try:
            self.check_records()
        except MALFORMED:
            raise ValueError("an event that tells of an erasure has a member of another type")

    def check_records(self):
        if any(data["event"] >= at for at, data in self.records) \
                or sorted(data["event"] for at, data in self.records) != sorted(self.erased):
            raise ValueError("lines are erased and no event.erased, or more than one, names them, "
                             "or an event.erased names a line that is not")
        if "-" in self.erased.values():
            raise ValueError("a line is erased that never is")
        if self.records and self.newer:
            raise ValueError("line %d has a newer version, so the erasures cannot be checked"
                             % self.newer)
        self.recorded = {data["event"]: at for at, data in self.records}
        self.fields = {data["event"]: data.get("fields") for at, data in self.records}
        runs, before = [], None
        # Records of older versions precede all that name an entry or fields.
        named = min((at for at, data in self.records if "entry" in data or "fields" in data),
                    default=float("inf"))
        for at, data in self.records:
            subject = data.get("entry"), data.get("fields")
            run = subject, self.times[at] if subject == (None, None) else None
            if before != (at - 1, run):
                runs.append([subject, [], at])
            before = at, run
            runs[-1][1].append(data["event"])
            runs[-1][2] = at
        for run in runs:
            if run[0] == (None, None) and run[2] < named:
                run[0] = self.subject(run[1])
        self.logged.update((kind, entry) for (entry, fields), events, at in runs
                           for kind in ("progress", "sleep"))
        self.unknown = min((min(events) for (entry, fields), events, at in runs if entry == "?"),
                           default=float("inf"))
        for subject, events, at in runs:
            if not self.is_right(subject, events, at):
                raise ValueError("line %d records an erasure that ledger would not make" % at)
        self.check_answers([(fields, events) for (entry, fields), events, at in runs if fields])

    def is_right(self, subject, events, at):
        entry, fields = subject
        if entry:
            return self.is_entry(entry, events, at) and self.is_settled(entry, events, at)
        if not fields:
            return all(self.erased[event] == "U" for event in events)
        path = group(fields)
        edits = [event for event in events if self.erased[event] == "E"]
        return path is not None and bool(edits) and self.belongs(None, events, "EAS") \
            and all(self.types[event] == GROUPS[path][0] for event in edits) \
            and all((any if event in self.older else all)(
                self.had_later_value(field, event, events, at)
                and (event in self.older or self.is_replaced(field, event, events, at))
                for field in fields)
                and (event in self.older or self.has_conflicts(fields, event, events, at))
                for event in edits if event not in self.undone) \
            and all(event in self.older or self.is_old(fields, event, events, at)
                    for event in events if self.types[event] == "profile.pulled")

    def subject(self, events):
        """The entry or the fields that records of an older version are about; "?" for an entry that
        no answer names."""
        self.older.update(events)
        if any(self.erased[event] in "LCD" for event in events):
            return next((self.owners[event] for event in events if event in self.owners), "?"), None
        edits = [self.types[event] for event in events if self.erased[event] == "E"]
        fields = next((names for type, names in GROUPS.values() if edits == [type]), None)
        if fields:
            self.fields.update((event, fields) for event in events)
        return None, fields

    def belongs(self, entry, events, parts):
        """Whether the events have these parts, conflicts are of the subject, and each decision has one."""
        conflicts = [event for event in events if self.types[event] == "conflict.detected"]
        return all(self.erased[event] in parts and self.subjects.get(event, entry) == entry
                   and (self.types[event] != "conflict.resolved"
                        or any(conflict < event for conflict in conflicts)) for event in events)

    def is_entry(self, entry, events, at):
        """Whether the events can be those of one entry, in the order of the log."""
        own = [event for event in sorted(events) if self.erased[event] in "LCD"]
        run = "".join(self.erased[event] for event in own)
        owners = {self.owners[event] for event in own if event in self.owners}
        return self.erased[min(events)] == "L" and self.belongs(entry, events, "LCDS") \
            and len({self.types[event].split(".")[0] for event in own}) == 1 \
            and all(run[:end].count("L") <= 1 + run[:end].count("D") for end in range(len(run) + 1)) \
            and owners <= {entry} and self.kept.get(entry, at) >= at \
            and not self.is_orphan_left(entry, min(events), at + 1 - len(events))

    def is_orphan_left(self, entry, logged, first):
        """Whether a correction or deletion has its content that can only be of this entry: no other
        one of its kind was logged that it can be of."""
        kind = self.types[logged].split(".")[0]
        return any(logged < seq < first and (kind, other) not in self.logged
                   and type.startswith(kind)
                   and (part(type) == "C" if entry == "?" else seq < self.unknown)
                   for seq, type, other in self.changed)

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
        # A sync makes these only of an entry that has a row.
        if not binding and not pulled and any(
                self.types[event] in ("sync.differed", "conflict.detected")
                or self.by[event] == "sync" and self.erased[event] in "CD" for event in events):
            return False
        made = [event for event in events
                if self.types[event] in ("sync.differed", "conflict.detected")]
        begun = [seq for seq, type, data in told if type == "sync.attempted"] \
            + [seq for seq, data in binding] + pulled
        if begun and made and min(made) < min(begun):
            return False
        if self.disputed & {event for event in made if self.types[event] == "sync.differed"}:
            return False
        # A sync writes that answer after the correction to the entry's new row.
        if self.is_changed_after_deletion(events) or any(
                self.types[event] == "progress.corrected" and self.by[event] == "sync"
                and self.moved.get(event, entry) != entry for event in events):
            return False
        refused = sorted(event for event in events if self.types[event] in REFUSED)
        answered = {data.get("call") for seq, type, data in told if type != "sync.attempted"}
        open = [seq for seq, type, data in told
                if type == "sync.attempted" and data["call"] not in answered]
        foreign = [seq for seq in refused if self.types[seq] == "sync.rejected"]
        if any(sum(call < seq for call in open) < count for count, seq in enumerate(foreign, 1)):
            return False
        known = {data["backend_id"] for seq, data in binding}
        if any(row not in known and self.rows.get(row, set()) - {entry}
               for row in (deleted_row(data["path"]) for seq, type, data in told
                           if type == "sync.attempted")):
            return False
        # A call for acknowledged edits only deletes a former row.
        sent = max((seq for seq, type, data in told if type == "sync.attempted" and seq < first
                    and not all(self.is_acknowledged(event, self.replaced, seq)
                                for event in data["events"])), default=0)
        outcomes = refused + [seq for seq, type, data in told if type != "sync.attempted"]
        if sent > self.replaced and not any(sent < seq < first for seq in outcomes):
            return False
        if not self.older & set(events) \
                and self.has_lost_row(entry, events, first, binding, pulled):
            return False
        # A deletion that was not acknowledged is still to be sent, so it is recorded again.
        if entry in self.deletions or any(
                self.erased[event] == "D" and (self.by[event] == "sync" or self.is_acknowledged(
                    event, self.replaced, float("inf"))) for event in events):
            return True
        bound = {event for seq, data in binding for event in data["events"]}
        gone = {data["backend_id"] for seq, data in binding if data.get("status") in (204, 404)}
        return all(event in bound for event in pulled if event > self.replaced) \
            and all(data["backend_id"] in gone for seq, data in binding if seq > self.replaced)

    def has_lost_row(self, entry, events, first, binding, pulled):
        """Whether no answer keeps the id of the row that an erased event gave the entry last, and
        the row was not deleted with the entry."""
        bound = [seq for seq, data in binding if data.get("status") not in (204, 404)]
        known = [seq for seq in bound + pulled if seq > self.replaced]
        # Before it had a row, a sync may have decided without one.
        last = max((event for event in events if event > self.replaced and (
            event in pulled or (self.types[event] == "sync.differed" or self.by[event] == "sync"
                                and self.types[event] == "progress.corrected")
            and min(known, default=event) < event)), default=0)
        deletions = self.deletions.get(entry, []) + [
            event for event in events if self.erased[event] == "D"]
        return last > max(bound, default=0) and not any(
            self.by[event] == "sync" or self.is_acknowledged(event, 0, first)
            for event in deletions)

    def is_changed_after_deletion(self, events):
        """Whether a person changed an entry that was deleted."""
        deleted = False
        for event in sorted(event for event in events if self.erased[event] in "LCD"):
            if deleted and self.erased[event] in "CD" and self.by[event] == "user":
                return True
            deleted = self.erased[event] == "D" and event not in self.undone
        return False

    def check_answers(self, runs):
        """Raises ValueError unless each erased answer about the profile had a call, which had no
        other answer, and each erased edit was acknowledged or undone, by an answer that is erased
        if it repeats the edit's value."""
        run_of = {event: (fields, events) for fields, events in runs for event in events}
        coming = sorted(seq for seq in run_of if self.types[seq] == "sync.acknowledged"
                        or self.types[seq] in REFUSED)
        open, pairs, acknowledged, registered = {}, [], set(), set()

        def wrong(seq):
            return ValueError("line %d is erased, or an answer to it is not: no call about the "
                              "profile explains that" % seq)

        for seq, type, data in self.calls + [(float("inf"), None, {})]:
            while coming and coming[0] < seq:
                answer = coming.pop(0)
                fields, events = run_of[answer]
                if self.types[answer] == "sync.acknowledged" and self.registered[answer] \
                        and "date_of_birth" in fields:
                    registered.update(events)
                elif group(fields) in open:
                    pairs.append((answer, open.pop(group(fields))))
                else:
                    raise wrong(answer)
            if type == "sync.attempted":
                open[data["path"]] = data
                # What is acknowledged is not sent again, unless the account was created again.
                for answer, call in pairs:
                    if self.types[answer] == "sync.acknowledged" and answer > self.replaced \
                            and set(call["events"]) & set(data["events"]):
                        raise wrong(answer)
                continue
            if type == "sync.acknowledged":
                acknowledged.update(data["events"])
            # What an erasure writes is not the answer, but stands for the erased one.
            if type is None or seq in self.closing:
                continue
            for answer, call in pairs:
                if call["call"] == data.get("call"):
                    raise wrong(answer)
            for path, call in list(open.items()):
                if call["call"] == data.get("call") or type == "sync.acknowledged" \
                        and data["events"] and set(call["events"]) <= set(data["events"]):
                    del open[path]
            self.check_repetition(seq, type, data, run_of, wrong)
        for answer, call in pairs:
            if self.types[answer] == "sync.acknowledged":
                fields, events = run_of[answer]
                if not set(call["events"]) - set(events) <= acknowledged:
                    raise wrong(answer)
                registered.update(set(call["events"]) & set(events))
        for seq in run_of:
            if self.erased[seq] == "E" and seq not in acknowledged | registered \
                    and seq not in self.undone:
                raise wrong(seq)
            # An undo cancels only what the backend did not have.
            answers = [at for at, (type, data) in self.naming.get(seq, {}).items()
                       if type == "sync.acknowledged" and at > seq] \
                + [answer for answer, call in pairs
                   if self.types[answer] == "sync.acknowledged" and seq in call["events"]]
            last = max((at for at in answers if at < self.undone.get(seq, 0)), default=None)
            if self.erased[seq] == "E" and last is not None \
                    and not any(last < at < self.undone[seq] for at in self.replacements):
                raise wrong(seq)

    def check_repetition(self, answer, type, data, run_of, wrong):
        values = {"sync.acknowledged": data.get("remote"),
                  "sync.rejected": data.get("body")}.get(type)
        if not isinstance(values, dict):
            return
        fields, events = run_of.get(data["events"][0], ([], [])) if data["events"] else ([], [])
        # A call for these edits alone sent one of their fields.
        if type == "sync.acknowledged" and data.get("via") == "response" and fields and values \
                and not self.older & set(events) and not set(values) & set(fields) \
                and set(data["events"]) <= {edit for edit in events if self.erased[edit] == "E"}:
            raise wrong(data["events"][0])
        for edit in data["events"]:
            if self.erased.get(edit) != "E" or edit not in run_of or edit in self.older:
                continue
            for field in run_of[edit][0]:
                # The backend may have rounded a height.
                if field != "height_cm" and values.get(field) is not None \
                        and not any(edit < seq < answer for seq in self.values.get(field, [])) \
                        and not any(edit < seq < answer and self.types[seq] in SETTERS
                                    and field in fields for seq, (fields, _) in run_of.items()):
                    raise wrong(edit)

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

    def is_old(self, fields, pull, events, at):
        """Whether a field of a pull had a later value. An erasure moves the answer to an edit after a
        pull."""
        first = at + 1 - len(events)
        def is_answered(field):
            return any(seq < at and self.undone.get(seq, at) >= at
                       and max(self.naming.get(seq, {}), default=0) > pull
                       for seq in self.values.get(field, [])) or any(
                pull < seq < first and self.types[seq] == "sync.acknowledged"
                and field in (self.fields[seq] or []) and seq not in events for seq in self.erased)
        return any(self.had_later_value(field, pull, events, at) or is_answered(field)
                   or self.pulled.get(field, first) < first for field in fields)

    def had_later_value(self, field, event, events, at, types=SETTERS):
        first = at + 1 - len(events)
        return any(event < seq < at and self.undone.get(seq, at) >= at
                   for seq in self.values.get(field, [])) or any(
            event < seq < first and self.types[seq] in types
            and field in (self.fields[seq] or []) for seq in self.erased)

    def has_conflicts(self, fields, event, events, at):
        """Whether there is an erased conflict for each field without another later value: a conflict
        is about one field, and a decision about that of a conflict."""
        others = [type for type in SETTERS if not type.startswith("conflict.")]
        left = [field for field in fields
                if not self.had_later_value(field, event, events, at, others)]
        erased = [seq for seq in self.erased if seq < at + 1 - len(events)
                  and group(self.fields[seq]) == group(fields)]
        def count(type, after):
            return sum(self.types[seq] == type and (seq > event) == after for seq in erased)
        return len(left) <= count("conflict.detected", True) + min(
            count("conflict.resolved", True), count("conflict.detected", False))


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
