import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections
@testable import LedgerStore

/// Every reader that folds or scans a log.
enum ErasureReaders {
  /// The lines of the damage that they agree on.
  static func damage(_ log: HandWrittenLog, in folder: TemporaryFolder) throws -> [Int] {
    let directory = try log.write(to: folder)
    let view = try LogView.open(directory)
    let audit = try LogAudit(of: directory)
    let lines = audit.problems.compactMap(\.line)
    var split = Replay.Options(threads: 3)
    split.smallestRangeBytes = 600
    for options in [Replay.Options(threads: 1), Replay.Options(verifies: false), split] {
      let outcome = try Replay.run(view, options)
      #expect(outcome.damage?.line == lines.first, "replay")
      #expect(outcome.damage == audit.problems.first, "replay")
    }
    var slow = BatchReader(from: .start, offsetBytes: 0, checks: .chain)
    slow.isFast = false
    try slow.read(view, to: view.endBytes)
    var state = LedgerState()
    state.join(&slow)
    #expect(try state.erasureDamage(in: view)?.line == lines.first, "the reference reader")
    #expect(try Replay.trace(view) { _ in true }.damage?.line == lines.first, "trace")
    let stops = try Replay.run(view, verifies: true, stops: [1, 2, 5]) { _ in }
    #expect(stops.damage?.line == lines.first, "stops")
    func line(_ read: () throws -> Void) -> Int? {
      do {
        try read()
      } catch LogError.damaged(let damage) {
        return damage.line
      } catch {
        Issue.record(error)
      }
      return nil
    }
    #expect(line { _ = try LedgerStore(directory).state() } == lines.first, "views")
    #expect(line { _ = try LedgerStore(directory).verifiedState() } == lines.first, "sync")
    let exported = line {
      let erasures = try view.forEachVerifiedWindow { _, _ in true }
      if let damage = try view.remainder(of: erasures) { throw LogError.damaged(damage) }
    }
    #expect(exported == lines.first, "export")
    return lines
  }
}

/// The rule stated differently: some partition of the records is a sequence of erasures.
struct ErasureOracle {
  struct Line {
    var type: String
    var data: JSONObject
    var isErased: Bool

    init(_ type: String, _ data: String, _ isErased: Bool) {
      self.type = type
      self.data = (try? JSONValue(parsing: data))?.object ?? JSONObject()
      self.isErased = isErased
    }
  }

  var lines: [Line]

  private struct Record {
    var seq: Int
    var event: Int
    var subject: JSONObject
  }

  var isRight: Bool {
    let records = lines.enumerated().compactMap { index, line -> Record? in
      guard line.type == "event.erased", !line.isErased, let event = line.data["event"]?.integer,
        event <= index, lines[event - 1].isErased
      else { return nil }
      var subject = line.data
      subject["event"] = nil
      subject["reason"] = nil
      return Record(seq: index + 1, event: event, subject: subject)
    }
    let erased = lines.indices.filter { lines[$0].isErased }.map { $0 + 1 }
    let named = lines.filter { $0.type == "event.erased" && !$0.isErased }
    guard named.allSatisfy({ erased.contains($0.data["event"]?.integer ?? 0) }) else {
      return false
    }
    guard records.map(\.event).sorted() == erased else { return false }
    return canSplit(records[...])
  }

  private func canSplit(_ records: ArraySlice<Record>) -> Bool {
    if records.isEmpty { return true }
    return records.indices.contains { end in
      let first = records[records.startIndex...end]
      // What one after the other says of one entry is one erasure.
      if end + 1 < records.endIndex, records[end + 1].seq == records[end].seq + 1,
        records[end].subject["entry"] != nil,
        records[end + 1].subject == records[end].subject
      {
        return false
      }
      let isRun = zip(first, first.dropFirst()).allSatisfy { $0.seq + 1 == $1.seq }
      return isRun && isErasure(first) && canSplit(records[(end + 1)...])
    }
  }

  /// The entry that the last answer to an event names.
  private func owner(of event: Int) -> String? {
    lines[event...].last { line in
      line.type == "sync.acknowledged" && !line.isErased && line.data["entry"] != nil
        && line.data["events"]?.array?.contains { $0.integer == event } == true
    }?.data["entry"]?.string
  }

  /// Whether nothing is left of an entry before a line but deletions without a reason.
  private func isGone(_ entry: String, before seq: Int) -> Bool {
    !lines[..<(seq - 1)].contains { line in
      !line.isErased
        && (line.data["entry"]?.string == entry
          && (["progress.logged", "progress.pulled", "progress.corrected"].contains(line.type)
            || line.type == "progress.deleted" && line.data["reason"] != nil)
          || line.type == "conflict.detected" && line.data["subject"]?.string == entry)
    }
  }

  private func isErasure(_ records: ArraySlice<Record>) -> Bool {
    let subject = records.first!.subject
    guard records.allSatisfy({ $0.subject == subject }) else { return false }
    let types = records.map { lines[$0.event - 1].type }
    let shared = ["conflict.detected", "conflict.resolved", "sync.rejected", "sync.differed"]
    let loggings = types.count { $0 == "progress.logged" || $0 == "progress.pulled" }
    let deletions = types.count { $0 == "progress.deleted" }
    let known = Set(EventKind.allCases.map(\.rawValue))
    if let entry = subject["entry"]?.string {
      let allowed =
        shared + ["progress.logged", "progress.pulled", "progress.corrected", "progress.deleted"]
      let owners = records.filter { lines[$0.event - 1].type.hasPrefix("progress.") }
        .compactMap { owner(of: $0.event) }
      return types.allSatisfy(allowed.contains) && (1...1 + deletions).contains(loggings)
        && owners.allSatisfy { $0 == entry } && isGone(entry, before: records.last!.seq)
    }
    let edits = ["profile.updated", "physical.updated", "preferences.updated"]
    if types.allSatisfy({ (edits + shared + ["sync.acknowledged", "profile.pulled"]).contains($0) })
    {
      return types.contains(where: edits.contains)
    }
    if types.count == 1, !known.contains(types[0]), !types[0].hasPrefix("account.") { return true }
    let ofEntry =
      shared + ["progress.logged", "progress.pulled", "progress.corrected", "progress.deleted"]
    let owners = records.filter { lines[$0.event - 1].type.hasPrefix("progress.") }
      .compactMap { owner(of: $0.event) }
    return subject["fields"] == nil && types.allSatisfy(ofEntry.contains) && loggings == 1
      && owners.allSatisfy { isGone($0, before: records.last!.seq) }
  }
}
