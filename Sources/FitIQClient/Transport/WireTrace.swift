public import LedgerSync

/// One exchange, for who watches: nothing in it is secret.
public struct WireTrace: Hashable, Sendable {
  public var method: WireRequest.Method
  /// Without the query.
  public var path: String
  /// `nil` when no whole answer came.
  public var status: Int?
  public var milliseconds: Int
}
