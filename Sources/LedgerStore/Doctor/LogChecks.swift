package import LedgerLog
package import LedgerModel
import LedgerPlatform

package enum LogFinding: FindingDetail, Hashable, Sendable {
  case whole(lastSeq: Int)
  case missing(LogError)
  case unreadable(LogError)
  /// The log is shorter than `head` says.
  case cutShort(Damage)
  case headDisagrees(Damage)
  case headMissing
  case headUnreadable
  /// Events after `head` that a crash left.
  case headBehind(events: Int)
  case tornTail(bytes: Int)
  case tailDamaged(LogError)
  case chainWhole(head: ChainHash)
  case chainPart(PartialVerification)
  case chainBroken(Damage)
  case clock
  /// The clock is more than a day behind the last event.
  case clockBehind(now: Timestamp, last: Timestamp)

  var code: String {
    switch self {
    case .whole: "log"
    case .missing: "log-missing"
    case .unreadable: "log-unreadable"
    case .cutShort: "log-cut-short"
    case .headDisagrees: "head-disagrees"
    case .headMissing: "head-missing"
    case .headUnreadable: "head-unreadable"
    case .headBehind: "head-behind"
    case .tornTail: "torn-tail"
    case .tailDamaged: "tail-damaged"
    case .chainWhole, .chainPart: "chain"
    case .chainBroken: "chain-broken"
    case .clock: "clock"
    case .clockBehind: "clock-behind"
    }
  }

  var severity: Finding.Severity {
    switch self {
    case .whole, .chainWhole, .chainPart, .clock: .fine
    case .headBehind: .notice
    case .headMissing, .headUnreadable, .tornTail, .clockBehind: .warning
    case .missing, .unreadable, .cutShort, .headDisagrees, .tailDamaged, .chainBroken: .damage
    }
  }

  var repair: Repair? {
    switch self {
    case .headMissing, .headUnreadable, .headBehind, .tornTail: .openLog
    case .whole, .missing, .unreadable, .cutShort, .headDisagrees, .tailDamaged, .chainWhole,
      .chainPart, .chainBroken, .clock, .clockBehind:
      nil
    }
  }
}

/// Whether the log exists and ends as `head` says.
struct LogEndCheck {
  let findings: [Finding]
  /// The log as readers see it, or what is left of it; `nil` if it cannot be read.
  let view: LogView?
  /// Whether `head` and log contradict each other.
  let isDamaged: Bool
  /// Whether another process kept the log locked, so that its end is unknown.
  let isLocked: Bool

  /// Holds the log's lock, shared: an append in progress would look like a crash.
  init(_ directory: LedgerDirectory) {
    var lock: FileLock?
    var isLocked = false
    do throws(LogError) {
      lock = try FileLock(directory.ledgerLock, .shared)
    } catch {
      // Without the file no process appends; `LockChecks` reports other errors.
      if case .locked = error { isLocked = true }
    }
    defer { withExtendedLifetime(lock) {} }
    var view: LogView?
    var isDamaged = true
    var found: [LogFinding]
    do throws(LogError) {
      let (opened, damage) = try LogView.openDamaged(directory)
      view = opened
      isDamaged = damage != nil
      if let damage {
        found = [Self.disagreement(damage, in: opened)]
      } else {
        // An erasure in progress has removed head.
        found = isLocked ? [] : try Self.headFindings(opened) + Self.endFindings(opened)
      }
    } catch {
      switch error {
      case .locked: (isLocked, isDamaged, found) = (true, false, [])
      case .damaged: found = [.missing(error)]
      default: found = [.unreadable(error)]
      }
    }
    (self.view, self.isDamaged, self.isLocked) = (view, isDamaged, isLocked)
    findings = found.map { Finding(.log($0)) }
  }

  private static func disagreement(_ damage: Damage, in view: LogView) -> LogFinding {
    let head: Head?? = try? Head.read(view.directory)
    let isShort = head.flatMap(\.self).map { $0.offsetBytes > view.endBytes + view.tornTailBytes }
    return isShort == true ? .cutShort(damage) : .headDisagrees(damage)
  }

  private static func headFindings(_ view: LogView) throws(LogError) -> [LogFinding] {
    guard view.head == nil else { return [] }
    do throws(IOFailure) {
      return [try FileFacts.of(view.directory.head) == nil ? .headMissing : .headUnreadable]
    } catch {
      throw .io(error)
    }
  }

  private static func endFindings(_ view: LogView) -> [LogFinding] {
    do throws(LogError) {
      switch try LogEnd.look(at: view) {
      case .whole: return view.head.map { [.whole(lastSeq: $0.seq)] } ?? []
      case .adoptable(let events): return [.headBehind(events: events)]
      case .torn(let bytes): return [.tornTail(bytes: bytes)]
      }
    } catch {
      if case .damaged = error { return [.tailDamaged(error)] }
      return [.unreadable(error)]
    }
  }
}

/// Whether every line follows from the one before: a long log is checked in parts, one per run.
struct ChainCheck {
  /// Reading this much takes a fraction of a second.
  static let mostBytes = 64 << 20

  let findings: [Finding]
  let isBroken: Bool

  /// - Parameters:
  ///   - isWhole: whether to check a long log at once, too.
  ///   - mostBytes: the longest log that is always checked at once.
  init(
    _ view: LogView, isWhole: Bool, mostBytes: Int = ChainCheck.mostBytes, now: Timestamp,
    onBytes: (_ phase: Checkup.Phase, _ count: Int, _ total: Int) -> Void = { _, _, _ in }
  ) throws(LogError) {
    if isWhole || view.endBytes <= mostBytes {
      var done = 0
      let audit = try LogAudit(of: view.directory) { end, total in
        onBytes(.chain, end - done, total)
        done = end
      }
      audit.remember(at: now)
      isBroken = !audit.problems.isEmpty
      let chain: [LogFinding] =
        isBroken
        ? audit.problems.map { .chainBroken($0) }
        : [.chainWhole(head: audit.verification.head.hash)]
      let snapshot =
        isBroken ? nil : audit.snapshot.flatMap { SnapshotChecks.finding($0) }
      findings = chain.map { Finding(.log($0)) } + (snapshot.map { [$0] } ?? [])
    } else {
      let part = try PartialVerification.verify(view.directory, mostBytes: mostBytes, at: now)
      isBroken = part.damage != nil
      findings = [Finding(.log(part.damage.map { .chainBroken($0) } ?? .chainPart(part)))]
    }
  }
}

/// Whether this machine's clock is plausible.
enum ClockCheck {
  static let slackMilliseconds: Int64 = 86_400_000

  static func findings(_ view: LogView, now: Timestamp) -> [Finding] {
    // Other checks report a wrong last line.
    guard let line = try? view.lastLine(), let last = try? line.event().event.at else { return [] }
    let isBehind = now.millisecondsSince1970 < last.millisecondsSince1970 - slackMilliseconds
    return [Finding(.log(isBehind ? .clockBehind(now: now, last: last) : .clock))]
  }
}
