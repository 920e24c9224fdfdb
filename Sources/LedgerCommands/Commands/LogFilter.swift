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

  private func isOfType(_ type: String, _ envelope: Envelope, in bytes: RawSpan) -> Bool {
    bytes.extracting(envelope.type).withUnsafeBytes { name in
      name.starts(with: type.utf8)
        && (name.count == type.utf8.count || name[type.utf8.count] == UInt8(ascii: "."))
    }
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
