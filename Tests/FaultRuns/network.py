"""SIGKILL and failing calls while `ledger sync` talks to the reference backend and refreshes its
tokens all the time: no edit is lost, none stands twice at the backend."""

import json
import os
import subprocess
import time
from collections import Counter

from program import ENVIRONMENT, Folder, Ledger, Loss, Program, expect, lines_of, logging
from tracing import strace

# In the order of how much depends on them: the log, its lock, the credentials.
CALLS = [("pwrite64", 2), ("fdatasync", 1), ("flock", 1), ("fsync", 1), ("rename", 1)]
# What fails in a sync, and how: once, or from then on.
FAILING = ["pwrite64", "fdatasync", "fsync", "rename", "ftruncate", "flock"]
ERRORS = ["EIO", "ENOSPC"]
PASSWORD = "correct-horse-battery"


class Backend:
    def __init__(self):
        self.process = subprocess.Popen(
            [Program.path, "backend", "--json", "--access-token-uses", "5"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        said = json.loads(self.process.stdout.readline())
        self.url, self.key = said["url"], said["api_key"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def sign(self, ledger, how, email="ada@example.com"):
        """Registers or signs in."""
        answer = self.ask(ledger, how, email)
        expect(answer.code == 0, "%s: %s" % (how, answer))

    def ask(self, ledger, how, email):
        secrets = {"LEDGER_PASSWORD": PASSWORD, "LEDGER_API_KEY": self.key}
        return ledger.run(how, "--base-url", self.url, "--email", email, environment=secrets)


def new_ledger(folder, name):
    ledger = Ledger(folder + "/" + name)
    ledger.must("init", "--device", name)
    ledger.must("settings", "sync.settle_seconds", "0")
    return ledger


class Syncer:
    """A ledger that is synced and killed, and what was put into it."""

    def __init__(self, backend, ledger):
        self.backend, self.ledger = backend, ledger
        self.made, self.sign_ins = [], 0

    def add(self, name):
        texts = ["%s-%d" % (name, n) for n in range(24)]
        # No two look the same at the backend.
        first = len(self.made)
        self.ledger.must("append", "--stdin", input=lines_of(
            logging(text, quantity=first + n) for n, text in enumerate(texts)))
        self.made += texts

    def settle(self):
        self.ledger.expect_sound()
        # What the killed one has left in a socket is taken in by then.
        time.sleep(0.3)
        self.sync_until_quiet()

    def sync_until_quiet(self):
        for _ in range(200):
            answer = self.ledger.run("sync", "--json")
            if answer.code == 5:
                # Killed between a refresh and the storing of its answer: the session is over.
                status = json.loads(self.ledger.must("status", "--json").output)
                expect(not status["signed_in"], "sync: %s" % answer)
                self.backend.sign(self.ledger, "login")
                self.sign_ins += 1
                continue
            expect(answer.code in (0, 75), "sync: %s" % answer)
            if answer.code == 0 and json.loads(answer.output)["sent"] == 0:
                return
            if answer.code == 75:
                time.sleep(0.1)
        raise Loss("sync never comes to rest")

    def killed_at(self, call, number):
        with Folder() as folder:
            words = ["-e", "trace=" + call, "-e", "inject=%s:signal=KILL:when=%d" % (call, number)]
            return self.ledger.run("sync", before=strace(folder + "/trace", *words)).code == -9

    def failed_at(self, call, number, error, lasts):
        """Returns the answer of a sync in which the call failed; `None` where it never came."""
        when = "%d%s" % (number, "+" if lasts else "")
        with Folder() as folder:
            trace = folder + "/trace"
            words = [
                "-e", "trace=" + call, "-e", "inject=%s:error=%s:when=%s" % (call, error, when)]
            answer = self.ledger.run("sync", before=strace(trace, *words))
            with open(trace, encoding="utf-8", errors="replace") as file:
                return answer if "(INJECTED)" in file.read() else None

    def killed_after(self, seconds):
        process = subprocess.Popen(
            [Program.path, "--ledger", self.ledger.path, "sync"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        return process.wait() == -9


def rows(ledger):
    """Every entry's notes."""
    found = []
    while True:
        page = json.loads(ledger.must(
            "show", "progress", "--json", "--limit", "100", "--offset", str(len(found))).output)
        if not page["entries"]:
            return Counter(found)
        found += [entry["notes"] for entry in page["entries"]]


def run(report, lots, smoke=False):
    if not os.access(os.path.dirname(Program.path) + "/ledger-sync", os.X_OK):
        return report.note("skipped: no ledger-sync beside the program")
    with Folder() as folder, Backend() as backend:
        ledger = new_ledger(folder, "here")
        ledger.must("append", "profile", "--name", "Ada", "--unit-system", "metric")
        ledger.must("append", "physical", "--born", "1990-01-02")
        backend.sign(ledger, "register")
        syncer = Syncer(backend, ledger)
        try:
            at_calls(report, syncer, step=7 if smoke else 1)
            failing(report, syncer, step=39 if smoke else 3)
            at_random(report, syncer, lots, times=3 if smoke else 40)
            ledger.expect_usable()
            syncer.sync_until_quiet()
            check(report, syncer, folder)
        except Loss as loss:
            report.loss("sync", "killed", loss)


def at_calls(report, syncer, step):
    for call, first in CALLS:
        number, missed = first, 0
        # Every thread counts for itself, so how far one comes differs from run to run.
        while missed < 3 and number < 60:
            syncer.add("%s-%d" % (call, number))
            if syncer.killed_at(call, number):
                report.count("killed at " + call, "sync")
            else:
                missed += 1
            syncer.settle()
            number += step


def failing(report, syncer, step):
    for call in FAILING:
        for number in range(1, 40, step):
            error = ERRORS[number // step % 2]
            met = False
            for lasts in (False, True):
                where = "%s %d %s%s" % (call, number, error, ", from then on" if lasts else "")
                syncer.add(where.replace(" ", "-"))
                answer = syncer.failed_at(call, number, error, lasts)
                if answer:
                    met = True
                    report.count("failed " + call, "sync")
                    # 5: the renewed tokens could not be kept.
                    expect(answer.code in (0, 1, 5, 75), "%s: %s" % (where, answer))
                    expect(b"atal error" not in answer.error, "%s: %s" % (where, answer))
                syncer.settle()
            if not met:
                break


def at_random(report, syncer, lots, times):
    begun = time.monotonic()
    syncer.add("unharmed")
    syncer.sync_until_quiet()
    usual = time.monotonic() - begun
    for number in range(times):
        syncer.add("random-%d" % number)
        if syncer.killed_after(lots.uniform(0, usual)):
            report.count("killed at random", "sync")
        syncer.settle()


def check(report, syncer, folder):
    made = Counter(syncer.made + ["afterwards"])
    status = json.loads(syncer.ledger.must("status", "--json").output)
    for name in ("pending", "in_doubt", "rejected", "conflicts"):
        expect(status[name] == 0, "status counts %s: %s" % (name, status))
    expect(rows(syncer.ledger) == made, "the ledger's entries are not those that were made")
    # Asked through a ledger that knows nothing but what the backend tells it.
    other = new_ledger(folder, "other")
    syncer.backend.sign(other, "login")
    Syncer(syncer.backend, other).sync_until_quiet()
    expect(rows(other) == made, "the backend's rows are not those that were made")
    report.note("%d edits, each of them at the backend, once; signed in anew %d times" % (
        sum(made.values()), syncer.sign_ins))
