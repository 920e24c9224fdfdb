import LedgerLog
import LedgerModel

/// Whether the `data` of every event is what its type promises, and which types and versions this
/// program does not know.
struct EventsCheck {
  /// Where something was first found, and how often.
  private struct Count {
    var first: Int
    var count = 1
  }

  private var unknown: [String: Count] = [:]
  private var newer: [String: Count] = [:]
  private var wrong: Count?
  private var firstProblem = ""
  private(set) var events = 0

  /// Whether the fold refuses the log for what is told of here.
  var stopsFold: Bool { wrong != nil || !newer.isEmpty }

  /// Reads up to the first line whose form is wrong; that one is told of by the check of the chain.
  init(_ view: LogView, onBytes: (_ doneBytes: Int) -> Void) throws(LogError) {
    var scan = EventScan(checks: .form)
    do throws(LogError) {
      try view.forEachWindow { (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
          try note(envelope, in: window)
        }
        onBytes(scan.offsetBytes)
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
      unknown[type, default: Count(first: envelope.seq, count: 0)].count += 1
      return
    }
    guard envelope.isErased || envelope.version <= kind.version else {
      newer["\(type) v\(envelope.version)", default: Count(first: envelope.seq, count: 0)]
        .count += 1
      return
    }
    do throws(LineFault) {
      _ = try EventReader.payload(envelope, in: window)
    } catch {
      guard case .data = error.problem else { throw error }
      if wrong == nil {
        wrong = Count(first: envelope.seq)
        firstProblem = error.sentence
      } else {
        wrong?.count += 1
      }
    }
  }

  var findings: [Finding] {
    var found: [Finding] = []
    if let wrong {
      found.append(
        Finding(
          "event-unreadable", .damage,
          "\(counted(wrong.count, "event")) cannot be understood, first event \(wrong.first): "
            + firstProblem,
          advice: "the lines are whole, so another program wrote them wrong; see what stands "
            + "before them", command: LogEndCheck.upToBreak))
    }
    if !newer.isEmpty {
      found.append(
        Finding(
          "newer-version", .warning,
          "\(Self.list(newer, "event")) newer than this program, so no view can be shown",
          advice: "use the newer ledger that wrote them; nothing is wrong with the log"))
    }
    if !unknown.isEmpty {
      found.append(
        Finding(
          "unknown-types", .notice,
          "\(Self.list(unknown, "event")) of types that this version does not know: kept, counted, "
            + "and left out of the views"))
    }
    return found.isEmpty ? [.fine("events", "\(counted(events, "event")), all understood")] : found
  }

  /// `3 events (a.b 2, c.d 1) are`.
  private static func list(_ counts: [String: Count], _ noun: String) -> String {
    let total = counts.values.reduce(0) { $0 + $1.count }
    let names = counts.sorted { $0.key < $1.key }
      .map { "\($0.key): \(NumberText.count($0.value.count)), first event \($0.value.first)" }
    return "\(counted(total, noun)) (\(names.joined(separator: "; "))) \(total == 1 ? "is" : "are")"
  }
}
