/// Counts what made no entry, by what it was and why.
public struct SkipTally: Sendable {
  public struct Line: Hashable, Sendable {
    /// A type of record, a metric or a member, as its source calls it.
    public var type: String
    public var reason: String
    public var count: Int
  }

  private struct Key: Hashable {
    var type: String
    var reason: String
  }

  /// A hostile file may make up types without end.
  static let typesAtMost = 1000
  static let otherTypes = "other types"

  private var counts: [Key: Int] = [:]

  public init() {}

  public mutating func add(_ type: String, _ reason: String, _ count: Int = 1) {
    var key = Key(type: String(type.prefix(100)), reason: reason)
    if counts.count >= Self.typesAtMost, counts[key] == nil { key.type = Self.otherTypes }
    counts[key, default: 0] += count
  }

  public mutating func add(_ other: SkipTally) {
    for line in other.lines { add(line.type, line.reason, line.count) }
  }

  public var total: Int { counts.values.reduce(0, +) }
  public var isEmpty: Bool { counts.isEmpty }

  /// The most frequent first.
  public var lines: [Line] {
    counts.map { Line(type: $0.key.type, reason: $0.key.reason, count: $0.value) }
      .sorted { (-$0.count, $0.type, $0.reason) < (-$1.count, $1.type, $1.reason) }
  }
}
