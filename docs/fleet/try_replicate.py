#!/usr/bin/env python3
"""Copies a ledger again and again while another process appends to it and erases in it; every copy
must verify, hold what was there before, and keep nothing of what was erased.

usage: try_replicate.py [PROGRAM]    with PROGRAM, that `ledger` writes and verifies; without, Python
"""

import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from chain import Log, check
from generate import Person

HERE = Path(__file__).parent
SECONDS = 4
# So that a small log comes to many ranges.
SIZES = {"REPLICATE_SHORT_BYTES": "3000", "REPLICATE_LONG_BYTES": "9000"}


def write_in_python(ledger, stop):
    """Appends in halves, with the head last, and erases by a new file, as docs/erasure.md has it."""
    person, number = Person(77), random.Random(77)
    log = open(ledger / "events.jsonl", "r+b")
    size = log.seek(0, os.SEEK_END)
    person.live_on(40)
    while not stop.is_set():
        known = len(person.log.lines)
        before = [line[1] for line in person.log.lines]
        person.live_on(known + number.randint(1, 6))
        lines = ['%s%s,"hash":"%s"}\n' % tuple(line) for line in person.log.lines]
        if before != [line[1] for line in person.log.lines[:known]]:
            (ledger / "head").unlink()
            (ledger / "log.new").write_bytes("".join(lines).encode())
            os.replace(ledger / "log.new", ledger / "events.jsonl")
            log = open(ledger / "events.jsonl", "r+b")
            size = log.seek(0, os.SEEK_END)
        else:
            new = "".join(lines[known:]).encode()
            for half in (new[:len(new) // 2], new[len(new) // 2:]):
                log.write(half)
                log.flush()
                time.sleep(number.random() * 0.004)
            size += len(new)
        words = "%020d %020d %s\n" % (len(lines), size, person.log.head)
        head = os.open(ledger / "head", os.O_WRONLY | os.O_CREAT)
        os.pwrite(head, words.encode(), 0)
        os.close(head)


def write_by_program(program, ledger, stop):
    number = 0

    def run(*words, input=""):
        subprocess.run([program, "--quiet", "--ledger", str(ledger), *words], input=input, text=True,
                       stdout=subprocess.DEVNULL, check=True)

    while not stop.is_set():
        number += 1
        batch = [{"type": "progress.logged", "id": "0198c1a0-0001-7def-8abc-%012x" % (number * 9 + i),
                  "data": {"metric": "steps", "quantity": number, "date": "2026-01-02",
                           "notes": "secret%d " % number * 9}} for i in range(1 + number % 7)]
        run("append", "--stdin", input="".join(json.dumps(line) + "\n" for line in batch))
        if number % 4 == 0:
            with open(ledger / "events.jsonl", "rb") as log:
                logged = [event["seq"] for event in map(json.loads, log)
                          if event["type"] == "progress.logged" and "data" in event]
            run("erase", str(random.Random(number).choice(logged)), "--reason", "asked for", "--yes")


def replicate(*words):
    return subprocess.run([sys.executable, HERE / "replicate", *map(str, words)],
                          capture_output=True, text=True, env={**os.environ, **SIZES})


def verified(program, ledger):
    events, hash = check(ledger / "events.jsonl")
    if program:
        subprocess.run([program, "verify", ledger, "--head", hash], check=True,
                       stdout=subprocess.DEVNULL)
    return events


def main(program, place):
    ledger, copy = place / "ledger", place / "copy"
    if program:
        subprocess.run([program, "init", "--ledger", ledger], check=True, capture_output=True)
    else:
        person = Person(77)
        person.live_on(40)
        person.log.write(ledger)
    stop = multiprocessing.Event()
    words = (program, ledger, stop) if program else (ledger, stop)
    writer = multiprocessing.Process(target=write_by_program if program else write_in_python,
                                     args=words)
    writer.start()
    copies, events, until = 0, 0, time.monotonic() + SECONDS
    try:
        while time.monotonic() < until or copies < 5:
            done = replicate(ledger, copy)
            if done.returncode == 75:
                continue
            assert done.returncode == 0, done.stderr
            back = place / "back"
            done = replicate("--restore", copy, back)
            assert done.returncode == 0, done.stderr
            now = verified(program, back)
            assert now >= events, "a copy holds %d events, the one before %d" % (now, events)
            copies, events = copies + 1, now
            shutil.rmtree(back)
    finally:
        stop.set()
        writer.join()
    assert writer.exitcode == 0, "the writer failed"
    assert replicate(ledger, copy).returncode == 0
    for path in [copy, *copy.rglob("*")]:
        mode, expected = path.stat().st_mode & 0o777, 0o700 if path.is_dir() else 0o600
        assert mode == expected, "%s has the mode %o" % (path, mode)
    held = b"".join(path.read_bytes() for path in (copy / "ranges").iterdir())
    assert len(list((copy / "ranges").iterdir())) > 1, "the log was one range: nothing was joined"
    log = (ledger / "events.jsonl").read_bytes()
    erased = log.count(b'"erased":"')
    assert len(held) == len(log), "the copy keeps what the log no longer has"
    assert erased > 0, "nothing was erased while it was copied"
    # A log that was cut off is no longer what the copy holds.
    lines = log.splitlines(keepends=True)
    (ledger / "events.jsonl").write_bytes(b"".join(lines[:-1]))
    (ledger / "head").write_text("%020d %020d %s\n" % (
        len(lines) - 1, len(log) - len(lines[-1]), lines[-2][-67:-3].decode()))
    assert replicate(ledger, copy).returncode == 3, "a log that was cut off replaced its copy"
    # Its chain is right and a member is missing: damage, with the number of the line.
    broken = Log()
    broken.add("01a1fc67-b270-7b15-8579-22c8fd77dd01", "2026-01-01T00:00:00.000Z", "system",
               "ledger.created", "00" * 8, {})
    for type, data in [("sync.acknowledged", {}), ("sync.attempted", {"events": [1]}),
                       ("progress.logged", {}), ("edit.undone", {}), ("sync.held", {"events": 1})]:
        log = Log()
        log.lines, log.head = list(broken.lines), broken.head
        log.add("01a1fc67-b270-7b15-8579-22c8fd77dd02", "2026-01-01T00:00:00.000Z", "sync", type,
                "00" * 8, data)
        log.write(place / type)
        done = replicate(place / type, place / "none")
        assert done.returncode == 3 and "line 2 lacks a member" in done.stderr, (type, done.stderr)
    print("replicate: %d copies taken while %s wrote %d events and erased %d lines; all verify" % (
        copies, "ledger" if program else "another process", len(lines), erased))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else None, Path(folder))
