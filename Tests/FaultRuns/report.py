"""What was run, how often, and what was lost."""

import sys
import time
from collections import Counter


class Report:
    def __init__(self, told=False):
        self.losses, self.notes = [], []
        self.counts, self.missed, self.sentences = Counter(), Counter(), Counter()
        self.tells = told
        self.began = time.monotonic()

    def count(self, what, name, times=1):
        self.counts[what, name] += times

    def unmet(self, name):
        self.missed[name] += 1

    def heard(self, code, sentence):
        self.sentences[code, sentence] += 1

    def note(self, text):
        self.notes.append(text)
        print("  " + text, flush=True)

    def loss(self, name, how, what):
        self.losses.append((name, how, what))
        print("LOSS  %s, %s: %s" % (name, how, what), file=sys.stderr, flush=True)

    def stage(self, text):
        print("== " + text, flush=True)

    def finish(self):
        if self.tells:
            self.stage("What was told")
            for (code, sentence), times in sorted(self.sentences.items(), key=str):
                print("%6d × %s %s" % (times, code, sentence or "(nothing)"))
        self.stage("Counts")
        for (what, name), times in self.counts.items():
            missed = self.missed[name] if what == "failed" else 0
            more = ", %d not met" % missed if missed else ""
            print("%8d × %s: %s%s" % (times, what, name, more))
        total = sum(self.counts.values())
        seconds = time.monotonic() - self.began
        print("%8d runs in %.0f s, %d losses" % (total, seconds, len(self.losses)))
        return 1 if self.losses or not total else 0
