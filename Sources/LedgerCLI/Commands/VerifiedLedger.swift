import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

/// What `verify` found out about one ledger.
struct VerifiedLedger: Sendable {
  let directory: LedgerDirectory
  let problems: [Damage]
  /// What became of the signature of the checkpoint that it was compared with.
  var signature: CheckpointFile.Signature?
  /// What became of a snapshot that contradicts the log.
  private(set) var wrongSnapshot: WrongSnapshot?
  private let audit: LogAudit
  private let reference: LogAudit.Reference?

  init(
    _ directory: LedgerDirectory, against reference: LogAudit.Reference? = nil,
    onProgress: (_ doneBytes: Int, _ totalBytes: Int) -> Void = { _, _ in }
  ) throws(LogError) {
    self.directory = directory
    self.reference = reference
    audit = try LogAudit(of: directory, against: reference, onProgress: onProgress)
    // Where only the byte is known, it is the first line that was not found right.
    let next = audit.verification.events + 1
    problems = audit.problems.map { found in
      Damage(line: found.line ?? next, byte: found.byte, problem: found.problem)
    }
  }

  /// With a bar while it takes long.
  init(
    _ directory: LedgerDirectory, against reference: LogAudit.Reference? = nil, on console: Console
  ) throws(LogError) {
    var bar: ProgressBar?
    try self.init(directory, against: reference) { done, total in
      if bar == nil { bar = console.progress("checking \(directory.path)", total: total) }
      bar?.advance(to: done)
    }
    bar?.finish()
  }

  var isOK: Bool { problems.isEmpty && tornTailBytes == 0 }
  var events: Int { audit.verification.events }
  var erased: Int { audit.verification.erased }
  var head: Head { audit.verification.head }
  var tornTailBytes: Int { audit.verification.tornTailBytes }
  var isHeadMissing: Bool { audit.verification.isHeadMissing }

  /// Remembers that the log was checked whole, or what is wrong with it.
  func remember(at now: Timestamp) {
    if let damage = problems.first {
      VerificationRecord.keep(damage, at: now, in: directory)
      return
    }
    VerificationRecord.keep(
      .init(ChainPosition(head), offsetBytes: head.offsetBytes, at: now), in: directory)
  }

  /// The snapshot compared with the log; `nil` where the log is not right.
  var snapshot: SnapshotAudit? { audit.snapshot }

  /// Removes a snapshot that contradicts the log.
  mutating func discardWrongSnapshot() {
    wrongSnapshot = audit.snapshot.flatMap { WrongSnapshot(discarding: $0) }
  }

  /// The event that what was kept elsewhere is of, and what has happened to it since.
  struct Since {
    let reference: LogAudit.Reference
    let seq: Int
    let events: Int
    let erased: [Int]
  }

  /// `nil` unless the log passes through what was kept elsewhere.
  var since: Since? {
    guard let reference, let seq = audit.referenceSeq else { return nil }
    return Since(
      reference: reference, seq: seq, events: events - seq, erased: audit.erasedSince)
  }

  var json: JSONObject {
    var object: JSONObject = [
      "ok": .bool(isOK), "events": JSONValue(events), "erased": JSONValue(erased),
      "head": .object(ChainPosition(head).json), "torn_tail_bytes": JSONValue(tornTailBytes),
      "problems": .array(
        problems.map { problem in
          [
            "line": JSONValue(problem.line ?? events + 1), "byte": JSONValue(problem.byte),
            "problem": .string(problem.problem),
          ]
        }),
    ]
    if isHeadMissing { object["head_file"] = "missing" }
    object["snapshot"] = wrongSnapshot.map { .string($0.word) }
    if let since {
      object["since"] = ["seq": JSONValue(since.seq), "events": JSONValue(since.events)]
      object["erased_since"] = .array(since.erased.map { JSONValue($0) })
    }
    switch signature {
    case .good?: object["signature"] = "good"
    case .notChecked?: object["signature"] = "not-checked"
    case nil: break
    }
    return object
  }

  /// For an answer about several ledgers.
  var namedJSON: JSONValue {
    .object(
      JSONObject(
        members: [.init(name: "ledger", value: .string(directory.path))] + json.members))
  }
}

/// A snapshot that contradicts the log. Finding one removes it: it is derived, and no command may
/// answer from it.
struct WrongSnapshot: Sendable {
  let isRemoved: Bool

  /// - Returns: `nil` where nothing is wrong with it.
  init?(discarding audit: SnapshotAudit) {
    guard audit.isWrong else { return nil }
    isRemoved = audit.discard()
  }

  /// In JSON.
  var word: String { isRemoved ? "discarded" : "wrong" }

  var warning: String {
    "views.snapshot does not say what the log says, so views shown from it may have been wrong; "
      + (isRemoved ? "it has been removed" : "it could not be removed: delete it")
  }
}
