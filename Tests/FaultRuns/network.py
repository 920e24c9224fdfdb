"""SIGKILL at calls on files while `ledger sync` talks to the reference backend, refreshing its tokens
all the time: no edit is lost, none stands twice at the backend."""

import json
import os
import subprocess
import time
from collections import Counter

from program import ENVIRONMENT, Folder, Ledger, Loss, Program, expect, lines_of, logging
from tracing import strace

# In the order of how much depends on them: the log, its lock, the credentials.
CALLS = [("pwrite64", 2), ("fdatasync", 1), ("flock", 1), ("fsync", 1), ("rename", 1)]
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

    def sign(self, ledger, how):
        """Registers or signs in."""
        secrets = {"LEDGER_PASSWORD": PASSWORD, "LEDGER_API_KEY": self.key}
        ledger.must(
            how, "--base-url", self.url, "--email", "ada@example.com", environment=secrets)


def new_ledger(folder, name):
    ledger = Ledger(folder + "/" + name)
    ledger.must("init", "--device", name)
    ledger.must("settings", "sync.settle_seconds", "0")
    return ledger


def sync_until_quiet(backend, ledger):
    for _ in range(200):
        answer = ledger.run("sync", "--json")
        if answer.code == 5:
            # Killed between a refresh and the storing of its answer: the session is over.
            signed_in = json.loads(ledger.must("status", "--json").output)["signed_in"]
            expect(not signed_in, "sync: %s" % answer)
            backend.sign(ledger, "login")
            continue
        expect(answer.code in (0, 75), "sync: %s" % answer)
        if answer.code == 0 and json.loads(answer.output)["sent"] == 0:
            return
        if answer.code == 75:
            time.sleep(0.1)
    raise Loss("sync never comes to rest")


def rows(ledger):
    """Every entry's notes."""
    found = []
    while True:
        page = json.loads(ledger.must(
            "show", "progress", "--json", "--limit", "100", "--offset", str(len(found))).output)
        if not page["entries"]:
            return Counter(found)
        found += [entry["notes"] for entry in page["entries"]]


def killed(ledger, call, number):
    with Folder() as folder:
        words = ["-e", "trace=" + call, "-e", "inject=%s:signal=KILL:when=%d" % (call, number)]
        return ledger.run("sync", before=strace(folder + "/trace", *words)).code == -9


def run(report, smoke=False):
    if not os.access(os.path.dirname(Program.path) + "/ledger-sync", os.X_OK):
        return report.note("skipped: no ledger-sync beside the program")
    with Folder() as folder, Backend() as backend:
        ledger = new_ledger(folder, "here")
        ledger.must("append", "profile", "--name", "Ada", "--unit-system", "metric")
        ledger.must("append", "physical", "--born", "1990-01-02")
        backend.sign(ledger, "register")
        texts = []
        try:
            for call, first in CALLS:
                number, missed = first, 0
                while missed < 2 and number < 60:
                    texts += ["%s-%d-%d" % (call, number, n) for n in range(6)]
                    ledger.must("append", "--stdin", input=lines_of(
                        logging(text, quantity=len(texts) + n)
                        for n, text in enumerate(texts[-6:])))
                    if killed(ledger, call, number):
                        report.count("killed at " + call, "sync")
                    else:
                        missed += 1
                    ledger.expect_sound()
                    # What the killed one has left in a socket is taken in by then.
                    time.sleep(0.3)
                    sync_until_quiet(backend, ledger)
                    number += 7 if smoke else 1
            ledger.expect_usable()
            sync_until_quiet(backend, ledger)
            check(report, backend, ledger, folder, Counter(texts + ["afterwards"]))
        except Loss as loss:
            report.loss("sync", "killed", loss)


def check(report, backend, ledger, folder, made):
    status = json.loads(ledger.must("status", "--json").output)
    for name in ("pending", "in_doubt", "rejected", "conflicts"):
        expect(status[name] == 0, "status counts %s: %s" % (name, status))
    expect(rows(ledger) == made, "the ledger's entries are not those that were made")
    # Asked through a ledger that knows nothing but what the backend tells it.
    other = new_ledger(folder, "other")
    backend.sign(other, "login")
    sync_until_quiet(backend, other)
    expect(rows(other) == made, "the backend's rows are not those that were made")
    report.note("%d edits, each of them at the backend, once" % sum(made.values()))
