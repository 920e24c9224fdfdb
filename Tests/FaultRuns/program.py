"""The built program, and its ledgers as files: what stands in them, and whether it is right."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Nothing of the tester's environment reaches the program.
ENVIRONMENT = {"TZ": "UTC", "PATH": os.environ.get("PATH", "/usr/bin:/bin")}
# Only ends what would never end; no verdict depends on how fast a machine is.
PATIENCE_SECONDS = 600


class Loss(Exception):
    """Something that a run promised and did not keep."""


def expect(condition, text):
    if not condition:
        raise Loss(text)


class Answer:
    def __init__(self, code, output, error):
        self.code, self.output, self.error = code, output, error

    def __str__(self):
        return "code %s, said %r" % (self.code, self.error.decode("utf-8", "replace")[-600:])

    def told(self):
        """The lines on standard error that are no warning and no hint, errors as one sentence."""
        aside = "ledger: warning: |hint: |.* left whole by an interrupted write"
        lines = self.error.decode("utf-8", "strict").splitlines()
        return [self.sentence(line) for line in lines if not re.match(aside, line)]

    def sentence(self, line):
        """What `--json` writes as an object stands for the sentence that it has."""
        if not line.startswith('{"error":'):
            return line
        error = json.loads(line)["error"]
        expect(error["exit_code"] == self.code, "it told of another exit code: %s" % line)
        expect(re.fullmatch("[a-z]+(-[a-z]+)*", error["code"]), "it told no code: %s" % line)
        return "ledger: " + error["message"]


class Program:
    path = None

    @classmethod
    def run(cls, *words, before=(), input=b"", environment=None, output=None, **options):
        """`before` are words in front of the program's own, such as strace's."""
        try:
            done = subprocess.run(
                [*before, cls.path, *words], input=input, stderr=subprocess.PIPE,
                stdout=output or subprocess.PIPE, env=dict(ENVIRONMENT, **(environment or {})),
                timeout=PATIENCE_SECONDS, **options)
        except subprocess.TimeoutExpired:
            raise Loss("%s never ended" % " ".join(words))
        return Answer(done.returncode, done.stdout or b"", done.stderr)

    @classmethod
    def must(cls, *words, **options):
        answer = cls.run(*words, **options)
        expect(answer.code == 0, "%s: %s" % (" ".join(words), answer))
        return answer


def documented_verifier():
    """The verifier of docs/log-format.md, which shares no code with the program."""
    with open(os.path.join(ROOT, "docs", "log-format.md"), encoding="utf-8") as page:
        code = re.search(r"^```python\n(.*?)^```$", page.read(), re.S | re.M)[1]
    room = {}
    exec(code[:code.rindex("\nprint(")], room)
    return room["verify"]


verify_as_documented = documented_verifier()


class Folder:
    """A folder of its own for one run, gone with it."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="ledger-faults-")

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def logging(notes, quantity=1, **more):
    """An edit as `append --stdin` takes it."""
    data = {"metric": "steps", "quantity": quantity, "date": "2026-01-02", "notes": notes}
    return dict({"type": "progress.logged", "data": data}, **more)


def lines_of(edits):
    return "".join(json.dumps(edit) + "\n" for edit in edits).encode()


class Ledger:
    def __init__(self, path):
        self.path = path
        self.log = path + "/events.jsonl"

    def run(self, *words, **options):
        return Program.run("--ledger", self.path, *words, **options)

    def must(self, *words, **options):
        return Program.must("--ledger", self.path, *words, **options)

    @property
    def exists(self):
        return os.path.lexists(self.log) or os.path.lexists(self.path + "/head")

    def bytes(self):
        with open(self.log, "rb") as file:
            return file.read()

    def events(self):
        return [json.loads(line) for line in self.bytes().splitlines()]

    def noted(self):
        """How often each text stands in the log as the notes of an entry."""
        texts = (event.get("data", {}).get("notes") for event in self.events())
        return Counter(text for text in texts if text is not None)

    def expect_sound(self, torn=False):
        """Verifies and replays it. `torn`: an interrupted write may still lie at its end."""
        answer = self.run("verify", "--json")
        found = json.loads(answer.output or b"{}")
        whole = answer.code == 0 and found.get("ok")
        expect(
            whole or torn and found.get("torn_tail_bytes") and not found.get("problems"),
            "verify: %s %s" % (answer, answer.output))
        replayed = json.loads(self.must("replay", "--json").output)
        expect(replayed["verified"], "replay did not verify: %s" % replayed)
        expect(replayed["events"] == found["events"], "verify and replay count differently")
        if whole:
            count, head = verify_as_documented(self.log)
            expect(count == found["events"], "another verifier counts %s events" % count)
            expect(head == found["head"]["hash"], "another verifier finds another head")

    def expect_usable(self, torn=False):
        """Sound, as it is and after a further append."""
        self.expect_sound(torn)
        self.must("append", "steps", "7", "--notes", "afterwards", "--date", "2026-01-03")
        self.expect_sound()
        expect(self.noted()["afterwards"] == 1, "the further append is not there")


def copy(template, folder):
    path = folder + "/ledger"
    if os.path.isdir(template):
        shutil.copytree(template, path)
    return Ledger(path)
