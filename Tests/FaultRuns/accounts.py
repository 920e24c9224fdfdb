"""What is interrupted at the backend too: the deletion of an account, and the ledger's after it."""

import atexit

from network import Backend
from program import Ledger, expect, lines_of, logging
from scenarios import Scenario


class DeleteAccount(Scenario):
    """First there, then here: while the account may still be there, so is the ledger, whole."""

    name = "delete-account"
    words = ("delete-account", "--yes", "--json")
    # 5: the tokens could not be renewed, or are gone already.
    codes = (0, 1, 3, 5, 75)
    is_networked = True
    backend = None
    accounts = 0

    def __init__(self, templates):
        if not DeleteAccount.backend:
            DeleteAccount.backend = Backend()
            atexit.register(DeleteAccount.backend.__exit__)

    def place(self, folder):
        DeleteAccount.accounts += 1
        self.email = "ada%d@example.com" % DeleteAccount.accounts
        ledger = Ledger(folder + "/ledger")
        ledger.must("init", "--device", "here")
        ledger.must("append", "profile", "--name", "Ada", "--unit-system", "metric")
        ledger.must("append", "physical", "--born", "1990-01-02")
        ledger.must("append", "--stdin", input=lines_of([logging("one"), logging("two")]))
        self.backend.sign(ledger, "register", self.email)
        self.base = ledger.bytes()
        return ledger

    def check(self, ledger, answer):
        is_there = self.has_account(ledger)
        if not ledger.exists:
            return expect(not is_there, "the ledger is gone, and the account is not")
        expect(answer.code != 0, "it ended with 0, and the ledger is there")
        expect(ledger.bytes().startswith(self.base), "what stood in the log is not there")
        again = ledger.run(*self.words)
        if again.code == 5 and is_there:
            # Killed between a refresh and the storing of its answer: the session is over.
            self.backend.sign(ledger, "login", self.email)
            again = ledger.run(*self.words)
        if again.code == 0:
            expect(not ledger.exists, "given again, it ended with 0, and the ledger is there")
            return expect(not self.has_account(ledger), "the account is there still")
        expect(not is_there and again.code in (2, 5), "given again: %s" % again)
        ledger.expect_usable()

    def has_account(self, ledger):
        """Whether somebody can sign in to it, from another ledger."""
        other = Ledger(ledger.path + ".other")
        if not other.exists:
            other.must("init", "--device", "other")
        answer = self.backend.ask(other, "login", self.email)
        expect(answer.code in (0, 2, 5), "login: %s" % answer)
        return answer.code == 0


ALL = [DeleteAccount]
