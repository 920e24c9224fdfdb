import LedgerJSON
public import LedgerModel

/// What `verify` found out about a log: form and chain of every line, and nothing else.
public struct Verification: Sendable {
  public var events = 0
  public var erased = 0
  public var head = Head.empty
  public var tornTailBytes = 0
  public var problems: [Damage] = []
  /// The first event whose hash begins as the one that was looked for; `nil` when there is none.
  public var lookedForAt: Int?
  /// Whether several events have such a hash.
  public var isAmbiguous = false
  /// The ledger's id, of line 1; `nil` where that is not right.
  public var ledger: LedgerID?
  /// Whether the `head` file is missing or unreadable, so that a cut tail cannot be excluded.
  public var isHeadMissing = false
  /// The erased lines and their records.
  package var erasures = Erasures()
  /// What was read; `nil` where nothing could be.
  package var view: LogView?

  /// A torn tail is not damage, but it is not what was written either.
  public var isOK: Bool { problems.isEmpty && tornTailBytes == 0 }
}

extension Verification {
  /// Reads a whole log. What is wrong with it is in the result, not thrown.
  ///
  /// After the first break nothing further is checked: every later hash hangs on it.
  ///
  /// - Parameter hash: one that was kept elsewhere; ``lookedForAt`` says where it stands.
  /// - Throws: only what keeps the log from being read at all.
  public static func verify(
    _ directory: LedgerDirectory, lookingFor hash: HashPrefix? = nil,
    onProgress: (_ doneBytes: Int, _ totalBytes: Int) -> Void = { _, _ in }
  ) throws(LogError) -> Verification {
    var result = Verification()
    let view: LogView
    let headDamage: Damage?
    do throws(LogError) {
      (view, headDamage) = try LogView.openDamaged(directory)
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      result.problems = [damage]
      return result
    }
    result.view = view
    result.tornTailBytes = view.tornTailBytes
    result.isHeadMissing = view.head == nil && headDamage == nil
    var verifier = Verifier(lookingFor: hash)
    do throws(LogError) {
      try LineWindows.forEachPadded(of: view.file, in: 0..<max(0, view.endBytes)) {
        (padded, lineBytes, offset) throws(LogError) in
        try verifier.read(padded, lineBytes: lineBytes, at: offset)
        onProgress(verifier.scan.offsetBytes, view.endBytes)
        return true
      }
    } catch {
      guard case .damaged(var damage) = error else { throw error }
      if damage.line == nil { damage.line = verifier.scan.position.seq + 1 }
      result.problems.append(damage)
    }
    let (scan, erasures) = (verifier.scan, verifier.erasures)
    result.lookedForAt = verifier.lookedForAt
    result.isAmbiguous = verifier.isAmbiguous
    result.erasures = erasures
    result.ledger = try? view.ledger()
    // What stands behind a break may answer for an erasure before it.
    if result.problems.isEmpty { result.problems = erasures.problems }
    // It is what every other reader refuses the log for; the counts say how much of it is right.
    if let headDamage { result.problems = [headDamage] }
    result.events = scan.position.seq
    result.erased = erasures.lines.count
    result.head = Head(
      seq: scan.position.seq, offsetBytes: scan.offsetBytes, hash: scan.position.hash)
    if result.events == 0, result.problems.isEmpty {
      result.problems.append(Damage(line: 1, byte: 0, problem: "the log holds no whole event"))
    }
    return result
  }
}

extension LogView {
  /// Reads the log in windows of whole lines and checks each window before handing it out: form,
  /// seq and chain of every line. Whether erasures follow their rule is known only at the end.
  ///
  /// - Parameters:
  ///   - body: returns false to stop.
  ///   - lines: how many lines the window holds.
  /// - Returns: the log's erasures, as far as it was read.
  /// - Throws: damage. The window that holds the wrong line is not handed out.
  @discardableResult
  package func forEachVerifiedWindow(
    _ body: (_ window: RawSpan, _ lines: Int) -> Bool
  ) throws(LogError) -> Erasures {
    var verifier = Verifier()
    var isStopped = false
    try LineWindows.forEachPadded(of: file, in: 0..<endBytes) {
      (padded, lineBytes, offset) throws(LogError) in
      let before = verifier.scan.position.seq
      try verifier.read(padded, lineBytes: lineBytes, at: offset)
      isStopped = !body(
        padded.extracting(0..<lineBytes), verifier.scan.position.seq - before)
      return !isStopped
    }
    if !isStopped, let problem = verifier.erasures.problems.first { throw .damaged(problem) }
    return verifier.erasures
  }

  /// The id of the ledger, of line 1.
  func ledger() throws(LogError) -> LedgerID? {
    guard endBytes > 0, case .ledgerCreated(let data) = try line(Seq(1)).event().event.payload
    else { return nil }
    return data.ledger
  }
}
