import LedgerModel

/// A progress row as the backend keeps it, in the words of the wire.
public struct BackendRow: Sendable, Equatable {
  public let id: String
  /// The metric's name.
  public let type: String
  /// In the metric's unit.
  public let quantity: Double
  /// RFC 3339 in UTC without fractional seconds.
  public let date: String
  public let notes: String?

  init(_ row: ProgressRow) {
    id = row.id.text
    type = row.metric.name
    quantity = row.quantity
    date = row.moment.rfc3339Seconds
    notes = row.notes
  }
}
