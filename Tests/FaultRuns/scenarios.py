"""What is interrupted: each command that writes, in a ledger as it finds it."""

import json
import os
import uuid

from program import Ledger, copy, expect, lines_of, logging

TORN = b'{"id":"019b6fbd-1c2a-7000-8000-00000000000a","seq":4,"at":"2026-01-02T03:0'


class Scenario:
    """A command and what it may leave, whatever happens to it."""

    name = ""
    words = ()
    input = b""
    # Texts of the edits that the command makes, in order.
    edits = ()
    # What an earlier crash left behind the log's last line.
    torn = b""
    # Whether its lines are written whole or not at all, so that what interrupts it leaves a torn tail.
    is_whole = False
    # Whether it answers with lines of the log.
    answers_lines = True
    # The exit codes that a fault may end it with.
    codes = (0, 1, 3, 75)
    # Whether it talks to a backend, by libraries that are not the ledger's own.
    is_networked = False

    @staticmethod
    def tells(answer):
        """Whether its answer itself says what is wrong, instead of a sentence."""
        return False

    def __init__(self, templates):
        self.template = "%s/%s" % (templates, self.name)
        self.make(Ledger(self.template))
        self.base = self.sound_part()

    def make(self, ledger):
        ledger.must("init", "--device", "here")
        ledger.must("append", "--stdin", input=lines_of([logging("one"), logging("two")]))

    def sound_part(self):
        log = Ledger(self.template).bytes()
        return log[:len(log) - len(self.torn)]

    def place(self, folder):
        return copy(self.template, folder)

    def run(self, ledger, before=(), **options):
        return ledger.run(*self.words, input=self.input, before=before, **options)

    def check(self, ledger, answer):
        """Whatever became of the command: nothing that it acknowledged is lost, nothing of before
        is, nothing stands twice, and the ledger goes on working."""
        expect(ledger.bytes().startswith(self.base), "what stood in the log before is not there")
        ledger.expect_usable(torn=bool(self.torn) or self.is_whole)
        new = [json.loads(line) for line in ledger.bytes()[len(self.base):].splitlines()]
        made = [e["data"]["notes"] for e in new if e["type"] == "progress.logged"][:-1]
        expect(made in ([], list(self.edits)), "of the command's edits the log has %s" % made)
        if answer.code == 0:
            expect(made == list(self.edits), "it ended with 0, and its edits are not there")
        if is_refusal(answer):
            expect(not made, "it was refused, and its edits are there")
        if made and b"cannot write to standard output" in answer.error:
            expect(b"the edits are in the log" in answer.error, "it told of no edits")
        for line in answer.output.splitlines(keepends=True) if self.answers_lines else ():
            expect(
                line in ledger.bytes() or not line.endswith(b"\n"),
                "a line that it answered with is not there")
        others = [e["type"] for e in new if e["type"] != "progress.logged"]
        repairs = ["log.repaired"] if self.torn or self.is_whole else []
        expect(others in ([], repairs), "the log got %s" % others)


def is_refusal(answer):
    """Whether it was told that the edits are not kept, so that they may be given again."""
    believed = ("unknown whether it is kept", "cannot write to standard output")
    return any(
        line.startswith("ledger: ") and not any(words in line for words in believed)
        for line in answer.told())


class Init(Scenario):
    name = "init"
    words = ("init", "--device", "here", "--json")

    def make(self, ledger):
        pass

    def sound_part(self):
        return b""

    def check(self, ledger, answer):
        if not ledger.exists:
            expect(answer.code != 0, "it ended with 0, and there is no ledger")
            ledger.must("init", "--device", "here")
        ledger.expect_usable()
        expect(len(ledger.events()) == 2, "a new ledger holds more than its line 1")


class Append(Scenario):
    name = "append"
    words = ("append", "steps", "3", "--notes", "three", "--date", "2026-01-02", "--json")
    edits = ("three",)


class Batch(Scenario):
    """A thousand edits with ids, so that the same command may be given again."""

    name = "append --stdin"
    words = ("append", "--stdin", "--json")
    is_whole = True
    edits = tuple("edit %d" % number for number in range(1000))

    def make(self, ledger):
        super().make(ledger)
        start = 0x019B6FBD1C2A70008000000000000000
        self.input = lines_of(
            logging(text, id=str(uuid.UUID(int=start + number)))
            for number, text in enumerate(self.edits))

    def check(self, ledger, answer):
        super().check(ledger, answer)
        ledger.must(*self.words, input=self.input)
        noted = ledger.noted()
        expect(all(noted[text] == 1 for text in self.edits), "given again, an edit stands twice")


class Recovery(Append):
    """An append that finds the remains of an interrupted one."""

    name = "append after a torn tail"
    torn = TORN

    def make(self, ledger):
        super().make(ledger)
        with open(ledger.log, "ab") as file:
            file.write(self.torn)

    def check(self, ledger, answer):
        super().check(ledger, answer)
        folder = ledger.path + "/quarantine"
        kept = []
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                kept.append(file.read())
        expect(self.torn in kept, "the torn tail is not in quarantine")
        expect(all(self.torn.startswith(part) for part in kept), "quarantine holds something else")
        repaired = [e for e in ledger.events() if e["type"] == "log.repaired"]
        expect(len(repaired) <= 1, "one repair is told more than once")


class Adoption(Append):
    """An append that finds whole lines behind `head`, as a kill between the two leaves them."""

    name = "append after a stale head"

    def make(self, ledger):
        super().make(ledger)
        with open(ledger.path + "/head", "rb") as file:
            head = file.read()
        ledger.must("append", "steps", "9", "--notes", "behind head", "--date", "2026-01-02")
        with open(ledger.path + "/head", "wb") as file:
            file.write(head)


class Snapshot(Scenario):
    """`status` on a log long enough for a snapshot to pay."""

    name = "status, writing a snapshot"
    words = ("status", "--json")
    views = (("status", "--json"), ("show", "days", "--json"), ("show", "progress", "--json"))

    def make(self, ledger):
        ledger.must("init", "--device", "here")
        edits = (logging("n %d" % n, quantity=n) for n in range(16_500))
        ledger.must("append", "--stdin", input=lines_of(edits))
        # What an older run has left must not be taken for new.
        with open(ledger.path + "/views.snapshot", "wb") as file:
            file.write(b"\0" * 5000)

    def check(self, ledger, answer):
        if answer.code == 0:
            found = json.loads(answer.output)
            expect(found["events"] == found["pending"] + 1 == 16_501, "it counted %s" % found)
        expect(ledger.bytes() == self.base, "looking changed the log")
        shown = [ledger.must(*words).output for words in self.views]
        os.remove(ledger.path + "/views.snapshot")
        expect(shown == [ledger.must(*words).output for words in self.views],
               "with its snapshot the ledger shows something else than without")
        ledger.must("append", "steps", "7", "--date", "2026-01-03")
        ledger.must("verify")


class Settings(Scenario):
    name = "settings"
    words = ("settings", "sync.concurrency", "9", "--json")
    answers_lines = False

    def make(self, ledger):
        super().make(ledger)
        ledger.must("settings", "sync.concurrency", "7")
        ledger.must("settings", "zone", "Europe/Vienna")

    def check(self, ledger, answer):
        chosen = json.loads(ledger.must("settings", "--json").output)
        expect(chosen["zone"] == "Europe/Vienna", "another setting is lost")
        expect(chosen["sync.concurrency"] in (7, 9), "the setting is %s" % chosen)
        if answer.code == 0:
            expect(chosen["sync.concurrency"] == 9, "it ended with 0, and the old one counts")
        super().check(ledger, answer)


class Undo(Scenario):
    """Cancels the last edit, which was never sent."""

    name = "undo"
    words = ("undo", "--json")

    def check(self, ledger, answer):
        expect(ledger.bytes().startswith(self.base), "what stood in the log before is not there")
        ledger.expect_usable()
        new = [json.loads(line) for line in ledger.bytes()[len(self.base):].splitlines()]
        undone = [event["data"] for event in new if event["type"] == "edit.undone"]
        expect(undone in ([], [{"event": 3}]), "it undid %s" % undone)
        if answer.code == 0:
            expect(undone, "it ended with 0, and nothing is undone")
        if is_refusal(answer):
            expect(not undone, "it was refused, and the edit is undone")
        shown = json.loads(ledger.must("show", "progress", "--json").output)["total"]
        expect(shown == 3 - len(undone), "%s entries are shown" % shown)


class Erase(Scenario):
    """Erases an entry with its correction, of which copies lie all over the ledger's folder."""

    name = "erase"
    secrets = (b"to be forgotten", b"forgotten as well")
    words = ("erase", "4", "--reason", "a test", "--yes", "--json")
    seqs = (4, 5)

    def make(self, ledger):
        super().make(ledger)
        ledger.must("append", "weight", "75.5", "--notes", "to be forgotten")
        ledger.must("append", "correction", "4", "--notes", "forgotten as well")
        ledger.must("append", "steps", "5", "--notes", "three", "--date", "2026-01-02")
        os.mkdir(ledger.path + "/quarantine", 0o700)
        for name in ("views.snapshot", "views.snapshot.tmp", "events.jsonl.new",
                     "quarantine/events-100-019b6fbd-1c2a-7000-8000-00000000000a.torn"):
            with open("%s/%s" % (ledger.path, name), "wb") as file:
                file.write(b'{"data":{"notes":"to be forgotten","x')

    def check(self, ledger, answer):
        self.check_lines(ledger, answer)
        if answer.code == 0:
            self.expect_forgotten(ledger)
        ledger.expect_usable()
        again = ledger.run(*self.words)
        is_done = again.code == 2 and b"already erased" in again.error
        expect(again.code == 0 or is_done, "given again: %s" % again)
        self.check_lines(ledger, again)
        self.expect_forgotten(ledger)
        ledger.expect_sound()

    def check_lines(self, ledger, answer):
        """The old log, whole, or the new one, whole."""
        old = [json.loads(line) for line in self.base.splitlines()]
        now = ledger.events()
        for before, after in zip(old, now):
            for member in ("id", "seq", "at", "by", "type", "hash"):
                expect(before[member] == after[member], "%s of %s changed" % (member, before))
        erased = [event["seq"] for event in now if "erased" in event]
        told = [event["data"]["event"] for event in now if event["type"] == "event.erased"]
        expect(tuple(erased) in ((), self.seqs), "erased are %s" % erased)
        expect(told == erased, "told as erased are %s" % told)
        kept = [event for event in now[:len(old)] if "erased" not in event]
        expect(kept == [event for event in old if event["seq"] not in erased], "others changed")
        if answer.code == 0:
            expect(erased, "it ended with 0, and nothing is erased")
        if is_refusal(answer) and b"already erased" not in answer.error:
            expect(not erased, "it was refused, and the entry is erased")

    def expect_forgotten(self, ledger):
        for folder, _, names in os.walk(ledger.path):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    held = file.read()
                expect(not any(text in held for text in self.secrets), "%s still has it" % name)


ALL = [Init, Append, Batch, Recovery, Adoption, Snapshot, Settings, Undo, Erase]
