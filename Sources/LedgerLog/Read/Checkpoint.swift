public import LedgerModel

/// The state of a log at one moment, as a short text to keep and sign elsewhere: its last hash and
/// the erased events. Any later log of the same ledger must contain that hash, and the events erased
/// since can be listed (docs/audit.md).
public struct Checkpoint: Hashable, Sendable {
  package static let header = "ledger checkpoint v1"
  /// The namespace of its signature, `ssh-keygen -Y sign -n`.
  public static let namespace = "ledger"

  /// The ledger that it is about.
  public var ledger: LedgerID
  /// The last event.
  public var seq: Seq
  /// The hash of the last event.
  public var hash: ChainHash
  /// The erased events, ascending, with gaps between the ranges.
  public var erased: [ClosedRange<Seq>]
  /// When it was made, by the device's clock.
  public var at: Timestamp

  /// - Parameter erased: the erased events, ascending.
  public init(ledger: LedgerID, seq: Seq, hash: ChainHash, erased: [Seq], at: Timestamp) {
    self.ledger = ledger
    self.seq = seq
    self.hash = hash
    self.erased = Self.ranges(of: erased)
    self.at = at
  }

  /// The file content: six lines, each with its `\n`.
  public var text: String {
    [
      Self.header, ledger.description, "\(seq)", hash.description,
      erased.isEmpty ? "-" : Self.text(of: erased), at.description,
    ].map { $0 + "\n" }.joined()
  }

  /// Whether this event was erased when the checkpoint was made.
  public func isErased(_ seq: Seq) -> Bool {
    let index = erased.partitioningIndex { $0.upperBound >= seq }
    return index < erased.count && erased[index].contains(seq)
  }

  /// Joins consecutive seqs to ranges.
  package static func ranges(of seqs: [Seq]) -> [ClosedRange<Seq>] {
    var ranges: [ClosedRange<Seq>] = []
    for seq in seqs {
      if let last = ranges.last, seq == last.upperBound.next {
        ranges[ranges.count - 1] = last.lowerBound...seq
      } else {
        ranges.append(seq...seq)
      }
    }
    return ranges
  }

  /// Formats ranges as in a checkpoint: `3,17-19`.
  package static func text(of ranges: [ClosedRange<Seq>]) -> String {
    ranges.map {
      $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }
    .joined(separator: ",")
  }

  // MARK: Reading

  /// Why a text is no checkpoint.
  public struct FormatError: LedgerError, Hashable, Sendable {
    /// Counted from 1.
    public var line: Int
    /// What the line should be.
    public var expected: String
    /// `bad-checkpoint`.
    public var code: String { "bad-checkpoint" }
    public var description: String { "not a checkpoint: line \(line) should be \(expected)" }
  }

  /// Parses exactly what ``text`` writes: each checkpoint has one text.
  public init(_ bytes: [UInt8]) throws(FormatError) {
    var lines = bytes.split(separator: 0x0A, maxSplits: 6, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard lines.first == Self.header else {
      throw FormatError(line: 1, expected: "'\(Self.header)'")
    }
    guard lines.count == 7, lines.removeLast().isEmpty else {
      throw FormatError(line: min(lines.count, 7), expected: "six lines, each with its end of line")
    }
    guard let ledger = LedgerID(lines[1]), ledger.description == lines[1] else {
      throw FormatError(line: 2, expected: "the ledger's id")
    }
    guard let seq = Self.seq(lines[2][...]) else {
      throw FormatError(line: 3, expected: "a seq")
    }
    guard let hash = ChainHash(lines[3].utf8) else {
      throw FormatError(line: 4, expected: "a hash, 64 hexadecimal digits")
    }
    guard let erased = Self.ranges(in: lines[4], upTo: seq) else {
      throw FormatError(line: 5, expected: "ascending ranges of erased seqs, or '-'")
    }
    guard let at = Timestamp(lines[5]), at.description == lines[5] else {
      throw FormatError(line: 6, expected: "a moment in UTC, YYYY-MM-DDTHH:MM:SS.mmmZ")
    }
    (self.ledger, self.seq, self.hash, self.erased, self.at) = (ledger, seq, hash, erased, at)
  }

  private static func ranges(in text: String, upTo last: Seq) -> [ClosedRange<Seq>]? {
    if text == "-" { return [] }
    var ranges: [ClosedRange<Seq>] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = seq(ends[0]), let end = ends.count == 1 ? first : seq(ends[1]),
        ends.count == 1 || first < end, end <= last,
        ranges.last.map({ $0.upperBound.number < first.number - 1 }) ?? true
      else { return nil }
      ranges.append(first...end)
    }
    return ranges
  }

  /// Digits without a sign or leading zeros.
  private static func seq(_ text: Substring) -> Seq? {
    guard let number = Int(text), String(number) == text else { return nil }
    return Seq(exactly: number)
  }
}

extension Verification {
  /// The checkpoint of an intact log; `nil` if it is damaged or has no event.
  package func checkpoint(at now: Timestamp) -> Checkpoint? {
    guard problems.isEmpty, let ledger, let seq = Seq(exactly: head.seq) else { return nil }
    return Checkpoint(
      ledger: ledger, seq: seq, hash: head.hash, erased: erasures.lines.map { Seq($0.seq) }, at: now
    )
  }
}
