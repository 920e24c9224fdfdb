import LedgerJSON
import LedgerModel

extension World {
  /// `POST /progress`: every accepted one makes a row, whatever key the caller sends along.
  mutating func createProgress(_ body: [UInt8], of account: Account) throws(APIError) -> Reply {
    let members = try BodyMembers(body, allowed: ["type", "quantity", "notes"] + momentMembers)
    let type = try members.requiredText("type")
    guard let metric = Metric(name: type) else { throw .invalid("type \(type) is unknown") }
    let quantity = try members.requiredNumber("quantity")
    guard quantity >= 0 else { throw .unprocessable("quantity must be at least 0") }
    guard metric.accepts(quantity) else {
      throw .unprocessable("quantity of \(metric.name) must be \(metric.range)")
    }
    let notes = try members.text("notes")
    if let notes, notes.unicodeScalars.count > 500 {
      throw .unprocessable("notes must be at most 500 characters long")
    }
    let row = altered(
      ProgressRow(
        id: RowID(text: ids.uuid()), metric: metric, quantity: quantity,
        moment: try moment(members), notes: notes.flatMap { $0.isEmpty ? nil : $0 }))
    progress.add(row, of: account.userID)
    return .created(row.json)
  }

  private var momentMembers: [String] {
    let dialects =
      configuration.ignoresOtherDialect
      ? BackendConfiguration.Dialect.allCases : [configuration.dialect]
    return dialects.flatMap(\.momentMembers)
  }

  private func moment(_ members: BodyMembers) throws(APIError) -> Timestamp {
    let dialect = configuration.dialect
    if configuration.ignoresOtherDialect, !dialect.hasMoment(members) { return now.wholeSeconds }
    return try dialect.moment(members)
  }

  /// `GET /progress`
  func listProgress(
    _ items: [RequestTarget.QueryItem], of account: Account
  ) throws(APIError) -> Reply {
    let query = try HistoryQuery(items, today: today)
    let rows = progress.rows(of: account.userID).filter(query.selects)
    let page = rows.dropFirst(query.offset).prefix(query.limit)
    return .ok([
      "entries": .array(page.map { altered($0).json }), "total": .number(Double(rows.count)),
      "limit": .number(Double(query.limit)), "offset": .number(Double(query.offset)),
    ])
  }

  /// `DELETE /progress/{id}`
  mutating func deleteProgress(_ row: RowID, of account: Account) throws(APIError) -> Reply {
    guard let owner = progress.owner(of: row) else { throw .notFound("Progress entry") }
    guard owner == account.userID else {
      throw APIError(403, "forbidden", "The progress entry belongs to another user")
    }
    progress.remove(row)
    return .noContent
  }
}
