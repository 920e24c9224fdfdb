public import LedgerJSON

/// How the `data` of older versions of a type becomes what this version reads: step by step, from
/// each version to the next.
///
/// Whoever raises `EventKind.version` adds the step from the version before; docs/log-format.md, «A new
/// version of a type», has the whole way.
public struct Upcasters: Sendable {
  public struct Step: Sendable {
    public var kind: EventKind
    /// The version whose `data` this step takes; it gives that of the next one.
    public var fromVersion: Int
    /// Refuses nothing: what was wrong before is still wrong after, and reading it says so. Members
    /// that it does not know it passes on.
    public var upcast: @Sendable (JSONObject) -> JSONObject

    public init(
      _ kind: EventKind, fromVersion: Int,
      _ upcast: @escaping @Sendable (JSONObject) -> JSONObject
    ) {
      self.kind = kind
      self.fromVersion = fromVersion
      self.upcast = upcast
    }
  }

  /// All that this version of the program needs: none yet, since every type is at its version 1.
  public static let all = Upcasters([])

  private struct Key: Hashable {
    var kind: EventKind
    var version: Int
  }

  private let steps: [Key: @Sendable (JSONObject) -> JSONObject]

  /// - Precondition: at most one step from each version of a kind.
  public init(_ steps: [Step]) {
    self.steps = Dictionary(
      uniqueKeysWithValues: steps.map { (Key(kind: $0.kind, version: $0.fromVersion), $0.upcast) })
  }

  /// The `data` of some version as a later one writes it.
  ///
  /// - Throws: ``EventError`` where a version on the way is none that was ever written.
  func upcast(
    _ data: JSONObject, of kind: EventKind, from version: Int, to newest: Int
  ) throws(EventError) -> JSONObject {
    var data = data
    for version in version..<newest {
      guard let step = steps[Key(kind: kind, version: version)] else {
        throw EventError(
          type: kind.rawValue, problem: "version \(version) is none that was ever written")
      }
      data = step(data)
    }
    return data
  }
}
