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
      if let problem = try view.remainder(of: erasures) { throw LogError.damaged(problem.damage) }
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
    var isBySync: Bool

    init(_ type: String, _ data: String, _ isErased: Bool, isBySync: Bool) {
      self.type = type
      self.data = (try? JSONValue(parsing: data))?.object ?? JSONObject()
      self.isErased = isErased
      self.isBySync = isBySync
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
      // What one after the other says of one entry is one erasure, and so is what older versions wrote
      // at one time.
      if end + 1 < records.endIndex, records[end + 1].seq == records[end].seq + 1,
        records[end].subject["fields"] == nil,
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
      ["sync.acknowledged", "sync.differed"].contains(line.type) && !line.isErased
        && line.data["entry"] != nil
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
    let known = Set(EventKind.allCases.map(\.rawValue))
    if let entry = subject["entry"]?.string {
      let owners = records.filter { lines[$0.event - 1].type.hasPrefix("progress.") }
        .compactMap { owner(of: $0.event) }
      return isOneEntry(records.map(\.event).sorted(), or: shared)
        && owners.allSatisfy { $0 == entry } && isGone(entry, before: records.last!.seq)
        && isSettled(entry, records) && !hasOrphan(records, ofOlderVersion: false)
    }
    if let fields = subject["fields"]?.array, !fields.isEmpty {
      // The forgeries name the bio.
      return isDecidedOnce(records.map(\.event))
        && types.allSatisfy {
          (["profile.updated"] + shared + ["sync.acknowledged", "profile.pulled"]).contains($0)
        } && types.contains("profile.updated")
    }
    let areAlone = types.allSatisfy {
      $0 == "goal.set" || !known.contains($0) && !$0.hasPrefix("account.")
    }
    return areAlone || isErasureOfOlderVersion(records, types, shared)
  }

  /// Records without a subject, as the forgeries write them: for the whole log.
  private func isErasureOfOlderVersion(
    _ records: ArraySlice<Record>, _ types: [String], _ shared: [String]
  ) -> Bool {
    if types.contains(where: { $0.hasPrefix("progress.") }) {
      let entry = records.lazy.compactMap { owner(of: $0.event) }.first
      let subject = entry ?? "unknown"
      let owners = records.filter { lines[$0.event - 1].type.hasPrefix("progress.") }
        .compactMap { owner(of: $0.event) }
      return isOneEntry(records.map(\.event).sorted(), or: shared)
        && owners.allSatisfy { $0 == subject } && isGone(subject, before: records.last!.seq)
        && isSettled(subject, records) && (entry != nil || !hasOrphan(records))
    }
    let edits = ["profile.updated", "physical.updated", "preferences.updated"]
    return isDecidedOnce(records.map(\.event))
      && types.allSatisfy {
        (edits + shared + ["sync.acknowledged", "profile.pulled"]).contains($0)
      } && types.count(where: edits.contains) == 1
  }

  /// Whether a correction or deletion that can be of no other entry is left between a logging and its
  /// records.
  private func hasOrphan(_ records: ArraySlice<Record>, ofOlderVersion isOlder: Bool = true) -> Bool
  {
    let erased = lines.indices.filter { lines[$0].isErased }.map { $0 + 1 }
    var known = Set(
      lines.filter { !$0.isErased && ["progress.logged", "progress.pulled"].contains($0.type) }
        .compactMap { $0.data["entry"]?.string } + erased.compactMap(owner))
    var unknown = Int.max
    for record in lines where record.type == "event.erased" && !record.isErased {
      if let entry = record.data["entry"]?.string { known.insert(entry) }
      let event = record.data["event"]?.integer ?? 0
      guard record.data["entry"] == nil, record.data["fields"] == nil, erased.contains(event),
        lines[event - 1].type.hasPrefix("progress."), owner(of: event) == nil
      else { continue }
      unknown = min(unknown, event)
    }
    let logged = records.map(\.event).min()!
    return (logged..<(records.first!.seq - 1)).contains { index in
      let line = lines[index]
      guard !line.isErased, !known.contains(line.data["entry"]?.string ?? "") else { return false }
      return line.type == "progress.corrected" && (isOlder || index + 1 < unknown)
        || line.type == "progress.deleted" && !isOlder && index + 1 < unknown
    }
  }

  /// Whether each of these decisions has a conflict before it.
  private func isDecidedOnce(_ events: [Int]) -> Bool {
    events.allSatisfy { event in
      lines[event - 1].type != "conflict.resolved"
        || events.contains { $0 < event && lines[$0 - 1].type == "conflict.detected" }
    }
  }

  /// Whether these events, in order, can be one entry's: logged first, and again only after a deletion.
  private func isOneEntry(_ events: [Int], or shared: [String]) -> Bool {
    var mayBeLogged = true
    var isLogged = false
    var spare = 0
    for event in events {
      switch lines[event - 1].type {
      case "progress.logged", "progress.pulled":
        guard mayBeLogged || spare > 0 else { return false }
        if !mayBeLogged { spare -= 1 }
        (mayBeLogged, isLogged) = (false, true)
      case "progress.deleted": spare += 1
      case "progress.corrected": break
      case let type: guard shared.contains(type) else { return false }
      }
      guard isLogged else { return false }
    }
    return isDecidedOnce(events)
  }

  /// Whether a person changed an entry that was deleted.
  private func isChangedAfterDeletion(_ taken: [Int]) -> Bool {
    var isDeleted = false
    for event in taken.sorted() where lines[event - 1].type.hasPrefix("progress.") {
      let line = lines[event - 1]
      let isDeletion = line.type == "progress.deleted"
      if isDeleted, !line.isBySync, isDeletion || line.type == "progress.corrected" { return true }
      isDeleted = isDeletion && naming([event], ["edit.undone"]).isEmpty
    }
    return false
  }

  // MARK: Calls

  /// The seqs of the lines that have their content, have one of these types, and name one of these events.
  private func naming(_ taken: [Int], _ types: [String]) -> [Int] {
    lines.indices.filter { index in
      let line = lines[index]
      let events = line.data["events"]?.array ?? [line.data["event"]].compactMap(\.self)
      return !line.isErased && types.contains(line.type)
        && events.contains { $0.integer.map(taken.contains) ?? false }
    }.map { $0 + 1 }
  }

  /// Whether an edit was sent before a line without an answer since; one that was acknowledged is not sent
  /// again.
  private func isInDoubt(
    _ taken: [Int], erasedAnswers: [Int], _ first: Int, _ replaced: Int
  ) -> Bool {
    let told = naming(
      taken,
      [
        "sync.attempted", "sync.acknowledged", "sync.deferred", "sync.rejected", "sync.differed",
        "sync.held", "edit.undone",
      ])
    var doubts: Set<Int> = []
    var acknowledged: Set<Int> = []
    for seq in (told + erasedAnswers).sorted() where seq < first {
      let line = lines[seq - 1]
      let named = line.data["events"]?.array ?? [line.data["event"]].compactMap(\.self)
      let events = named.compactMap(\.integer)
      switch line.type {
      case _ where line.isErased: doubts = []
      case "sync.attempted":
        if seq > replaced { doubts.formUnion(events.filter { !acknowledged.contains($0) }) }
      case "sync.acknowledged":
        if seq > replaced { acknowledged.formUnion(events) }
        doubts.subtract(events)
      default: doubts.subtract(events)
      }
    }
    return !doubts.isEmpty
  }

  /// Whether the calls for an entry, their answers and its rows allow its erasure.
  private func isSettled(_ entry: String, _ records: ArraySlice<Record>) -> Bool {
    let taken = records.map(\.event)
    let first = records.first!.seq
    if isChangedAfterDeletion(taken) { return false }
    func isOfEntry(_ seq: Int) -> Bool { lines[seq - 1].data["entry"]?.string == entry }
    func erased(_ types: String...) -> [Int] {
      taken.filter { types.contains(lines[$0 - 1].type) }.sorted()
    }
    let differed = naming(taken, ["sync.differed"]).filter(isOfEntry)
    if (naming(taken, ["sync.rejected"]) + differed).contains(where: { $0 < first }) {
      return false
    }
    let replaced = lines.lastIndex { $0.type == "account.replaced" && !$0.isErased } ?? -1
    let calls = naming(taken, ["sync.attempted"])
    let bindings = naming(taken, ["sync.acknowledged"]).filter {
      isOfEntry($0) && lines[$0 - 1].data["backend_id"] != nil
    }
    // Answers that no call had.
    let answered = lines.filter { line in
      !line.isErased
        && ["sync.acknowledged", "sync.rejected", "sync.differed", "sync.deferred"].contains(
          line.type)
    }.compactMap { $0.data["call"]?.string }
    let open = calls.filter { !answered.contains(lines[$0 - 1].data["call"]?.string ?? "") }
    let isBound = !bindings.isEmpty || taken.contains { lines[$0 - 1].type == "progress.pulled" }
    let needsRow = taken.contains { event in
      guard event > replaced + 1 else { return false }
      let line = lines[event - 1]
      return ["sync.differed", "conflict.detected"].contains(line.type)
        || line.isBySync && line.type.hasPrefix("progress.")
    }
    if needsRow, !isBound { return false }
    let answers = erased("sync.rejected")
    for (count, answer) in answers.enumerated()
    where open.count(where: { $0 < answer }) <= count {
      return false
    }
    if isInDoubt(
      taken, erasedAnswers: erased("sync.rejected", "sync.differed"), first, replaced + 1)
    {
      return false
    }
    let isDeleted =
      !erased("progress.deleted").isEmpty
      || lines.contains {
        !$0.isErased && $0.type == "progress.deleted" && $0.data["entry"]?.string == entry
      }
    if isDeleted { return true }
    let hasUnboundRow = erased("progress.pulled").contains { pulled in
      pulled > replaced + 1
        && !bindings.contains { naming([pulled], ["sync.acknowledged"]).contains($0) }
    }
    func isDeletion(_ seq: Int) -> Bool {
      [204, 404].contains(lines[seq - 1].data["status"]?.integer)
    }
    func row(_ seq: Int) -> String? { lines[seq - 1].data["backend_id"]?.string }
    let gone = Set(bindings.filter(isDeletion).map(row))
    return !hasUnboundRow
      && !bindings.contains {
        !isDeletion($0) && $0 > replaced + 1 && !gone.contains(row($0))
      }
  }
}
