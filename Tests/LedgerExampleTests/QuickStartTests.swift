import Foundation
import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

@Suite struct QuickStartTests {
  @Test("The steps of the article, one after the other")
  func steps() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    _ = try await logAWeight(in: ledger)
    #expect(try await newestWeights(in: ledger) == ["2026-01-05 75.1 kg pending"])
    try await sandbox.signIn(ledger)
    #expect(try await bringUpToDate(ledger) == "2 sent, 0 received")
    #expect(try await newestWeights(in: ledger) == ["2026-01-05 75.1 kg synced"])
    sandbox.backend.isOnline = false
    _ = try await logAWeight(in: ledger)
    #expect(try await bringUpToDate(ledger) == "no connection; 2 edits wait")
  }

  @Test("What was typed, who it is, and second thoughts")
  func typing() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    try await introduce("Ada", to: ledger)
    #expect(try await ledger.profile().unitSystem == .imperial)
    try await logPounds(165.3, in: ledger)
    #expect(try await ledger.progress().entries.map(\.quantity) == [74.9787576])
    try await ledger.undo()
    try await logWhatWasTyped("165lb", in: ledger)
    #expect(try await newestWeights(in: ledger) == ["2026-01-05 74.84274105 kg pending"])
    await #expect(throws: Refusal.self) { try await logWhatWasTyped("heavy", in: ledger) }
    let entry = try #require(try await ledger.progress().entries.first)
    try await correct(entry, pounds: 165.3, in: ledger)
    #expect(try await newestWeights(in: ledger) == ["2026-01-05 74.9787576 kg pending"])
    for notes in ["after lunch", ""] {
      try await annotate(entry, with: notes, in: ledger)
      let corrected = try #require(try await ledger.entry(entry.id))
      #expect(try await ledger.notes(of: corrected) == (notes.isEmpty ? nil : notes))
    }
    try await undoAndRedo(in: ledger)
    try await takeBack(entry, in: ledger)
    #expect(try await newestWeights(in: ledger) == [])
    try await logWhatWasTyped("75", in: ledger)
    let other = try #require(try await ledger.progress().entries.first)
    try await removeForGood(other, from: ledger)
    #expect(try await newestWeights(in: ledger) == [])
  }

  @Test("Another day, its sums, and an entry deleted")
  func anotherDay() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    let day = try #require(CalendarDate(year: 2026, month: 1, day: 3))
    let evening = try #require(ClockTime(hour: 18, minute: 30))
    try await logARun(on: day, at: evening, in: ledger)
    #expect(try await distances(from: day, to: day, in: ledger) == ["2026-01-03 5.2 km"])
    let run = try #require(try await ledger.progress().entries.first)
    #expect(run.date == day && run.moment?.time == evening)
    try await delete(run, from: ledger)
    #expect(try await distances(from: day, to: day, in: ledger) == [])
  }

  @Test("A date that does not exist is an error, not a query without a limit")
  func wrongDate() async throws {
    let ledger = try LedgerSandbox().openLedger()
    try await ledger.log(.steps, 4_000)
    #expect(try await stepsSince("2026-01-05", in: ledger) == 4_000)
    #expect(try await stepsSince("2026-01-06", in: ledger) == 0)
    let refusal = await #expect(throws: Refusal.self) {
      try await stepsSince("2026-02-30", in: ledger)
    }
    #expect(refusal?.reason == .malformed && refusal?.value == "2026-02-30")
  }

  @Test("The article's code sets daily and dated goals and logs a night with a stage")
  func goalsAndSleep() async throws {
    let ledger = try LedgerSandbox().openLedger()
    try await ledger.log(.steps, 3_000)
    #expect(try await aimFor(8_000, in: ledger) == 5_000)
    try await ledger.log(.weight, 80)
    #expect(try await aimFor(weight: 70, by: ledger.today.adding(days: 30), in: ledger) == 0)
    let start = Date(timeIntervalSince1970: 1_767_567_600)
    let inBed = start...(start + 28_800)
    let asleep = (start + 3_600)...(start + 27_000)
    #expect(try await logNight(inBed: inBed, asleep: asleep, in: ledger) == 6.5)
  }

  @Test("Runs are found by their notes, page after page")
  func runs() async throws {
    let ledger = try LedgerSandbox().openLedger()
    for number in 1...60 {
      try await ledger.log(.distanceKM, Double(number), notes: number > 5 ? "a run" : "a walk")
    }
    let first = try await pageOfRuns(after: nil, in: ledger)
    let second = try await pageOfRuns(after: first, in: ledger)
    #expect(first.total == 55 && first.entries.count == 50 && first.notes.count == 50)
    #expect(second.entries.map(\.quantity) == [10, 9, 8, 7, 6] && second.next == nil)
  }

  @Test("Why the backend refused an entry")
  func refused() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    try await sandbox.signIn(ledger)
    _ = try await logAWeight(in: ledger)
    sandbox.backend.fail(.refused)
    _ = try await bringUpToDate(ledger)
    let entry = try #require(try await ledger.progress().entries.first)
    #expect(entry.status == .failed)
    #expect(try await whyRefused(entry, in: ledger)?.isEmpty == false)
  }

  @Test("What an undo takes back: an entry with its corrections, one correction, a deletion")
  func undoing() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    try await sandbox.signIn(ledger)
    let entry = try await ledger.log(.weight, 75.5).id
    let correction = try await ledger.correct(entry, quantity: 75.1)
    _ = try await bringUpToDate(ledger)
    let imported = try await ledger.append([
      Edit(
        by: .import,
        change: .logProgress(
          ProgressLogged(
            entry: .derived(from: "a sample", at: sandbox.clock.now), metric: .steps,
            quantity: 4_000, date: LocalZone.fixed(.utc).today(at: sandbox.clock.now))))
    ])

    // The newest of the person: the import stays.
    try await ledger.undo()
    #expect(try await newestWeights(in: ledger) == ["2026-01-05 75.5 kg pending"])
    await #expect(throws: UndoRefusal.self) { try await ledger.undo(correction) }
    try await ledger.undo(imported[0])
    #expect(try await ledger.progress().entries.map(\.id) == [entry])

    let deletion = try await ledger.delete(entry)
    _ = try await bringUpToDate(ledger)
    try await ledger.undo(deletion)
    let again = try #require(try await ledger.progress().entries.first)
    #expect(again.quantity == 75.5 && again.id != entry)

    try await ledger.correct(again.id, quantity: 75.1)
    try await takeBack(again, in: ledger)
    #expect(try await ledger.progress().entries.isEmpty)
  }

  @Test("Nobody is signed in: that alone is thrown")
  func signedOut() async throws {
    let ledger = try LedgerSandbox().openLedger()
    await #expect(throws: ClientError.signedOut(reason: "not signed in")) {
      try await bringUpToDate(ledger)
    }
  }

  @Test("The article's code signs in and opens a ledger by its path")
  func signingIn() async throws {
    let sandbox = try LedgerSandbox()
    try await sandbox.signIn(sandbox.openLedger())
    let ledger = try sandbox.openLedger(on: "tablet")
    try await signIn(
      to: ledger, at: LedgerSandbox.url, apiKey: LedgerSandbox.apiKey,
      email: LedgerSandbox.email, password: LedgerSandbox.password)
    let folder = ledger.directory.path
    #expect(try await openDiary(in: folder).directory.path == folder + "/.ledger")
  }
}
