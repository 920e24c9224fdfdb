import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore

/// What an erasure has come to, and what is left where.
struct EraseAnswer {
  /// A place where the same may still be read.
  private struct Leftover {
    var place: String
    var what: String
  }

  private let outcome: ErasureOutcome
  private let left: [Leftover]

  /// - Parameter isOwned: whether the ledger has ever been synced with an account.
  init(_ outcome: ErasureOutcome, isOwned: Bool) {
    self.outcome = outcome
    let erasure = outcome.erasure
    var left: [Leftover] = []
    func note(_ place: String, _ what: String) {
      left.append(Leftover(place: place, what: what))
    }
    for row in erasure.rows {
      note(
        "backend",
        "the backend still has row \(row); its deletion goes with the next 'ledger sync'")
    }
    for row in erasure.doubles {
      note("backend", "row \(row) there was suspected to be a double of it; delete it there")
    }
    for seq in erasure.repeatedBy {
      note("log", "event \(seq) says the same; erase it too, if it is to go")
    }
    for name in outcome.strangers {
      note(
        "folder", "\(name) beside the log repeats it and is not the ledger's; delete it yourself")
    }
    if let source = erasure.source {
      note("import", "it was imported (\(source)); importing that again brings it back")
    }
    if isOwned, erasure.entry == nil {
      note("backend", "whether the backend keeps older values, only it knows")
    }
    self.left = left
  }

  func give(_ console: Console) throws {
    do {
      try write(console)
      try console.flush()
    } catch let failure as OutputFailure where failure != .readerGone {
      console.warn("it is erased; only the answer could not be given")
      throw failure
    }
  }

  private func write(_ console: Console) throws {
    guard !console.json else { return try console.line(json.serialized) }
    let erasure = outcome.erasure
    let numbers = erasure.seqs.map { "\($0)" }.joined(separator: ", ")
    let events = erasure.seqs.count == 1 ? "event \(numbers)" : "events \(numbers)"
    let copies =
      outcome.removedCopies.isEmpty
      ? "" : " and \(counted(outcome.removedCopies.count, "copy", "copies")) in quarantine"
    let sending = erasure.queuesDeletion ? "its deletion is to be sent" : "nothing is to be sent"
    let tick = console.paint.green("✓")
    try console.line(
      "\(tick) erased the content of \(events)\(copies); the chain still verifies; \(sending)")
    for item in left { console.warn(item.what) }
    console.note("copies elsewhere (other devices, exports, backups) are not touched", .dim)
  }

  private var json: JSONObject {
    let erasure = outcome.erasure
    var object = JSONObject()
    object["erased"] = .array(erasure.seqs.map { JSONValue($0.number) })
    object["entry"] = erasure.entry.map { .string($0.description) }
    object["events"] = .array(outcome.recorded.map { JSONValue($0.seq.number) })
    object["to_send"] = .bool(erasure.queuesDeletion)
    object["backend_ids"] = .array(erasure.rows.map { .string($0.text) })
    object["removed"] = .array(outcome.removedCopies.map { .string($0) })
    object["left"] = .array(
      left.map { .object(["where": .string($0.place), "what": .string($0.what)]) })
    return object
  }
}
