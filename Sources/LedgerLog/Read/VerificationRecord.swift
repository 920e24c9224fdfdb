import LedgerJSON
public import LedgerModel
package import LedgerPlatform

/// The content of the file `verified`: the last whole check of the log, and the progress of the
/// current check in parts. It proves nothing to others: any writer of the log can write this file.
package struct VerificationRecord: Hashable, Sendable {
  /// A log found intact up to some event.
  package struct Whole: Hashable, Sendable {
    package var position: ChainPosition
    /// The log's length after it.
    package var offsetBytes: Int
    package var at: Timestamp
    /// The file that was read; a copy has another identity.
    fileprivate var file: FileIdentity?

    package init(
      _ position: ChainPosition, offsetBytes: Int, at: Timestamp, of file: FileIdentity?
    ) {
      (self.position, self.offsetBytes, self.at) = (position, offsetBytes, at)
      self.file = file
    }
  }

  /// Damage found by the last check.
  package struct Broken: Hashable, Sendable {
    package var problem: String
    package var at: Timestamp
  }

  fileprivate struct Pass: Hashable, Sendable {
    var position: ChainPosition
    var offsetBytes: Int
    /// Whether any line so far was erased or records an erasure.
    var hasErasures: Bool
    var file: FileIdentity?
  }

  package fileprivate(set) var whole: Whole?
  /// `nil` if a later whole check found no damage.
  package fileprivate(set) var broken: Broken?
  fileprivate var pass: Pass?

  fileprivate init() {}

  /// Empty if the file is missing or unreadable: it may be deleted at any time. What it says of another file
  /// than the log, as in a copied folder, is ignored, except for damage.
  package init(_ directory: LedgerDirectory) {
    guard let file = try? OpenFile(directory.verified, .read, on: directory.disk),
      let bytes = try? file.bytes(in: 0..<4096),
      let object = (try? JSONValue(parsing: bytes))?.object
    else { return }
    let identity: FileIdentity?? = try? OpenFile.identity(of: directory.events, on: directory.disk)
    let log = identity.flatMap(\.self)
    let isOfLog = object["file"]?.string == log.map(Self.text)
    if isOfLog, let (position, offset) = Self.place(object),
      let at = object["at"]?.string.flatMap({ Timestamp($0) })
    {
      whole = Whole(position, offsetBytes: offset, at: at, of: log)
    }
    if let found = object["damage"]?.object, let problem = found["problem"]?.string,
      let at = found["at"]?.string.flatMap({ Timestamp($0) })
    {
      broken = Broken(problem: problem, at: at)
    }
    if isOfLog, let object = object["pass"]?.object, let (position, offset) = Self.place(object) {
      pass = Pass(
        position: position, offsetBytes: offset, hasErasures: object["erasures"]?.bool ?? true,
        file: log)
    }
  }

  /// The number in the file system.
  private static func text(_ file: FileIdentity) -> String { "\(file.inode)" }

  private static func place(_ object: JSONObject) -> (ChainPosition, Int)? {
    guard let seq = object["seq"]?.integer, seq > 0,
      let offset = object["offset"]?.integer, offset > 0,
      let hash = object["hash"]?.string.flatMap({ ChainHash(Array($0.utf8)) })
    else { return nil }
    return (ChainPosition(seq: seq, hash: hash), offset)
  }

  private static func members(_ position: ChainPosition, _ offsetBytes: Int) -> JSONObject {
    [
      "seq": JSONValue(position.seq), "hash": .string(position.hash.description),
      "offset": JSONValue(offsetBytes),
    ]
  }

  /// Ignores failures: the folder may be read-only, and the record is only a cache.
  fileprivate func write(to directory: LedgerDirectory) {
    guard !directory.isReadOnly else { return }
    var object = JSONObject()
    if let whole {
      object = Self.members(whole.position, whole.offsetBytes)
      object["at"] = .string(whole.at.description)
    }
    if let broken {
      object["damage"] = [
        "problem": .string(broken.problem), "at": .string(broken.at.description),
      ]
    }
    if let pass {
      var members = Self.members(pass.position, pass.offsetBytes)
      members["erasures"] = .bool(pass.hasErasures)
      object["pass"] = .object(members)
    }
    object["file"] = (pass?.file ?? whole?.file).map { .string(Self.text($0)) }
    try? AtomicFile.replace(
      directory.verified, with: Array((object.serialized + "\n").utf8), on: directory.disk,
      isDurable: false)
  }

  /// The last whole check of a log.
  ///
  /// - Returns: `nil` if there was none, or if it was of a log that an erasure has since replaced.
  package static func lastWhole(of view: LogView) -> Whole? {
    guard let whole = VerificationRecord(view.directory).whole,
      whole.offsetBytes <= view.endBytes,
      (try? view.position(after: whole.offsetBytes)) == whole.position
    else { return nil }
    return whole
  }

  /// Records that a log is intact up to an event.
  package static func keep(_ whole: Whole, in directory: LedgerDirectory) {
    guard whole.position.seq > 0 else { return }
    var record = VerificationRecord()
    record.whole = whole
    record.write(to: directory)
  }

  package static func keep(_ damage: Damage, at now: Timestamp, in directory: LedgerDirectory) {
    var record = VerificationRecord()
    record.broken = Broken(problem: damage.description, at: now)
    record.write(to: directory)
  }

  /// Records the damage that ended a check of a whole log; other errors say nothing about it.
  package static func keep(
    damageIn error: any Error, at now: Timestamp, in directory: LedgerDirectory
  ) {
    if case .damaged(let damage)? = error as? LogError { keep(damage, at: now, in: directory) }
  }
}

extension LedgerDirectory {
  /// The file of ``VerificationRecord``.
  package var verified: String { path + "/verified" }
}

/// The result of verifying part of a log.
public struct PartialVerification: Hashable, Sendable {
  /// The events checked; `nil` if there were none.
  public var seqs: ClosedRange<Seq>?
  /// The log's last event at the time of the check; `nil` if it has none that can be read.
  public var lastSeq: Seq?
  /// Whether the check reached the end of the log; the next one then begins at line 1.
  public var isComplete: Bool
  /// Damage; later checks report it again.
  public var damage: Damage?
  /// The first event that cannot be understood, if the log has erasures and was checked to its end:
  /// whether the erasures are right is then unknown.
  public var uncheckedErasures: Damage?

  /// Verifies the next part of a log: the form and chain of each line from where the last check
  /// stopped, and at the end of the log the rule for erasures. The file `verified` keeps the progress;
  /// if an erasure replaced the log, the check begins at line 1.
  ///
  /// - Parameters:
  ///   - directory: the log's; a read-only one is always verified whole, since nothing keeps the progress.
  ///   - mostBytes: approximate limit. At the end of a log with erasures, the whole log is read again
  ///     without its hashes.
  ///   - now: the time to record for the check.
  ///   - remainder: the part of the rule for erasures that a fold of the log checks.
  /// - Throws: ``LogError`` for what prevents reading the log; damage is in the result.
  package static func verify(
    _ directory: LedgerDirectory, mostBytes: Int, at now: Timestamp,
    remainder: (LogView, Erasures) throws(LogError) -> ErasureProblem?
  ) throws(LogError) -> PartialVerification {
    let view: LogView
    do throws(LogError) {
      view = try LogView.open(directory)
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      return PartialVerification(seqs: nil, lastSeq: nil, isComplete: false, damage: damage)
    }
    let mostBytes = directory.isReadOnly ? view.endBytes : mostBytes
    var record = directory.isReadOnly ? VerificationRecord() : VerificationRecord(directory)
    var verifier = Verifier()
    var hasErasures = record.resume(&verifier, in: view)
    let first = verifier.scan.position.seq + 1
    var result = PartialVerification(
      seqs: nil, lastSeq: try view.lastLine().flatMap { Seq(exactly: $0.seq) }, isComplete: false)
    do throws(LogError) {
      try verifier.read(view, mostBytes: mostBytes)
      hasErasures = hasErasures || !verifier.erasures.isEmpty
      result.isComplete = verifier.scan.offsetBytes >= view.endBytes
      if result.isComplete, hasErasures { try result.checkErasures(view, remainder) }
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      result.isComplete = false
      result.damage = damage
    }
    let last = verifier.scan.position.seq
    if last >= first { result.seqs = Seq(first)...Seq(last) }
    record.note(result, verifier.scan, hasErasures, of: try? view.file.identity(), at: now)
    if last >= first || result.damage != nil { record.write(to: directory) }
    return result
  }

  /// The rule for erasures, which takes the whole log.
  private mutating func checkErasures(
    _ view: LogView, _ remainder: (LogView, Erasures) throws(LogError) -> ErasureProblem?
  ) throws(LogError) {
    var erasures = Erasures()
    try erasures.read(view, from: .start, offsetBytes: 0)
    damage = erasures.problems.first
    guard damage == nil, let problem = try remainder(view, erasures) else { return }
    switch problem {
    case .damage(let found): damage = found
    case .unchecked: uncheckedErasures = problem.damage
    }
  }
}

extension VerificationRecord {
  /// Lets a verifier go on where the last check stopped, if that is still a place in the log.
  ///
  /// - Returns: whether any line before was erased or records an erasure.
  fileprivate func resume(_ verifier: inout Verifier, in view: LogView) -> Bool {
    guard let pass, pass.offsetBytes < view.endBytes,
      (try? view.position(after: pass.offsetBytes)) == pass.position
    else { return false }
    verifier.scan.position = pass.position
    verifier.scan.offsetBytes = pass.offsetBytes
    return pass.hasErasures
  }

  /// - Parameters:
  ///   - scan: where the check stopped.
  ///   - hasErasures: whether any line up to there was erased or records an erasure.
  ///   - file: the log.
  fileprivate mutating func note(
    _ result: PartialVerification, _ scan: EventScan, _ hasErasures: Bool, of file: FileIdentity?,
    at now: Timestamp
  ) {
    if let damage = result.damage {
      (whole, broken) = (nil, Broken(problem: damage.description, at: now))
    } else if result.isComplete {
      (pass, broken) = (nil, nil)
      guard scan.position.seq > 0, result.uncheckedErasures == nil else { return }
      whole = Whole(scan.position, offsetBytes: scan.offsetBytes, at: now, of: file)
    } else {
      pass = Pass(
        position: scan.position, offsetBytes: scan.offsetBytes, hasErasures: hasErasures,
        file: file)
    }
  }
}

extension Verifier {
  /// Reads on in a log, at least one line.
  fileprivate mutating func read(_ view: LogView, mostBytes: Int) throws(LogError) {
    let start = scan.offsetBytes
    let end =
      start + min(max(view.endBytes - start, 0), max(mostBytes, LogFormat.longestLineBytes + 1))
    try LineWindows.forEachPadded(of: view.file, in: start..<max(start, end)) {
      (padded, lineBytes, offset) throws(LogError) in
      try read(padded, lineBytes: lineBytes, at: offset)
      return true
    }
  }
}
