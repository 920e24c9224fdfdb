"""Power cuts: a disk of its own, in a file, that stops taking anything at a random moment.

The file system is told to go down without writing its journal, so what was not synced by then is
gone when it is mounted again, in whatever order the disk had got the rest. Needs root and ext4.

A sync that is under way in that moment may succeed and be gone all the same: a program of four
lines, a write and an fdatasync, loses its last one in one cut of seven. That is how the kernel
takes a file system down, and not how a disk loses power, so what is answered after the cut has
begun counts as unknown.
"""

import fcntl
import os
import random
import struct
import subprocess
import threading
import time

from program import Folder, Ledger, expect, lines_of, logging

EXT4_IOC_SHUTDOWN = 0x8004587D
WITHOUT_JOURNAL = struct.pack("I", 2)
# How the file system orders data and names: its default, the loosest, all of it by the journal.
ORDERS = ["ordered", "writeback", "journal"]
WRITERS = 2


class Disk:
    def __init__(self, folder, order):
        self.image, self.path = folder + "/disk.img", folder + "/disk"
        self.options = "loop,data=" + order
        os.mkdir(self.path)

    def make(self):
        with open(self.image, "wb") as file:
            file.truncate(64 << 20)
        return self.done("mkfs.ext4", "-q", self.image) and self.mount()

    def mount(self):
        return self.done("mount", "-o", self.options, self.image, self.path)

    def unmount(self):
        return self.done("umount", self.path)

    def cut(self):
        place = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.ioctl(place, EXT4_IOC_SHUTDOWN, WITHOUT_JOURNAL)
        finally:
            os.close(place)

    @staticmethod
    def done(*words):
        try:
            return subprocess.run(words, capture_output=True).returncode == 0
        except FileNotFoundError:
            return False


class Work:
    """What goes on while the power is on."""

    def __init__(self, ledger):
        self.ledger = ledger
        self.lock = threading.Lock()
        self.acknowledged, self.unknown, self.losses = set(), set(), []
        self.appends = 0
        self.is_over = False

    def write(self, name, lots):
        number = 0
        while not self.is_over:
            number += 1
            texts = ["%s-%d-%d" % (name, number, n) for n in range(lots.choice([1, 1, 1, 40]))]
            answer = self.ledger.run("append", "--stdin", input=lines_of(map(logging, texts)))
            with self.lock:
                self.appends += 1
                is_known = answer.code == 0 and not self.is_over
                (self.acknowledged if is_known else self.unknown).update(texts)
            if answer.code < 0:
                self.losses.append("append: %s" % answer)
            if answer.code != 0:
                return

    def look(self):
        while not self.is_over:
            # Deleting it is allowed at any time, and has it written again.
            try:
                os.remove(self.ledger.path + "/views.snapshot")
            except OSError:
                pass
            answer = self.ledger.run("status", "--json")
            if answer.code < 0:
                self.losses.append("status: %s" % answer)
            if answer.code != 0:
                return

    def during(self, disk, name, lots):
        self.is_over = False
        threads = [
            threading.Thread(
                target=self.write, args=("%sw%d" % (name, n), random.Random(lots.random())))
            for n in range(WRITERS)]
        threads.append(threading.Thread(target=self.look))
        for thread in threads:
            thread.start()
        time.sleep(lots.uniform(0, 0.3))
        with self.lock:
            self.is_over = True
        disk.cut()
        for thread in threads:
            thread.join()


def run(report, lots, cuts):
    for order in ORDERS:
        with Folder() as folder:
            disk = Disk(folder, order)
            if not disk.make():
                return report.note("power cuts: skipped, no ext4 can be mounted here")
            try:
                torn, work = try_order(report, disk, order, lots, cuts)
                report.note("%s: %d edits acknowledged, all there; %d torn tails" % (
                    order, len(work.acknowledged), torn))
            except Exception as loss:
                report.loss("power", order, loss)
            finally:
                disk.unmount()


def try_order(report, disk, order, lots, cuts):
    ledger = Ledger(disk.path + "/ledger")
    ledger.must("init", "--device", "here")
    # Long enough for snapshots.
    ledger.must("append", "--stdin", input=lines_of(logging("n%d" % n) for n in range(16_500)))
    work, torn = Work(ledger), 0
    for cut in range(cuts):
        work.during(disk, "c%d" % cut, lots)
        expect(disk.unmount() and disk.mount(), "the disk cannot be mounted again")
        report.count("power cut", order)
        expect(not work.losses, work.losses)
        torn += check(ledger, work, cut)
    report.count("append", "power cut", work.appends)
    return torn, work


def check(ledger, work, cut):
    """Returns whether the log's end was torn."""
    answer = ledger.run("verify", "--json")
    ledger.expect_sound(torn=True)
    last = "after-%d" % cut
    ledger.must("append", "steps", "7", "--notes", last, "--date", "2026-01-03")
    ledger.expect_sound()
    noted = ledger.noted()
    expect(noted[last] == 1, "the further append is not there")
    expect(max(noted.values()) == 1, "an edit stands twice")
    lost = work.acknowledged - set(noted)
    expect(not lost, "%d acknowledged edits are lost: %s" % (len(lost), sorted(lost)[:5]))
    with_snapshot = ledger.must("status", "--json").output
    try:
        os.remove(ledger.path + "/views.snapshot")
    except FileNotFoundError:
        pass
    expect(with_snapshot == ledger.must("status", "--json").output, "the snapshot is wrong")
    return answer.code != 0
