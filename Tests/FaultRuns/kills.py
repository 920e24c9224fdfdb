"""SIGKILL at every call on a file: what a process that is gone in an instant leaves."""

from program import Folder, Loss
from tracing import inject, points


def run(scenario, report, every=1):
    """`every`: only each so manyth point, for a short run."""
    for point in points(scenario)[::every]:
        with Folder() as folder:
            ledger = scenario.place(folder)
            fault = "%s:signal=KILL:when=%d" % (point.call, point.number)
            answer = inject(scenario, ledger, fault)
            if answer is None or answer.code != -9:
                # A thread that is not there every time may not come this far.
                report.unmet(scenario.name)
                continue
            report.count("killed", scenario.name)
            try:
                scenario.check(ledger, answer)
            except Loss as loss:
                report.loss(scenario.name, fault, loss)
