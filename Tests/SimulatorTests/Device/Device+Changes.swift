import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import ReferenceBackend

/// How the entries of a story of several devices look.
struct EntryLooks: Sendable {
  /// How many live entries a device has before its person rather corrects than logs.
  var liveEntries = 3
  /// Of a hundred entries, so many have a time.
  var timedPercent = 50
  /// The offset from UTC of all devices; without one they differ, and so may the days of entries.
  var zone = ZoneOffset.utc
}

/// What people do in stories of several devices.
extension Device {
  /// Logs an entry, or corrects or deletes one.
  func change(using generator: inout SplitMix) throws {
    guard let looks else { return try edit(using: &generator) }
    let state = try app.state()
    let live = state.rows.indices.map { state.entry(at: $0) }.filter { !$0.isDeleted }
    let today = now.localTime(at: looks.zone)?.date ?? .first
    let draw = generator.below(10)
    let change: Edit.Change
    if live.isEmpty || live.count < looks.liveEntries && draw < 4 || draw == 0 {
      change = .logProgress(anyEntry(today, looks, using: &generator))
    } else if draw == 1 {
      change = .deleteProgress(ProgressDeleted(entry: generator.pick(live).id))
    } else {
      change = .correctProgress(
        anyCorrection(of: generator.pick(live), today, looks, using: &generator))
    }
    let edit = Edit(change: change)
    _ = try app.append([edit], at: now, today: today, using: &generator)
    if !disk.hasEnded { acknowledge() }
  }

  /// Appends the entries of a file, unless they are there.
  func importFile(_ seed: UInt64, using generator: inout SplitMix) throws {
    guard let looks, let first = CalendarDate("2024-02-01") else { return }
    let name = "file:\(seed)"
    guard !String(decoding: log, as: UTF8.self).contains(name) else { return }
    var file = SplitMix(seed)
    let edits = (0..<file.within(1...4)).map { place in
      let isTimed = file.below(100) < looks.timedPercent
      return Edit(
        by: .import,
        change: .logProgress(
          ProgressLogged(
            entry: .make(at: now, using: &generator), metric: .weight,
            quantity: anyQuantity(using: &file), date: first.adding(days: file.below(3)),
            moment: isTimed ? anyTime(looks, using: &file) : nil,
            notes: file.chance(1, of: 4) ? "early" : nil, source: "file",
            sourceID: "\(name):\(place)")))
    }
    let today = now.localTime(at: looks.zone)?.date ?? .first
    _ = try app.append(edits, at: now, today: today, using: &generator)
    if !disk.hasEnded { acknowledge() }
  }

  private func anyEntry(
    _ today: CalendarDate, _ looks: EntryLooks, using generator: inout SplitMix
  ) -> ProgressLogged {
    let isTimed = generator.below(100) < looks.timedPercent
    return ProgressLogged(
      entry: .make(at: now, using: &generator), metric: .weight,
      quantity: anyQuantity(using: &generator), date: today.adding(days: -generator.below(2)),
      moment: isTimed ? anyTime(looks, using: &generator) : nil,
      notes: generator.chance(1, of: 4) ? "early" : nil)
  }

  private func anyCorrection(
    of entry: EntryView, _ today: CalendarDate, _ looks: EntryLooks,
    using generator: inout SplitMix
  ) -> ProgressCorrected {
    var correction = ProgressCorrected(entry: entry.id)
    let draw = generator.below(10)
    if draw < 5 || draw == 9 { correction.quantity = anyQuantity(using: &generator) }
    if draw == 5 || draw == 9 { correction.date = today.adding(days: -generator.below(3)) }
    if draw == 6 {
      if entry.moment != nil || generator.chance(1, of: 4) {
        correction.moment = anyTime(looks, using: &generator)
      } else {
        correction.date = today.adding(days: -generator.below(3))
      }
    }
    if draw == 7 { correction.notes = .set(generator.pick(["late", "early"])) }
    if draw == 8 { correction.notes = .clear }
    return correction
  }

  private func anyQuantity(using generator: inout SplitMix) -> Double {
    let drawn = generator.below(variety)
    return variety > 100 ? 50 + Double(drawn) / 10 : Double(70 + drawn)
  }

  /// One of few times, midnight in UTC among them, unless values are to differ.
  private func anyTime(_ looks: EntryLooks, using generator: inout SplitMix) -> ZonedTime {
    let midnight = ((looks.zone.seconds % 86_400) + 86_400) % 86_400
    let second =
      variety > 100 ? generator.below(86_400) : generator.pick([28_800, 72_000, midnight])
    return ZonedTime(
      time: ClockTime(secondsSinceMidnight: second) ?? .midnight, zone: looks.zone)
  }

  /// Signs in, unless the log says that this account is signed in.
  func signIn(_ user: UserID, using generator: inout SplitMix) throws {
    guard try app.state().account.current?.userID != user.text else { return }
    let account = AccountSignedIn(
      account: SimulatedBackend.email, origin: "https://example.org", userID: user.text)
    let event = Event(
      id: .make(at: now, using: &generator), at: now, by: .system,
      payload: .accountSignedIn(account))
    _ = try app.log.append([event], using: &generator)
    if !disk.hasEnded { acknowledge() }
  }

  /// Decides a conflict that waits for a person, if there is one.
  func decideConflict(using generator: inout SplitMix) throws {
    let open = try app.state().openConflicts()
    guard !open.isEmpty else { return }
    let conflict = generator.pick(open).seq
    let side = generator.pick([ConflictSide.local, .remote])
    do {
      _ = try app.resolve(
        conflict, taking: side, in: looks.map { .fixed($0.zone) } ?? .current, at: now,
        using: &generator)
      if !disk.hasEnded { acknowledge() }
    } catch is ConflictRefusal {
      // An answer like any other: nothing was written.
    }
  }

  /// Decides a suspicion that waits for a person, if there is one.
  func decideSuspicion(using generator: inout SplitMix) throws {
    let open = try app.state().suspicions().filter(\.isOpen)
    guard !open.isEmpty else { return }
    let resolved = DuplicateResolved(
      suspicion: generator.pick(open).seq, decision: generator.pick([.one, .both]))
    let event = Event(
      id: .make(at: now, using: &generator), at: now, by: .user,
      payload: .duplicateResolved(resolved))
    _ = try app.log.append([event], using: &generator)
    if !disk.hasEnded { acknowledge() }
  }
}
