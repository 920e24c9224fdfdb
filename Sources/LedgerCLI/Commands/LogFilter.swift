import LedgerJSON
import LedgerLog
import LedgerModel

/// Which events `log` is asked for.
struct LogFilter {
  var since: Moment?
  var until: Moment?
  /// A type, or the part of it before the point.
  var type: String?
  var entry: EntryID?

  var takesAll: Bool { since == nil && until == nil && type == nil && entry == nil }

  /// Whether it looks at more of a line than its seq.
  var asksForTimeOrType: Bool {
    type != nil || since?.milliseconds != nil || until?.milliseconds != nil
  }

  /// The last seq that can match.
  var lastSeq: Int? { if case .seq(let seq) = until { seq.number } else { nil } }

  /// The first seq that can match.
  var firstSeq: Seq? { if case .seq(let seq) = since { seq } else { nil } }

  /// Whether a line matches, but for the entry.
  func matches(_ envelope: Envelope, in bytes: RawSpan) -> Bool {
    if let since, !since.isReached(envelope, in: bytes) { return false }
    if let until, until.isPassed(envelope, in: bytes) { return false }
    if let type, !isOfType(type, envelope, in: bytes) { return false }
    return true
  }

  /// Tells of lines one behind the other whether one of them may match, but for a seq and the entry.
  func mayMatch() -> (LineBlock) -> Bool {
    let first = since.flatMap(\.milliseconds) ?? .min
    let last = until.flatMap(\.milliseconds) ?? .max
    let kinds = type.map { type in LineBlock.kinds { isOfType(type, $0.utf8) } } ?? .max
    return { $0.latestAt >= first && $0.earliestAt <= last && $0.kinds & kinds != 0 }
  }

  private func isOfType(_ type: String, _ envelope: Envelope, in bytes: RawSpan) -> Bool {
    bytes.extracting(envelope.type).withUnsafeBytes { isOfType(type, $0) }
  }

  private func isOfType(_ type: String, _ name: some Collection<UInt8>) -> Bool {
    guard name.starts(with: type.utf8) else { return false }
    let rest = name.dropFirst(type.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: ".")
  }

  /// Every type that this version knows, and their families.
  static var knownTypes: [String] {
    let families = Set(EventKind.allCases.map { String($0.rawValue.prefix { $0 != "." }) })
    return families.sorted() + EventKind.allCases.map(\.rawValue)
  }

  /// What a person may have meant who found nothing.
  var hint: String? {
    guard let type else { return nil }
    let known = Self.knownTypes
    guard !known.contains(type) else { return nil }
    let near = nearest(to: type, among: known)
    return "no event type is known as \(quoted(type))"
      + (near.isEmpty ? "" : "; did you mean \(listed(near))?")
  }
}

extension Moment {
  fileprivate var milliseconds: Int64? {
    if case .time(let time) = self { time.millisecondsSince1970 } else { nil }
  }

  fileprivate func isReached(_ envelope: Envelope, in bytes: RawSpan) -> Bool {
    switch self {
    case .seq(let seq): envelope.seq >= seq.number
    case .time(let time): envelope.milliseconds(in: bytes) >= time.millisecondsSince1970
    }
  }

  fileprivate func isPassed(_ envelope: Envelope, in bytes: RawSpan) -> Bool {
    switch self {
    case .seq(let seq): envelope.seq > seq.number
    case .time(let time): envelope.milliseconds(in: bytes) > time.millisecondsSince1970
    }
  }
}
