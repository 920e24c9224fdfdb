public import LedgerLog
public import LedgerModel
import LedgerPlatform
import LedgerProjections
import Synchronization

/// About the log, its events and their fold.
public enum LogFinding: FindingDetail, Hashable, Sendable {
  /// The log reaches as far as `head` says.
  case whole(lastSeq: Seq)
  /// There is no log.
  case missing(LogError)
  /// The log cannot be read.
  case unreadable(LogError)
  /// The log is shorter than `head` says.
  case cutShort(Damage)
  /// `head` names another event than the log has there.
  case headDisagrees(Damage)
  /// There is no `head`.
  case headMissing
  /// `head` is not in its format.
  case headUnreadable
  /// Events after `head` that a crash left.
  case headBehind(events: Int)
  /// An incomplete last line, which a crash left.
  case tornTail(bytes: Int)
  /// The lines after `head` cannot be read.
  case tailDamaged(LogError)
  /// Every line has the right hash; with the last one.
  case chainWhole(head: ChainHash)
  /// A part of the chain was checked.
  case chainPart(PartialVerification)
  /// A line does not have the right hash.
  case chainBroken(Damage)
  /// Every line has the right hash, but the erasures cannot be checked: with the first event that cannot
  /// be understood.
  case erasuresUnchecked(Damage)
  /// The clock is plausible.
  case clock
  /// The clock is more than a day behind the last event.
  case clockBehind(now: Timestamp, last: Timestamp)
  /// All events are of known types and valid.
  case eventsUnderstood(count: Int)
  /// - problem: of the first one.
  case eventsUnreadable(count: Int, first: Seq, problem: String)
  /// Newer versions of known types, by type.
  case newerVersions([TypeCount])
  /// By type.
  case unknownTypes([TypeCount])
  /// The number of entries.
  case folded(live: Int, deleted: Int)
  /// The views cannot be computed.
  case foldFails(Damage)
  /// No call has waited for its answer for long.
  case noneInDoubt
  /// Sent more than a day ago, without an answer.
  case longInDoubt(edits: Int, oldest: Timestamp)

  /// Events of one type.
  public struct TypeCount: Hashable, Sendable {
    /// With a version that is newer than known: `progress.logged v2`.
    public var type: String
    /// The number of events.
    public var count: Int
    /// The first one.
    public var first: Seq
  }

  var report: (code: String, severity: Finding.Severity) {
    switch self {
    case .whole: ("log", .fine)
    case .missing: ("log-missing", .damage)
    case .unreadable: ("log-unreadable", .damage)
    case .cutShort: ("log-cut-short", .damage)
    case .headDisagrees: ("head-disagrees", .damage)
    case .headMissing: ("head-missing", .warning)
    case .headUnreadable: ("head-unreadable", .warning)
    case .headBehind: ("head-behind", .notice)
    case .tornTail: ("torn-tail", .warning)
    case .tailDamaged: ("tail-damaged", .damage)
    case .chainWhole, .chainPart: ("chain", .fine)
    case .chainBroken: ("chain-broken", .damage)
    case .erasuresUnchecked: ("erasures-unchecked", .warning)
    case .clock: ("clock", .fine)
    case .clockBehind: ("clock-behind", .warning)
    case .eventsUnderstood: ("events", .fine)
    case .eventsUnreadable: ("event-unreadable", .damage)
    case .newerVersions: ("newer-version", .warning)
    case .unknownTypes: ("unknown-types", .notice)
    case .folded: ("replay", .fine)
    case .foldFails: ("replay-fails", .damage)
    case .noneInDoubt: ("in-doubt", .fine)
    case .longInDoubt: ("long-in-doubt", .warning)
    }
  }

  var repair: Repair? {
    switch self {
    case .headMissing, .headUnreadable, .headBehind, .tornTail: .openLog
    case .whole, .missing, .unreadable, .cutShort, .headDisagrees, .tailDamaged, .chainWhole,
      .chainPart, .chainBroken, .erasuresUnchecked, .clock, .clockBehind, .eventsUnderstood,
      .eventsUnreadable, .newerVersions, .unknownTypes, .folded, .foldFails, .noneInDoubt,
      .longInDoubt:
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
  var isDamaged: Bool { damage != nil }
  private let damage: Damage?

  /// Whether all of the log is read in any case.
  var hasShortLog: Bool { view.map { $0.endBytes <= ChainCheck.mostBytes } ?? false }

  /// The findings with the first wrong line in place of the contradiction that it causes: an edit changes
  /// the length of a line, and with it the place of every later event.
  func namingLine() throws(LogError) -> [Finding] {
    guard let view, let damage,
      let line = try Verification.verify(view.directory).problems.first, line != damage
    else { return findings }
    return [Finding(.log(.chainBroken(line)))]
  }

  /// Whether another process kept the log locked, so that its end is unknown.
  let isLocked: Bool

  /// Holds the log's lock, shared: an append in progress would look like a crash.
  init(_ directory: LedgerDirectory) {
    var lock: FileLock?
    var isLocked = false
    do throws(LogError) {
      lock = try FileLock(directory.ledgerLock, .shared, on: directory.disk)
    } catch {
      // Without the file no process appends; `LockChecks` reports other errors.
      if case .locked = error { isLocked = true }
    }
    defer { withExtendedLifetime(lock) {} }
    var view: LogView?
    var damage: Damage?
    var found: [LogFinding]
    do throws(LogError) {
      let opened: LogView
      (opened, damage) = try LogView.openDamaged(directory)
      view = opened
      if let damage {
        found = [Self.disagreement(damage, in: opened)]
      } else {
        // An erasure in progress has removed head.
        found = isLocked ? [] : try Self.headFindings(opened) + Self.endFindings(opened)
      }
    } catch {
      switch error {
      case .locked: (isLocked, found) = (true, [])
      case .damaged: found = [.missing(error)]
      default: found = [.unreadable(error)]
      }
    }
    (self.view, self.damage, self.isLocked) = (view, damage, isLocked)
    findings = found.map { Finding(.log($0)) }
  }

  private static func disagreement(_ damage: Damage, in view: LogView) -> LogFinding {
    let head: Head?? = try? Head.read(view.directory)
    let isShort = head.flatMap(\.self).map { $0.offsetBytes > view.endBytes + view.tornTailBytes }
    return isShort == true ? .cutShort(damage) : .headDisagrees(damage)
  }

  private static func headFindings(_ view: LogView) throws(LogError) -> [LogFinding] {
    guard view.head == nil else { return [] }
    return try logErrors { () throws(IOFailure) in
      [try FileFacts.of(view.directory.head) == nil ? .headMissing : .headUnreadable]
    }
  }

  private static func endFindings(_ view: LogView) -> [LogFinding] {
    do throws(LogError) {
      switch try LogEnd.examine(view) {
      case .whole:
        return view.head.flatMap { Seq(exactly: $0.seq) }.map { [.whole(lastSeq: $0)] } ?? []
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
    progress: Checkup.Progress = { _, _ in { _ in } }
  ) throws(LogError) {
    if isWhole || view.endBytes <= mostBytes {
      let onBytes = progress(.chain, view.endBytes)
      let doneBytes = Mutex(0)
      let audit = try LogAudit(of: view.directory) { end, _ in
        onBytes(
          doneBytes.withLock { done in
            defer { done = max(done, end) }
            return max(0, end - done)
          })
      }
      audit.remember(at: now)
      isBroken = !audit.problems.isEmpty && !audit.areErasuresUnchecked
      let chain: [LogFinding] =
        audit.problems.isEmpty
        ? [.chainWhole(head: audit.verification.head.hash)]
        : audit.problems.map {
          audit.areErasuresUnchecked ? .erasuresUnchecked($0) : .chainBroken($0)
        }
      let snapshot =
        isBroken ? nil : audit.snapshot.flatMap { SnapshotChecks.finding($0) }
      findings = chain.map { Finding(.log($0)) } + (snapshot.map { [$0] } ?? [])
    } else {
      let part = try PartialVerification.verify(view.directory, mostBytes: mostBytes, at: now)
      isBroken = part.damage != nil
      let problem =
        part.damage.map { LogFinding.chainBroken($0) }
        ?? part.uncheckedErasures.map { .erasuresUnchecked($0) }
      findings = [Finding(.log(problem ?? .chainPart(part)))]
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

/// Checks that fold the whole log. It is read once more if the fold fails or meets unknown types, to
/// list all events that it cannot use.
struct StrictChecks {
  let view: LogView
  /// Whether earlier checks found damage.
  let isBroken: Bool
  let now: Timestamp
  let progress: Checkup.Progress

  func findings() throws(LogError) -> [Finding] {
    var options = Replay.Options(verifies: false)
    options.onBytes = progress(.fold, view.endBytes)
    let outcome = try Replay.run(view, options)
    var events = EventsCheck(of: outcome.state.position.seq)
    if outcome.damage != nil || outcome.state.tally.unknownCount > 0 {
      events = EventsCheck()
      try events.read(view, onBytes: progress(.events, view.endBytes))
    }
    var found = events.findings
    if let damage = outcome.damage {
      if !isBroken, !events.stopsFold { found.append(.foldFails(damage)) }
    } else {
      if !isBroken {
        let entries = AllViews(outcome.state).entries
        found.append(.folded(live: entries.live, deleted: entries.deleted))
      }
      found.append(try Self.longInDoubt(outcome.state, view, now: now))
    }
    return found.map { Finding(.log($0)) }
  }

  /// Every sync first settles unanswered calls, so a day without an answer is a day without a sync.
  private static let longMilliseconds: Int64 = 86_400_000

  private static func longInDoubt(
    _ state: LedgerState, _ view: LogView, now: Timestamp
  ) throws(LogError) -> LogFinding {
    var count = 0
    var oldest: Timestamp?
    var sentAt: [Int: Timestamp] = [:]
    for edit in state.edits.seqs(where: { $0 == .inDoubt }) {
      guard let call = state.edits.marker(edit), let seq = Seq(exactly: call) else { continue }
      let at: Timestamp
      if let known = sentAt[call] { at = known } else { at = try view.line(seq).event().event.at }
      sentAt[call] = at
      guard now.millisecondsSince1970 - at.millisecondsSince1970 > longMilliseconds else {
        continue
      }
      count += 1
      oldest = min(oldest ?? at, at)
    }
    return oldest.map { .longInDoubt(edits: count, oldest: $0) } ?? .noneInDoubt
  }
}

/// Whether the `data` of every event fits its type, and which types and versions are unknown.
private struct EventsCheck {
  private struct Count {
    var first: Seq
    var count = 0
  }

  private var unknown: [String: Count] = [:]
  private var newer: [String: Count] = [:]
  private var unreadable: Count?
  private var firstProblem = ""
  private var events: Int

  /// - Parameter events: the number of events that are known to be fine.
  init(of events: Int = 0) {
    self.events = events
  }

  /// Whether the fold fails because of a finding made here.
  var stopsFold: Bool { unreadable != nil || !newer.isEmpty }

  var findings: [LogFinding] {
    var found: [LogFinding] = []
    if let unreadable {
      found.append(
        .eventsUnreadable(count: unreadable.count, first: unreadable.first, problem: firstProblem))
    }
    if !newer.isEmpty { found.append(.newerVersions(Self.list(newer))) }
    if !unknown.isEmpty { found.append(.unknownTypes(Self.list(unknown))) }
    return found.isEmpty ? [.eventsUnderstood(count: events)] : found
  }

  private static func list(_ counts: [String: Count]) -> [LogFinding.TypeCount] {
    counts.sorted { $0.key < $1.key }
      .map { .init(type: $0.key, count: $0.value.count, first: $0.value.first) }
  }

  /// Reads up to the first line of wrong form, which the check of the chain reports.
  mutating func read(
    _ view: LogView, onBytes: (_ count: Int) -> Void
  ) throws(LogError) {
    var scan = EventScan(checks: .form)
    do throws(LogError) {
      try view.forEachWindow { (window, offset) throws(LogError) in
        let start = scan.offsetBytes
        try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
          try note(envelope, in: window)
        }
        onBytes(scan.offsetBytes - start)
      }
    } catch {
      guard case .damaged = error else { throw error }
    }
  }

  private mutating func note(_ envelope: Envelope, in window: RawSpan) throws(LineFault) {
    events += 1
    let type = window.extracting(envelope.type)
      .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard let kind = EventKind(rawValue: type) else {
      unknown[type, default: Count(first: Seq(envelope.seq))].count += 1
      return
    }
    guard envelope.isErased || envelope.version <= kind.version else {
      newer["\(type) v\(envelope.version)", default: Count(first: Seq(envelope.seq))].count += 1
      return
    }
    do throws(LineFault) {
      _ = try EventReader.payload(envelope, in: window)
    } catch {
      guard case .data = error.problem else { throw error }
      if unreadable == nil { firstProblem = error.sentence }
      unreadable = unreadable ?? Count(first: Seq(envelope.seq))
      unreadable?.count += 1
    }
  }
}
