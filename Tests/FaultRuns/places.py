"""Full disks, files that may not grow, folders that may not be written to, wrong clocks."""

import os
import resource
import shutil
import subprocess

from errors import expect_told
from program import Folder, Ledger, Loss, Program, expect, lines_of, logging

NOBODY = 65534


def run(report, smoke=False):
    for part in (short_writes, full_disk, no_permission, wrong_clock):
        try:
            part(report, smoke)
        except Loss as loss:
            report.loss("places", part.__name__.replace("_", " "), loss)


def new_ledger(folder):
    ledger = Ledger(folder + "/ledger")
    ledger.must("init", "--device", "here")
    ledger.must("append", "--stdin", input=lines_of([logging("one"), logging("two")]))
    return ledger


def short_writes(report, smoke):
    """The system takes the first bytes of a write and no more: at a limit on the size of files,
    which needs no disk of its own."""
    batch = lines_of(logging("batch %d" % n) for n in range(20))
    room = 20 * 420
    with Folder() as folder:
        template = new_ledger(folder)
        size = len(template.bytes())
        for more in range(0, room, 997 if smoke else 59):
            with Folder() as place:
                ledger = Ledger(shutil.copytree(template.path, place + "/ledger"))

                def limit():
                    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
                    resource.setrlimit(resource.RLIMIT_FSIZE, (size + more, most))

                answer = ledger.run("append", "--stdin", input=batch, preexec_fn=limit)
                report.count("short write", "append --stdin")
                expect_all_or_none(ledger, template, answer, "after %d bytes" % more)


def expect_all_or_none(ledger, template, answer, where):
    try:
        expect_told(answer)
        # Also at once, before another writer has looked after it.
        expect(answer.code == 0 or ledger.bytes() == template.bytes(), "it left something behind")
        ledger.expect_usable()
        made = sum("batch" in text for text in ledger.noted())
        expect(made == (20 if answer.code == 0 else 0), "%d edits of 20 are there" % made)
    except Loss as loss:
        raise Loss("%s: %s (%s)" % (where, loss, answer))


def full_disk(report, smoke):
    """A small file system of its own, filled to the last page and freed again."""
    with Folder() as folder:
        disk = folder + "/disk"
        os.mkdir(disk)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            return report.note("full disk: skipped, no file system can be mounted here")
        try:
            ledger = new_ledger(disk)
            acknowledged, refused = set(), 0
            for number in range(3000):
                texts = ["d%d-%d" % (number, n) for n in range(1 + number % 7)]
                answer = ledger.run("append", "--stdin", input=lines_of(map(logging, texts)))
                report.count("append", "full disk")
                if answer.code == 0:
                    acknowledged.update(texts)
                    continue
                expect_told(answer)
                expect(b"o space left" in answer.error, "it told %s" % answer.error)
                refused += 1
                ledger.expect_sound()
                expect(not set(texts) & set(ledger.noted()), "a refused edit is there")
                if refused > 20:
                    break
            expect(refused > 20, "the disk never was full")
            for words in (["settings", "sync.concurrency", "9"], ["init", disk + "/another"]):
                answer = (Program if words[0] == "init" else ledger).run(*words)
                expect(answer.code in (0, 1), "%s: %s" % (words, answer))
            again = Program.run("init", disk + "/another")
            expect(again.code in (1, 2), "init again: %s" % again)
            ledger.expect_sound()
            missing = acknowledged - set(ledger.noted())
            expect(not missing, "%d acknowledged edits are lost" % len(missing))
            subprocess.run(["mount", "-o", "remount,size=1m", disk], check=True)
            ledger.expect_usable()
            report.note("full disk: %d edits acknowledged, all there; %d commands refused" % (
                len(acknowledged), refused))
        finally:
            subprocess.run(["umount", disk], check=True)


def no_permission(report, smoke):
    """A folder, a log and a head that belong to somebody else."""
    if os.getuid() != 0:
        return report.note("no permission: skipped, only root can become somebody else")
    reading = (["status"], ["show", "days"], ["log", "-n", "1"], ["verify"], ["replay"])
    with Folder() as folder:
        os.chmod(folder, 0o755)
        # Where the program itself lies, others may not look.
        program = shutil.copy(Program.path, folder + "/program")
        os.chmod(program, 0o755)
        ledger = new_ledger(folder)
        before = ledger.bytes()

        def nobody(*words):
            done = subprocess.run(
                [program, *words], capture_output=True, user=NOBODY, group=NOBODY, extra_groups=[],
                cwd="/", env={"TZ": "UTC"})
            report.count("command", "no permission")
            return done.returncode, done.stderr.decode()

        def expect_refused(words, reason):
            code, error = nobody(*words)
            expect(code == 1 and error.count("\n") == 1 and reason in error, "%s: %s %s" % (
                words, code, error))

        at = ["--ledger", ledger.path]
        for words in (["append", "steps", "1"], *reading):
            expect_refused([*at, *words], "ermission denied")
        expect_refused(["init", folder + "/sub"], "ermission denied")
        # Everybody may look, nobody else may write.
        os.chmod(ledger.path, 0o755)
        for name in os.listdir(ledger.path):
            os.chmod(os.path.join(ledger.path, name), 0o644)
        for words in reading:
            code, error = nobody(*at, *words)
            expect(code == 0, "%s: %s %s" % (words, code, error))
        for words in (["append", "steps", "1"], ["settings", "sync.concurrency", "9"]):
            expect_refused([*at, *words], "ermission denied")
        # The lock can be taken and the log written, but no head: only a lower bound is promised.
        for name in ("ledger.lock", "events.jsonl"):
            os.chown(os.path.join(ledger.path, name), NOBODY, NOBODY)
        code, error = nobody(*at, "append", "steps", "1", "--notes", "theirs")
        expect(code in (0, 1), "append: %s %s" % (code, error))
        expect(code == 1 or "theirs" in ledger.noted(), "an acknowledged edit is lost")
        expect(ledger.bytes().startswith(before), "what stood in the log is gone")
        ledger.expect_usable()


def wrong_clock(report, smoke):
    """A clock that runs three days behind, then three ahead: order is by seq, and stays."""
    faketime = shutil.which("faketime")
    if not faketime:
        return report.note("wrong clock: skipped, there is no faketime here")
    with Folder() as folder:
        ledger = new_ledger(folder)
        offsets = ["-3d", "+3d", "-3d", "+0d", "-400d"]
        for offset in offsets:
            ledger.must(
                "append", "steps", "1", "--notes", offset + "!", before=(faketime, "-f", offset))
            for words in (["status"], ["show", "days"], ["verify"]):
                ledger.must(*words, before=(faketime, "-f", offset))
        told = [event["at"] for event in ledger.events()]
        if told == sorted(told):
            return report.note("wrong clock: skipped, a static program does not hear faketime")
        ledger.expect_usable()
        expect(ledger.noted()["-3d!"] == 2, "an edit is lost")
        report.count("append", "wrong clock", len(offsets))
