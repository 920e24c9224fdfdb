package import LedgerLog
package import LedgerModel
import LedgerProjections

package enum EventFinding: FindingDetail, Hashable, Sendable {
  /// Events of one type, or one version of a type.
  package struct TypeCount: Hashable, Sendable {
    /// `weather.noticed`, with its version if that is newer: `progress.logged v2`.
    package var type: String
    package var count: Int
    package var first: Int
  }

  case understood(count: Int)
  /// - problem: of the first one.
  case unreadable(count: Int, first: Int, problem: String)
  /// Newer versions of known types, by type.
  case newerVersions([TypeCount])
  /// By type.
  case unknownTypes([TypeCount])
  case folded(live: Int, deleted: Int)
  case foldFails(Damage)
  case noneInDoubt
  /// Sent more than a day ago, without an answer.
  case longInDoubt(edits: Int, oldest: Timestamp)

  var code: String {
    switch self {
    case .understood: "events"
    case .unreadable: "event-unreadable"
    case .newerVersions: "newer-version"
    case .unknownTypes: "unknown-types"
    case .folded: "replay"
    case .foldFails: "replay-fails"
    case .noneInDoubt: "in-doubt"
    case .longInDoubt: "long-in-doubt"
    }
  }

  var severity: Finding.Severity {
    switch self {
    case .understood, .folded, .noneInDoubt: .fine
    case .unknownTypes: .notice
    case .newerVersions, .longInDoubt: .warning
    case .unreadable, .foldFails: .damage
    }
  }
}

/// Checks that read the whole log twice: for the events, and for the fold.
struct StrictChecks {
  let view: LogView
  /// Whether earlier checks found damage.
  let isBroken: Bool
  let now: Timestamp
  let onBytes: @Sendable (_ phase: Checkup.Phase, _ count: Int, _ total: Int) -> Void

  func findings() throws(LogError) -> [Finding] {
    let (total, onBytes) = (view.endBytes, onBytes)
    var events = EventsCheck()
    try events.read(view) { onBytes(.events, $0, total) }
    var found = events.findings
    var options = Replay.Options(verifies: false)
    options.onBytes = { onBytes(.fold, $0, total) }
    let outcome = try Replay.run(view, options)
    if let damage = outcome.damage {
      if !isBroken, !events.stopsFold { found.append(.foldFails(damage)) }
    } else {
      if !isBroken {
        let entries = AllViews(outcome.state).entries
        found.append(.folded(live: entries.live, deleted: entries.deleted))
      }
      found.append(try Self.longInDoubt(outcome.state, view, now: now))
    }
    return found.map { Finding(.event($0)) }
  }

  /// Every sync first settles unanswered calls, so a day without an answer is a day without a sync.
  private static let longMilliseconds: Int64 = 86_400_000

  private static func longInDoubt(
    _ state: LedgerState, _ view: LogView, now: Timestamp
  ) throws(LogError) -> EventFinding {
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
    var first: Int
    var count = 0
  }

  private var unknown: [String: Count] = [:]
  private var newer: [String: Count] = [:]
  private var unreadable: Count?
  private var firstProblem = ""
  private var events = 0

  /// Whether the fold fails because of a finding made here.
  var stopsFold: Bool { unreadable != nil || !newer.isEmpty }

  var findings: [EventFinding] {
    var found: [EventFinding] = []
    if let unreadable {
      found.append(
        .unreadable(count: unreadable.count, first: unreadable.first, problem: firstProblem))
    }
    if !newer.isEmpty { found.append(.newerVersions(Self.list(newer))) }
    if !unknown.isEmpty { found.append(.unknownTypes(Self.list(unknown))) }
    return found.isEmpty ? [.understood(count: events)] : found
  }

  private static func list(_ counts: [String: Count]) -> [EventFinding.TypeCount] {
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
      unknown[type, default: Count(first: envelope.seq)].count += 1
      return
    }
    guard envelope.isErased || envelope.version <= kind.version else {
      newer["\(type) v\(envelope.version)", default: Count(first: envelope.seq)].count += 1
      return
    }
    do throws(LineFault) {
      _ = try EventReader.payload(envelope, in: window)
    } catch {
      guard case .data = error.problem else { throw error }
      if unreadable == nil { firstProblem = error.sentence }
      unreadable = unreadable ?? Count(first: envelope.seq)
      unreadable?.count += 1
    }
  }
}
