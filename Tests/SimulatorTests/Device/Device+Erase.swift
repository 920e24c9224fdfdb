import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import ReferenceBackend

/// What a person wants to be forgotten.
struct Secrets {
  /// The events that lose content by erasures that were begun and did not return: a failed call may
  /// have had its effect.
  var begun: [Set<Int>] = []
  /// Notes of entries erased before any call was attempted for them: nobody may ever hear of them.
  var neverSent: Set<String> = []
  private var count = 0

  /// Notes that stand nowhere else.
  mutating func next(_ device: Int) -> String {
    count += 1
    return "secret \(device)-\(count)-"
  }
}

extension Device {
  /// Logs an entry with notes by which it is known wherever it turns up, and takes another name.
  func confide(using generator: inout SplitMix) throws {
    let today = now.utc?.date ?? .first
    let name = ProfileUpdated(name: "name \(generator.below(4))")
    let entry = ProgressLogged(
      entry: .make(at: now, using: &generator), metric: .weight,
      quantity: Double(generator.within(70...72)), date: today, notes: secrets.next(self.name))
    _ = try app.append(
      [Edit(change: .logProgress(entry)), Edit(change: .updateProfile(name))], at: now,
      today: today, using: &generator)
    if !disk.hasEnded { acknowledge() }
  }

  /// Erases some entry or profile edit, whatever has become of it. When that returns, no file of the
  /// ledger holds it.
  func erase(using generator: inout SplitMix) throws {
    let state = try app.state()
    // Most profile edits are in force, or not sent yet.
    let edits = ProfileSubject.allCases.flatMap(state.profile.edits(of:)).filter {
      (try? app.erasures(of: [Seq($0)])) != nil
    }
    guard state.rows.count + edits.count > 0 else { return }
    let isOfProfile = !edits.isEmpty && (state.rows.isEmpty || generator.chance(1, of: 2))
    let row = isOfProfile ? nil : generator.below(state.rows.count)
    let seq = Seq(row.map { Int(state.rows[$0].seq) } ?? generator.pick(edits))
    let before = secrets.begun
    // The backend has a pulled row before it is erased here.
    let wasSent =
      row.map { row in
        state.rows[row].isPulled
          || state.allEdits(ofRow: row).contains { state.edits.attempts($0.number) > 0 }
      } ?? true
    do {
      let planned = try app.erasures(of: [seq])[0]
      let texts = try notes(of: planned)
      secrets.begun.append(Set(planned.seqs.map(\.number)))
      let lock = try FileLock(directory.syncLock, .exclusive, waitSeconds: 0, on: disk)
      _ = try app.erase([seq], reason: "a story", holding: lock, at: now, using: &generator)
      guard !disk.hasEnded else { return }
      secrets.begun = []
      acknowledge()
      experience.note(row == nil ? "erased of the profile" : "erased")
      try expectForgotten(texts)
      if !wasSent { secrets.neverSent.formUnion(texts) }
    } catch is EraseRefusal {
      // An answer like any other: nothing was written.
      secrets.begun = before
    }
  }

  /// The notes that stand in nothing but what is erased: of a row that the network doubled, two
  /// entries may have been pulled.
  private func notes(of erasure: Erasure) throws -> Set<String> {
    // Like the plan, with an append that a power cut interrupted and no writer has confirmed yet.
    let view = try app.view()
    let texts = Set(
      try erasure.seqs.compactMap { seq in
        switch try view.line(seq).event().event.payload {
        case .progressLogged(let data): data.notes
        case .progressPulled(let data): data.notes
        default: nil
        }
      }.filter { $0.hasPrefix("secret") })
    let kept = log.split(separator: 0x0A).enumerated().filter { line in
      !erasure.seqs.contains(Seq(line.offset + 1))
    }
    return texts.filter { text in
      !kept.contains { $0.element.firstRange(of: Array(text.utf8)) != nil }
    }
  }

  private func expectForgotten(_ texts: Set<String>) throws {
    // Planned disk faults are over: a person looks now.
    disk.plan(nil, seed: 0)
    let sweep = try FolderSweep(directory, repeating: texts.map { Array($0.utf8) })
    let files = [directory.events, directory.snapshot, directory.snapshot + ".tmp"]
    for text in texts {
      let holds = files.contains { disk.cached($0).firstRange(of: Array(text.utf8)) != nil }
      guard !holds, sweep.copies.isEmpty, sweep.foreignFiles.isEmpty else {
        throw Violation(.erasedIsGone, "device \(name): \(text) is in a file still")
      }
    }
  }

  /// Nobody heard of what was erased before it was ever sent.
  func checkNeverSent(_ backend: SimulatedBackend) throws {
    for row in backend.rows {
      guard let notes = row.notes, secrets.neverSent.contains(notes) else { continue }
      throw Violation(.erasedIsGone, "device \(name): the backend has \(notes), erased unsent")
    }
  }

  /// Whether a log is what erasures that were cut off have made of another: every line of it is
  /// there with its place and its hash, and of each erasure the content of all that was to go is
  /// gone, or none.
  func isErased(_ old: [UInt8], in new: [UInt8]) -> Bool {
    let newLines = new.split(separator: 0x0A)
    let oldLines = old.split(separator: 0x0A)
    guard newLines.count >= oldLines.count else { return false }
    var erased: Set<Int> = []
    for (index, (before, after)) in zip(oldLines, newLines).enumerated()
    where !before.elementsEqual(after) {
      guard after.suffix(75).elementsEqual(before.suffix(75)),
        after.firstRange(of: Array(#""erased":""#.utf8)) != nil
      else { return false }
      erased.insert(index + 1)
    }
    let known = secrets.begun.map { seqs in seqs.filter { $0 <= oldLines.count } }
    return erased.isSubset(of: known.reduce(into: []) { $0.formUnion($1) })
      && known.allSatisfy { $0.isSubset(of: erased) || $0.isDisjoint(with: erased) }
  }
}
