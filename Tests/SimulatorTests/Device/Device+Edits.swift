import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport

/// What a person does at a device.
extension Device {
  /// Few different values, so that entries look alike.
  func edit(using generator: inout SplitMix) throws {
    let moment = Self.localTime(at: now)
    let change = try anyChange(moment, using: &generator)
    let edit = Edit(
      id: generator.chance(1, of: 8) ? .make(at: now, using: &generator) : nil, change: change)
    let outcome = try app.append([edit], at: now, today: moment.date, using: &generator)
    guard !disk.hasEnded else { return }
    acknowledge()
    // Who did not hear the answer asks again, by the same id.
    guard edit.id != nil else { return }
    let again = try app.append([edit], at: now, today: moment.date, using: &generator)
    guard case .appended(let first) = outcome.edits[0], !disk.hasEnded else { return }
    guard again.edits == [.known(first.seq)] else {
      throw Violation(.onlyKnownErrors, "device \(name): asked twice, it was written twice")
    }
  }

  private func anyChange(
    _ wall: (date: CalendarDate, time: ClockTime, zone: ZoneOffset), using generator: inout SplitMix
  ) throws(LogError) -> Edit.Change {
    let quantity = Double(generator.within(70...69 + variety))
    let state = try app.state()
    let live = state.rows.indices.map { state.entry(at: $0) }.filter { !$0.isDeleted }
    let entry = live.isEmpty ? nil : generator.pick(live).id
    switch (generator.below(12), entry) {
    case (let draw, _) where draw < 3:
      return profileChange(draw, heightCM: 100 + quantity, using: &generator)
    case (3...4, let entry?):
      return .correctProgress(ProgressCorrected(entry: entry, quantity: quantity))
    case (5, let entry?):
      return .correctProgress(ProgressCorrected(entry: entry, notes: .set("late")))
    case (6...7, let entry?): return .deleteProgress(ProgressDeleted(entry: entry))
    default:
      let id = EntryID.make(at: now, using: &generator)
      let isTimed = generator.chance(1, of: 3)
      return .logProgress(
        ProgressLogged(
          entry: id, metric: .weight, quantity: quantity, date: wall.date,
          moment: isTimed ? ZonedTime(time: wall.time, zone: wall.zone) : nil))
    }
  }

  private func profileChange(
    _ draw: Int, heightCM: Double, using generator: inout SplitMix
  ) -> Edit.Change {
    switch draw {
    case 0:
      let name = generator.pick(["Ada", "Bea", "Cleo"])
      return .updateProfile(ProfileUpdated(name: name, preferredUnitSystem: .metric))
    case 1: return .updatePhysical(PhysicalUpdated(heightCM: heightCM))
    default:
      let lists = [["nuts"], ["milk", "soy"], []]
      return .updatePreferences(PreferencesUpdated(allergies: generator.pick(lists)))
    }
  }

  func changeProfile(using generator: inout SplitMix) throws {
    let height = Double(generator.within(170...172))
    let change = profileChange(generator.below(3), heightCM: height, using: &generator)
    _ = try app.append(
      [Edit(change: change)], at: now, today: now.utc?.date ?? .first, using: &generator)
    if !disk.hasEnded { acknowledge() }
  }

  /// Deletes an entry, if there is one.
  func withdraw(using generator: inout SplitMix) throws {
    let state = try app.state()
    let live = state.rows.indices.map { state.entry(at: $0) }.filter { !$0.isDeleted }
    guard !live.isEmpty else { return }
    let deleted = ProgressDeleted(entry: generator.pick(live).id)
    _ = try app.append(
      [Edit(change: .deleteProgress(deleted))], at: now, today: now.utc?.date ?? .first,
      using: &generator)
    if !disk.hasEnded { acknowledge() }
  }

  /// A batch of lines of any length, as an import appends it.
  func note(using generator: inout SplitMix) throws {
    let count = generator.chance(1, of: 4) ? generator.within(2...12) : 1
    try note(
      lengths: (0..<count).map { _ in
        generator.chance(1, of: 6) ? 1_500 : generator.below(60)
      }, using: &generator)
  }

  func note(lengths: [Int], using generator: inout SplitMix) throws {
    let events = lengths.map { length in
      let text = String(repeating: "n", count: length)
      return Event(
        id: .make(at: now, using: &generator), at: now, by: .user,
        payload: .unknown(type: "test.note", version: 1, data: ["text": .string(text)]))
    }
    do throws(LogError) {
      _ = try app.log.append(events, using: &generator)
    } catch {
      try expectRefused(events, error)
      switch error {
      case .notKept, .unsettled: try expectPoisoned(using: &generator)
      default: break
      }
      throw error
    }
    if !disk.hasEnded { acknowledge() }
  }

  /// A handle whose sync has failed writes no more.
  private func expectPoisoned(using generator: inout SplitMix) throws {
    do throws(LogError) {
      _ = try app.log.append([], using: &generator)
    } catch {
      guard error != .poisoned else { return }
    }
    throw Violation(.onlyKnownErrors, "device \(name): a handle goes on after a failed sync")
  }

  /// Writes a snapshot, as one comes about in a log that has grown long.
  func keepSnapshot() throws {
    try FoldedLog(try LogView.open(directory)).keepSnapshot()
  }

  /// Looks at the ledger, as `show` does. Whatever fails meanwhile, it has no less than was
  /// acknowledged, or says so.
  func look() throws {
    let state = try app.state()
    guard state.offsetBytes >= acknowledged.count || disk.hasEnded else {
      throw Violation(
        .acknowledgedSurvives,
        "device \(name): a reader saw \(state.offsetBytes) bytes of \(acknowledged.count)")
    }
  }

  /// A wall clock in a zone that changes its offset at 01:00 UTC on two nights of the year.
  private static func localTime(
    at instant: Timestamp
  ) -> (date: CalendarDate, time: ClockTime, zone: ZoneOffset) {
    let changes: [(milliseconds: Int64, minutes: Int)] = [
      (1_774_746_000_000, 120), (1_792_890_000_000, 60),
    ]
    let minutes = changes.last { $0.milliseconds <= instant.millisecondsSince1970 }?.minutes ?? 60
    let zone = ZoneOffset(minutes: minutes) ?? .utc
    let wall = instant.localTime(at: zone)
    return (wall?.date ?? .first, wall?.time ?? .midnight, zone)
  }
}
