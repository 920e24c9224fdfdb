import LedgerJSON
import LedgerModel

/// One accepted progress POST.
struct ProgressRow: Sendable {
  let id: RowID
  var metric: Metric
  var quantity: Double
  /// To the second, which is all that the wire carries.
  var moment: Timestamp
  var notes: String?

  var json: JSONValue {
    var object: JSONObject = [
      "id": .string(id.text), "type": .string(metric.name), "quantity": .number(quantity),
      "date": .string(moment.rfc3339Seconds),
    ]
    object["notes"] = notes.map { .string($0) }
    return .object(object)
  }
}

/// All progress rows: each user's newest first.
struct ProgressTable: Sendable {
  private var rowsOfUser: [UserID: [ProgressRow]] = [:]
  private var ownerOfRow: [RowID: UserID] = [:]

  func rows(of user: UserID) -> [ProgressRow] {
    rowsOfUser[user] ?? []
  }

  /// How many there are, of all users.
  var count: Int { ownerOfRow.count }

  func owner(of row: RowID) -> UserID? {
    ownerOfRow[row]
  }

  /// Keeps the rows sorted by moment, the newest first; of equal moments the last one added leads.
  mutating func add(_ row: ProgressRow, of user: UserID) {
    var (low, high) = (0, rowsOfUser[user]?.count ?? 0)
    while low < high {
      let middle = (low + high) / 2
      if rows(of: user)[middle].moment > row.moment { low = middle + 1 } else { high = middle }
    }
    rowsOfUser[user, default: []].insert(row, at: low)
    ownerOfRow[row.id] = user
  }

  mutating func remove(_ row: RowID) {
    guard let user = ownerOfRow.removeValue(forKey: row) else { return }
    rowsOfUser[user]?.removeAll { $0.id == row }
  }

  mutating func removeAll(of user: UserID) {
    for row in rowsOfUser.removeValue(forKey: user) ?? [] { ownerOfRow[row.id] = nil }
  }
}
