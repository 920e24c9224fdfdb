"""Runs under strace: which calls a command makes on files, and runs in which one goes wrong."""

import re

from program import ENVIRONMENT, Folder, Loss, Program

# With `?`, since not every machine has every call.
CALLS = [
    "open", "openat", "read", "pread64", "write", "pwrite64", "fsync", "fdatasync", "ftruncate",
    "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "flock", "stat",
    "lstat", "fstat", "newfstatat", "statx", "lseek", "close",
]
# What the system interrupts; the others are over before a signal is looked at.
INTERRUPTED = {
    "open", "openat", "read", "pread64", "write", "pwrite64", "fsync", "fdatasync", "ftruncate",
    "flock",
}


class Point:
    """The nth call of one name, in one thread."""

    def __init__(self, call, number, shown):
        self.call, self.number = call, number
        # Opening a folder waits for nothing that a signal could interrupt.
        self.is_interrupted = call in INTERRUPTED and "O_DIRECTORY" not in shown

    def __str__(self):
        return "%s %s" % (self.call, self.number)


def strace(path, *words):
    environment = [word for pair in ENVIRONMENT.items() for word in ("-E", "%s=%s" % pair)]
    return ["strace", "-f", "-qq", "-y", "-e", "signal=none", "-o", path, *environment, *words]


def points(scenario):
    """The calls of a run in which nothing goes wrong that touch its ledger or what it answers."""
    with Folder() as folder:
        trace = folder + "/trace"
        ledger = scenario.place(folder)
        names = ",".join("?" + call for call in CALLS)
        answer = scenario.run(ledger, before=strace(trace, "-e", "trace=" + names))
        if answer.code != 0:
            raise Loss("without a fault: %s" % answer)
        with open(trace, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    counts, found, seen = {}, [], set()
    for line in lines:
        called = re.match(r"(\d+) +(\w+)\((.*)", line)
        if not called:
            continue
        thread, call, rest = called.groups()
        counts[thread, call] = number = counts.get((thread, call), 0) + 1
        # Every thread counts for itself, so threads share their points.
        if touches(ledger, call, rest) and (call, number) not in seen:
            seen.add((call, number))
            found.append(Point(call, number, rest))
    return found


def touches(ledger, call, rest):
    """Whether a call touches the ledger or the answer."""
    return ledger.path in rest or call == "write" and rest.startswith(("1<", "2<"))


def is_met(scenario, ledger, trace):
    """Whether a fault was met. Counts are a thread's own: where libraries have threads of theirs, the
    nth call may be one of them, which proves nothing about the ledger."""
    with open(trace, encoding="utf-8", errors="replace") as file:
        injected = [line for line in file if "(INJECTED)" in line]
    if not scenario.is_networked:
        return bool(injected)
    called = [re.match(r"\d+ +(\w+)\((.*)", line) for line in injected]
    return bool(called) and all(call and touches(ledger, *call.groups()) for call in called)


def inject(scenario, ledger, *faults):
    """Runs the scenario with faults such as `fsync:error=EIO:when=2`.

    Returns its answer; `None` when no fault was met.
    """
    with Folder() as folder:
        trace = folder + "/trace"
        words = ["-e", "trace=" + ",".join({fault.split(":")[0] for fault in faults})]
        for fault in faults:
            words += ["-e", "inject=" + fault]
        answer = scenario.run(ledger, before=strace(trace, *words))
        if answer.code == -9:
            return answer
        met = is_met(scenario, ledger, trace)
    # What happens before the program itself begins is the loader's.
    is_loader = answer.code == 127 and b"while loading shared libraries" in answer.error
    return answer if met and not is_loader else None
