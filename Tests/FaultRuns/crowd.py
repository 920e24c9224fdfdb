"""Processes that append, read, erase, repair and write snapshots at once. Some are killed at random, some
are slowed down in the middle of what they do to files."""

import os
import random
import re
import subprocess
import threading
import time

from program import ENVIRONMENT, Folder, Ledger, Program, expect, lines_of, logging
from tracing import strace

WRITERS, READERS, ERASERS, REPAIRERS = 3, 2, 1, 1
# Events that are there from the start; the entry of seq N has the notes «nN».
FIRST, COUNT = 2, 16_500


class Crowd:
    def __init__(self, ledger, seed, kills):
        self.ledger, self.kills_left = ledger, kills
        self.lock = threading.Lock()
        self.seeds = random.Random(seed)
        # Texts of edits by what is known of them, and lines that were answered with.
        self.acknowledged, self.unknown, self.lines = set(), set(), []
        self.erased = set()
        self.appends = self.looks = self.kills = self.snapshots = self.erasures = self.repairs = 0
        self.delays = 0
        self.losses = []

    def start(self, words, input=b""):
        """Runs the program, and kills it after a while if its lot falls so."""
        with self.lock:
            is_chosen = self.kills_left > 0 and self.seeds.random() < 0.5
            delay = self.seeds.uniform(0, 2 * self.usual_seconds(words))
            before = [] if is_chosen or self.seeds.random() < 0.7 else self.slowed()
        begun = time.monotonic()
        process = subprocess.Popen(
            [*before, Program.path, "--ledger", self.ledger.path, *words], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
        killer = threading.Timer(delay, process.kill) if is_chosen else None
        if killer:
            killer.start()
        output, error = process.communicate(input)
        if killer:
            killer.cancel()
        with self.lock:
            if process.returncode == -9:
                self.kills += 1
                self.kills_left -= 1
            elif process.returncode == 0 and not before:
                self.usual[words[0]] = time.monotonic() - begun
        return process.returncode, output, error

    def slowed(self):
        """Words that have a run wait before each call of one kind, so that others get in between."""
        self.delays += 1
        calls = self.seeds.choice(["?unlink,?unlinkat", "?rename,?renameat,?renameat2", "flock", "fsync"])
        return strace(
            "/dev/null", "-e", "trace=" + calls,
            "-e", "inject=%s:delay_enter=%d" % (calls, self.seeds.choice([5_000, 20_000])))

    # How long a run takes here and now, so that kills fall into it and not behind it.
    usual = {}

    def usual_seconds(self, words):
        return self.usual.get(words[0], 0.02)

    @property
    def is_over(self):
        return self.kills_left <= 0 or self.losses

    def guarded(self, work, *arguments):
        try:
            work(*arguments)
        except Exception as loss:
            self.losses.append(loss)

    def write(self, name, lots):
        number = 0
        while not self.is_over:
            number += 1
            texts = ["%s-%d-%d" % (name, number, n) for n in range(lots.choice([1, 1, 1, 50]))]
            if len(texts) == 1:
                words, input = ["append", "steps", "1", "--notes", texts[0]], b""
            else:
                words, input = ["append", "--stdin"], lines_of(logging(text) for text in texts)
            code, output, error = self.start(words + ["--json"], input)
            whole = [line for line in output.splitlines(keepends=True) if line.endswith(b"\n")]
            with self.lock:
                self.appends += 1
                self.lines += whole
                (self.acknowledged if code == 0 else self.unknown).update(texts)
            expect(code in (0, -9, 75), "append: code %s, %r" % (code, error))

    def look(self, lots):
        while not self.is_over:
            words = lots.choice([
                ["status", "--json"], ["show", "days", "--json"], ["log", "-n", "5", "--json"],
                ["status"], ["verify"]])
            if lots.random() < 0.3:
                # Deleting it is allowed at any time, and has it written again.
                self.remove_snapshot()
            code, _, error = self.start(words)
            self.looks += 1
            # A writer that is killed may leave a torn tail, which verify reports.
            allowed = (0, -9, 75, 3) if words == ["verify"] else (0, -9, 75)
            expect(code in allowed, "%s: code %s, %r" % (words, code, error))

    def erase(self, lots):
        while not self.is_over:
            seq = lots.randrange(FIRST, FIRST + COUNT)
            code, _, error = self.start(["erase", str(seq), "--reason", "tried", "--yes"])
            self.erasures += 1
            if code == 0:
                self.erased.add("n%d" % seq)
            # 2: it was erased before; 75: a sync or another erasure is at work.
            expect(code in (0, -9, 2, 75), "erase: code %s, %r" % (code, error))

    def repair(self, lots):
        while not self.is_over:
            code, output, error = self.start(["doctor", "--repair", "--json"])
            self.repairs += 1
            # 1 or 75: others held the lock for long.
            expect(code in (0, -9, 1, 75), "doctor: code %s, %r, %r" % (code, output, error))

    def remove_snapshot(self):
        try:
            os.remove(self.ledger.path + "/views.snapshot")
            self.snapshots += 1
        except FileNotFoundError:
            pass

    def check(self):
        if self.losses:
            raise self.losses[0]
        ledger = self.ledger
        ledger.must("append", "steps", "1", "--notes", "last")
        ledger.expect_sound()
        with_snapshot = ledger.must("status", "--json").output
        self.remove_snapshot()
        expect(with_snapshot == ledger.must("status", "--json").output, "the snapshot is wrong")
        noted = ledger.noted()
        expect(max(noted.values()) == 1, "an edit stands twice")
        lost = self.acknowledged - set(noted)
        expect(not lost, "%d acknowledged edits are lost" % len(lost))
        for folder, _, names in os.walk(ledger.path):
            for name in names:
                with open(folder + "/" + name, "rb") as file:
                    kept = set(re.findall(rb'"(n\d+)"', file.read()))
                left = {text for text in self.erased if text.encode() in kept}
                expect(not left, "%s still holds what was erased: %s" % (name, sorted(left)[:5]))
        log = set(ledger.bytes().splitlines(keepends=True))
        expect(all(line in log for line in self.lines), "a line that was answered with is lost")
        strange = {text for text in noted if "-" in text} - self.acknowledged - self.unknown
        expect(not strange, "the log has edits that nobody made: %s" % strange)
        return len(set(noted) & self.unknown)


def run(report, lots, kills):
    with Folder() as folder:
        ledger = Ledger(folder + "/ledger")
        ledger.must("init", "--device", "here")
        # Long enough for snapshots.
        ledger.must("append", "--stdin", input=lines_of(
            logging("n%d" % n) for n in range(FIRST, FIRST + COUNT)))
        crowd = Crowd(ledger, lots.random(), kills)
        works = [(crowd.write, "w%d" % n) for n in range(WRITERS)] + [
            (crowd.look,)] * READERS + [(crowd.erase,)] * ERASERS + [(crowd.repair,)] * REPAIRERS
        threads = [
            threading.Thread(target=crowd.guarded, args=(*work, random.Random(lots.random())))
            for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        report.count("killed at random", "crowd", crowd.kills)
        report.count("appends", "crowd", crowd.appends)
        report.count("looks", "crowd", crowd.looks)
        report.count("erasures", "crowd", crowd.erasures)
        report.count("repairs", "crowd", crowd.repairs)
        report.count("slowed down", "crowd", crowd.delays)
        report.count("snapshots written", "crowd", crowd.snapshots)
        try:
            kept = crowd.check()
        except Exception as loss:
            return report.loss("crowd", "random kills", loss)
        report.note("%d acknowledged edits, all there; of %d of killed runs %d are" % (
            len(crowd.acknowledged), len(crowd.unknown), kept))
