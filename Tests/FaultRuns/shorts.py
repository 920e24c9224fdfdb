"""Writes that the system cuts short: every file of a command may grow to so many bytes, and no more."""

import os
import resource

from errors import expect_told
from program import Folder, Loss

STEPS = 40


def largest_file(folder):
    return max([
        os.path.getsize(os.path.join(place, name))
        for place, _, names in os.walk(folder) for name in names], default=0)


def limits(scenario, times):
    """From nothing to what the command needs when nothing is in its way."""
    with Folder() as folder:
        ledger = scenario.place(folder)
        most = largest_file(folder)
        answer = scenario.run(ledger)
        if answer.code != 0:
            raise Loss("without a limit: %s" % answer)
        most = max(most, largest_file(folder))
    return sorted({most * number // times for number in range(times)})


def run(scenario, report, times=STEPS):
    for most in limits(scenario, times):
        with Folder() as folder:
            ledger = scenario.place(folder)

            def limit():
                ceiling = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, ceiling))

            answer = scenario.run(ledger, preexec_fn=limit)
            report.count("cut short", scenario.name)
            try:
                expect_told(answer, scenario=scenario)
                scenario.check(ledger, answer)
            except Loss as loss:
                report.loss(scenario.name, "at %d bytes" % most, "%s (%s)" % (loss, answer))
