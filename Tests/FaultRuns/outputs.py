"""What is interrupted besides the log's own writers: files that a person asked for, an import, a
repair."""

import glob
import json
import os

from program import expect, lines_of, logging
from scenarios import TORN, Scenario, is_refusal


class Output(Scenario):
    """A file that a person asked for takes an older one's place: whole, or not at all."""

    old = b"what stood there before"
    # How the new one begins and ends.
    begins, ends = b"", b""

    def place(self, folder):
        ledger = super().place(folder)
        with open(self.target(ledger), "wb") as file:
            file.write(self.old)
        return ledger

    def target(self, ledger):
        return ledger.path + ".out"

    def run(self, ledger, before=(), **options):
        return ledger.run(*self.words, "-o", self.target(ledger), before=before, **options)

    def check(self, ledger, answer):
        expect(ledger.bytes() == self.base, "looking changed the log")
        with open(self.target(ledger), "rb") as file:
            found = file.read()
        if found == self.old:
            expect(answer.code != 0, "it ended with 0, and the old file is there")
        else:
            self.check_file(found)
        # Again, and nothing that the first run has left is in the way or stays.
        again = self.run(ledger)
        expect(again.code == 0, "given again: %s" % again)
        with open(self.target(ledger), "rb") as file:
            self.check_file(file.read())
        left = glob.glob(self.target(ledger) + ".*")
        expect(not left, "%s is left" % left)
        ledger.expect_usable()

    def check_file(self, found):
        expect(found.startswith(self.begins) and found.endswith(self.ends), "half of it is there")


class Report(Output):
    name = "report -o"
    words = ("report", "--json")
    begins, ends = b"<!doctype html>", b"</html>\n"


class ExportEvents(Output):
    name = "export jsonl -o"
    words = ("export", "jsonl", "--json")

    def check_file(self, found):
        expect(found == self.base, "the exported lines are not the log's")


class ExportTable(Output):
    name = "export csv -o"
    words = ("export", "csv", "--json")

    def check_file(self, found):
        expect(found.count(b"\n") == 3 and b"one" in found and b"two" in found, "rows are missing")


class ExportPiped(Scenario):
    """The log to standard output: what is there is the log's beginning."""

    name = "export jsonl"
    words = ("export", "jsonl")

    def check(self, ledger, answer):
        expect(ledger.bytes() == self.base, "looking changed the log")
        expect(self.base.startswith(answer.output), "what was written is not the log's")
        if answer.code == 0:
            expect(answer.output == self.base, "it ended with 0, and lines are missing")
        ledger.expect_usable()


class AppleHealth(Scenario):
    """An import of some hundred records: all of them or none, and once, however often it is given."""

    name = "import apple-health"
    is_whole = True
    count = 400

    def place(self, folder):
        ledger = super().place(folder)
        with open(self.source(ledger), "w", encoding="utf-8") as file:
            file.write('<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n')
            for number in range(self.count):
                moment = "2026-01-%02d %02d:%02d:00 +0000" % (
                    1 + number // 100, number // 10 % 10, number % 10)
                file.write(
                    '<Record type="HKQuantityTypeIdentifierBodyMass" sourceName="W" unit="kg" '
                    'value="%d.5" startDate="%s" endDate="%s"/>\n' % (
                        50 + number % 40, moment, moment))
            file.write("</HealthData>\n")
        return ledger

    def source(self, ledger):
        return ledger.path + ".xml"

    def run(self, ledger, before=(), **options):
        return ledger.run(
            "import", "apple-health", self.source(ledger), "--json", before=before, **options)

    def check(self, ledger, answer):
        expect(ledger.bytes().startswith(self.base), "what stood in the log before is not there")
        ledger.expect_usable(torn=self.is_whole)
        made = self.made(ledger)
        expect(made in (0, self.count), "of the import the log has %d" % made)
        if answer.code == 0:
            expect(made, "it ended with 0, and nothing is there")
        if is_refusal(answer):
            expect(not made, "it was refused, and its entries are there")
        again = self.run(ledger)
        expect(again.code == 0, "given again: %s" % again)
        expect(self.made(ledger) == self.count, "given again, it makes %d" % self.made(ledger))
        ledger.expect_sound()

    def made(self, ledger):
        return sum(event["by"] == "import" for event in ledger.events())


class Repair(Scenario):
    """`doctor --repair` of a ledger with everything that it mends."""

    name = "doctor --repair"
    words = ("doctor", "--repair", "--json")
    torn = TORN
    secret = b'{"access_token":"half of'

    def make(self, ledger):
        super().make(ledger)
        for name, held in (
                ("events.jsonl", self.torn), ("views.snapshot", b"\0" * 5000),
                ("views.snapshot.tmp", b"x"), ("settings.json.999999999.1.tmp", b'{"zo'),
                ("credentials.json.999999999.1.tmp", self.secret)):
            with open("%s/%s" % (ledger.path, name), "ab") as file:
                file.write(held)
            os.chmod("%s/%s" % (ledger.path, name), 0o644)

    @staticmethod
    def tells(answer):
        findings = json.loads(answer.output or b"{}").get("findings", [])
        return any(f["level"] == "damage" and f["finding"] for f in findings)

    def check(self, ledger, answer):
        expect(ledger.bytes().startswith(self.base), "what stood in the log before is not there")
        again = ledger.run(*self.words)
        expect(again.code == 0, "given again: %s" % again)
        found = json.loads(ledger.must("doctor", "--strict", "--json").output)
        wrong = [f["name"] for f in found["findings"] if f["level"] not in ("fine", "notice")]
        expect(found["ok"] and not wrong, "it left %s" % wrong)
        kept = []
        for name in os.listdir(ledger.path + "/quarantine"):
            with open("%s/quarantine/%s" % (ledger.path, name), "rb") as file:
                kept.append(file.read())
        expect(self.torn in kept, "the torn tail is not in quarantine")
        expect(not any(self.secret in held for held in kept), "a token is in quarantine")
        repaired = [e for e in ledger.events() if e["type"] == "log.repaired"]
        expect(len(repaired) <= 1, "one repair is told more than once")
        ledger.expect_usable()


ALL = [Report, ExportEvents, ExportTable, ExportPiped, AppleHealth, Repair]
