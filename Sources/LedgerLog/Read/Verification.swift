import LedgerJSON
import LedgerModel

/// What `verify` found out about a log: form and chain of every line, and nothing else.
public struct Verification: Sendable {
  public var events = 0
  public var erased = 0
  public var head = Head.empty
  public var tornTailBytes = 0
  public var problems: [Damage] = []
  /// The event whose hash was looked for; `nil` when the chain has none such.
  public var lookedForAt: Int?

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
    _ directory: LedgerDirectory, lookingFor hash: ChainHash? = nil,
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
    result.tornTailBytes = view.tornTailBytes
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
    // What stands behind a break may answer for an erasure before it.
    if result.problems.isEmpty { result.problems = erasures.problems }
    // It is what every other reader refuses the log for; the counts say how much of it is right.
    if let headDamage { result.problems = [headDamage] }
    result.events = scan.position.seq
    result.erased = erasures.erased.count
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
  /// seq and chain of every line. That every erased line is named by an `event.erased` is known
  /// only at the end.
  ///
  /// - Parameters:
  ///   - body: returns false to stop.
  ///   - lines: how many lines the window holds.
  /// - Throws: damage. The window that holds the wrong line is not handed out.
  public func forEachVerifiedWindow(
    _ body: (_ window: RawSpan, _ lines: Int) -> Bool
  ) throws(LogError) {
    var verifier = Verifier(lookingFor: nil)
    var isStopped = false
    try LineWindows.forEachPadded(of: file, in: 0..<endBytes) {
      (padded, lineBytes, offset) throws(LogError) in
      let before = verifier.scan.position.seq
      try verifier.read(padded, lineBytes: lineBytes, at: offset)
      isStopped = !body(
        padded.extracting(0..<lineBytes), verifier.scan.position.seq - before)
      return !isStopped
    }
    guard !isStopped, let problem = verifier.erasures.problems.first else { return }
    throw .damaged(problem)
  }
}

/// Erased lines and the events that answer for them. An erased line that nobody answers for is as
/// wrong as a broken hash.
struct Erasures {
  /// Where each erased line begins in the file.
  var erased: [Int: Int] = [:]
  private var named: Set<Int> = []

  /// - Parameter windowOffset: where `bytes` begin in the file.
  mutating func note(
    _ envelope: Envelope, in bytes: RawSpan, at windowOffset: Int
  ) throws(LineFault) {
    let isCreated =
      envelope.type.count == 14 && bytes.holds("ledger.created", at: envelope.type.lowerBound)
    if envelope.seq == 1, !isCreated {
      throw LineFault(.data("line 1 is not ledger.created"), at: envelope.type.lowerBound)
    }
    if envelope.isErased { erased[envelope.seq] = windowOffset + envelope.start }
    guard envelope.type.count == 12, !envelope.isErased,
      bytes.holds("event.erased", at: envelope.type.lowerBound),
      case .eventErased(let data) = try EventReader.payload(envelope, in: bytes)
    else { return }
    named.insert(data.event.number)
  }

  var problems: [Damage] {
    erased.filter { !named.contains($0.key) }.sorted { $0.key < $1.key }.map { seq, byte in
      Damage(line: seq, byte: byte, problem: "the event is erased, but no event.erased names it")
    }
  }
}
