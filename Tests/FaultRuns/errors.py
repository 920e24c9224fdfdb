"""Calls on files that fail: once, from then on, and interrupted."""

import re

from program import Folder, Loss, expect
from scenarios import Scenario
from tracing import INTERRUPTED, inject, points

# After a fault that is invisible nothing may be told, and nothing be different.
INVISIBLE = "EINTR"


def faults(point):
    for error in ("EIO", "ENOSPC"):
        yield error, ["%s:error=%s:when=%d" % (point.call, error, point.number)]
        yield error, ["%s:error=%s:when=%d+" % (point.call, error, point.number)]
    if point.call in ("pwrite64", "fdatasync"):
        # Neither can it be written, nor what was written be taken back.
        yield "EIO", [
            "%s:error=EIO:when=%d" % (point.call, point.number), "ftruncate:error=EIO:when=1+"]
    if point.is_interrupted:
        yield INVISIBLE, ["%s:error=EINTR:when=%d" % (point.call, point.number)]


def every_second(scenario):
    """One call of two is interrupted, all the way. Not when files are opened: the C library gives
    up there, and takes the zone for an unknown one."""
    begins = {}
    for point in points(scenario):
        begins[point.call] = min(point.number, begins.get(point.call, point.number))
    for call in sorted(begins.keys() & INTERRUPTED - {"open", "openat"}):
        # What comes before is the loader's.
        for first in (begins[call], begins[call] + 1):
            yield INVISIBLE, ["%s:error=EINTR:when=%d+2" % (call, first)]


def run(scenario, report, every=1):
    plans = [plan for point in points(scenario) for plan in faults(point)]
    if not scenario.is_networked:
        plans += list(every_second(scenario))
    for error, plan in plans[::every]:
        with Folder() as folder:
            ledger = scenario.place(folder)
            answer = inject(scenario, ledger, *plan)
            if answer is None:
                report.unmet(scenario.name)
                continue
            report.count("failed", scenario.name)
            try:
                expect_told(answer, plan, invisible=error == INVISIBLE, scenario=scenario)
                scenario.check(ledger, answer)
            except Loss as loss:
                report.loss(scenario.name, " and ".join(plan), "%s (%s)" % (loss, answer))
            report.heard(answer.code, plainly(answer.error, ledger))


def expect_told(answer, plan=(), invisible=False, scenario=Scenario):
    """Done, or a documented code and one sentence: what is wrong, where."""
    if invisible:
        expect(answer.code == 0, "an interrupted call is not invisible")
    text = answer.error.decode("utf-8", "strict")
    # Where the zone's file cannot be read either, the zone is refused.
    is_usage = answer.code == 2 and "a zone that this system does not know" in text
    expect(answer.code in scenario.codes or is_usage, "it ended with %s" % answer.code)
    is_mute = any(fault.startswith("write:") and fault.endswith("+") for fault in plan)
    if answer.code == 0 or is_mute or scenario.tells(answer):
        return
    told = answer.told()
    expect(len(told) == 1 and told[0].startswith("ledger: "), "it told %r" % text)
    expect("atal error" not in text, "it told %r" % text)


def plainly(error, ledger):
    """A sentence without what differs from run to run."""
    text = error.decode("utf-8", "replace").replace(ledger.path, "DIR")
    text = re.sub(r"events-\d+-[0-9a-f-]{36}", "events-…", text)
    return re.sub(r"\.\d+\.\d+\.tmp", ".….tmp", text).strip()
