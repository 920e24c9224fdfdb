import LedgerJSON
import LedgerModel
import Testing

private let today = CalendarDate("2026-07-20")!
private let live = EntryID("0198c1a0-7c1e-7def-8abc-000000000001")!
private let deleted = EntryID("0198c1a0-7c1e-7def-8abc-000000000002")!
private let unknown = EntryID("0198c1a0-7c1e-7def-8abc-000000000003")!

/// A ledger with a live entry and a deleted one.
private struct TwoEntries: LedgerFacts {
  func entry(_ id: EntryID) -> EntryFacts? {
    switch id {
    case live: EntryFacts(metric: .weight, isDeleted: false)
    case deleted: EntryFacts(metric: .steps, isDeleted: true)
    default: nil
    }
  }

  func session(_ id: EntryID) -> SessionFacts? { nil }
}

private func decided(_ change: Edit.Change) throws(Refusal) -> Event.Payload {
  try decide(change, given: TwoEntries(), today: today)
}

private func refusal(_ change: Edit.Change) -> String? {
  sentence { () throws(Refusal) in _ = try decided(change) }
}

@Suite struct DecideProgressTests {
  private func logged(
    _ quantity: Double, _ metric: Metric = .weight, entry: EntryID = unknown, notes: String? = nil
  ) -> Edit.Change {
    .logProgress(.init(entry: entry, metric: metric, quantity: quantity, date: today, notes: notes))
  }

  @Test("A quantity in range is logged")
  func logsWhatIsInRange() throws {
    #expect(try decided(logged(72.4)) == logged(72.4).payload)
    #expect(try decided(logged(0, .steps)) == logged(0, .steps).payload)
  }

  @Test(
    "A refused quantity is named with its range",
    arguments: [
      (0, .weight, "quantity is 0 kg; weight must be more than 0 and less than 500 kg"),
      (500, .weight, "quantity is 500 kg; weight must be more than 0 and less than 500 kg"),
      (-1, .steps, "quantity is -1; steps must be at least 0 and less than 1000000"),
      (10.5, .moodScore, "quantity is 10.5; mood_score must be at least 1 and at most 10"),
      (.nan, .bmi, "quantity is nan; bmi must be more than 0 and less than 100"),
      (1e300, .sleepHours, ""),
    ] as [(Double, Metric, String)])
  func namesValueAndRange(quantity: Double, metric: Metric, expected: String) {
    let sentence = refusal(logged(quantity, metric))
    if expected.isEmpty {
      #expect(sentence?.hasSuffix(" h; sleep_hours must be at least 0 and at most 24 h") == true)
    } else {
      #expect(sentence == expected)
    }
  }

  @Test("A computed quantity is rounded to the 15 digits that a log holds")
  func rounds() throws {
    #expect(try decided(logged(74.97875760000001)) == logged(74.9787576).payload)
    #expect(try decided(logged(0.1 + 0.2)) == logged(0.3).payload)
    let correction = Edit.Change.correctProgress(.init(entry: live, quantity: 74.97875760000001))
    #expect(
      try decided(correction)
        == .progressCorrected(.init(entry: live, quantity: 74.9787576)))
  }

  @Test("Zero has no sign")
  func zeroHasNoSign() throws {
    let payload = try decided(logged(-0.0, .steps))
    guard case .progressLogged(let data) = payload else { return #expect(Bool(false)) }
    #expect(data.quantity.sign == .plus)
  }

  @Test("Notes have at most 500 characters")
  func notesHaveUpToFiveHundredCharacters() {
    let longest = String(repeating: "n", count: 500)
    let expected = "notes has 501 characters; it may have 500"
    #expect(refusal(logged(72, notes: "")) == nil)
    #expect(refusal(logged(72, notes: longest)) == nil)
    #expect(refusal(logged(72, notes: longest + "n")) == expected)
    #expect(refusal(.correctProgress(.init(entry: live, notes: .set(longest)))) == nil)
    #expect(refusal(.correctProgress(.init(entry: live, notes: .set(longest + "n")))) == expected)
  }

  @Test("An entry is logged once")
  func anEntryIsLoggedOnce() {
    for entry in [live, deleted] {
      #expect(
        refusal(logged(72, entry: entry))
          == "entry \(entry) is in the ledger already; correct it instead")
    }
  }

  @Test("A correction is checked against the entry's metric")
  func correctsWithTheRangeOfTheEntrysMetric() throws {
    let right = Edit.Change.correctProgress(.init(entry: live, quantity: 73))
    #expect(try decided(right) == right.payload)
    #expect(
      refusal(.correctProgress(.init(entry: live, quantity: 9000)))
        == "quantity is 9000 kg; weight must be more than 0 and less than 500 kg")
  }

  @Test("A correction needs one change")
  func oneMemberIsACorrection() throws {
    let time = ZonedTime(time: .midnight, zone: .utc)
    for edit in [
      ProgressCorrected(entry: live, date: today), ProgressCorrected(entry: live, moment: time),
      ProgressCorrected(entry: live, notes: .clear),
    ] {
      #expect(try decided(.correctProgress(edit)) == .progressCorrected(edit))
    }
  }

  @Test("A correction that changes nothing is refused")
  func refusesACorrectionThatChangesNothing()
    throws
  {
    let expected = "the correction changes nothing; give quantity, date, time or notes"
    #expect(refusal(.correctProgress(.init(entry: live))) == expected)
    let misspelt: JSONObject = ["entry": .string("\(live)"), "qantity": 73]
    #expect(refusal(.correctProgress(try .init(data: misspelt))) == expected)
  }

  @Test("Only a live entry is corrected or deleted")
  func onlyALiveEntryIsCorrectedOrDeleted()
    throws
  {
    let deletion = Edit.Change.deleteProgress(.init(entry: live, reason: "double"))
    #expect(try decided(deletion) == deletion.payload)
    #expect(
      refusal(.correctProgress(.init(entry: deleted, quantity: 1)))
        == "entry \(deleted) is deleted; it cannot be corrected")
    #expect(
      refusal(.deleteProgress(.init(entry: deleted)))
        == "entry \(deleted) is deleted already")
    for change: Edit.Change in [
      .correctProgress(.init(entry: unknown, quantity: 1)), .deleteProgress(.init(entry: unknown)),
    ] {
      let refusal = #expect(throws: Refusal.self) { try decided(change) }
      #expect(refusal?.reason == .unknownEntry && refusal?.value == "\(unknown)")
    }
  }
}
