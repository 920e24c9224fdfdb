import LedgerJSON
import LedgerModel

extension World {
  /// `POST /progress`. Every accepted request creates a row; idempotency keys have no effect.
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
      ? BackendConfiguration.MomentFormat.allCases : [configuration.dialect]
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

/// The query of a listing.
struct HistoryQuery {
  private(set) var metric: Metric?
  /// The first and the last day, in UTC.
  private(set) var from: CalendarDate?
  private(set) var to: CalendarDate?
  private(set) var limit: Int
  private(set) var offset = 0

  private let hasType: Bool

  /// Without `from` and `to` the range is the last 30 days and today.
  ///
  /// - Parameters:
  ///   - limit: unless the query has another one.
  ///   - hasType: whether rows can be listed by metric.
  init(
    _ items: [RequestTarget.QueryItem], today: CalendarDate, limit: Int = 20, hasType: Bool = true
  ) throws(APIError) {
    self.limit = limit
    self.hasType = hasType
    var seen: Set<String> = []
    for item in items {
      guard seen.insert(item.name).inserted else {
        throw .invalid("\(item.name) is in the query twice")
      }
      try read(item)
    }
    if from == nil, to == nil {
      from = today.adding(days: -30)
      to = today
    }
    if let from, let to, from > to { throw .invalid("from must not be after to") }
  }

  private mutating func read(_ item: RequestTarget.QueryItem) throws(APIError) {
    switch item.name {
    case "type" where hasType:
      metric = Metric(name: item.value)
      guard metric != nil else { throw .invalid("type \(item.value) is unknown") }
    case "from": from = try date(item)
    case "to": to = try date(item)
    case "limit": limit = try number(item, 1...100)
    case "offset": offset = try number(item, 0...Int.max)
    default: throw .invalid("Unknown query parameter: \(item.name)")
    }
  }

  func selects(_ row: ProgressRow) -> Bool {
    (metric == nil || row.metric == metric) && selects(row.moment)
  }

  func selects(_ moment: Timestamp) -> Bool {
    guard let day = moment.utc?.date else { return false }
    return (from ?? .first) <= day && day <= (to ?? .last)
  }

  private func date(_ item: RequestTarget.QueryItem) throws(APIError) -> CalendarDate {
    guard let date = CalendarDate(item.value) else {
      throw .invalid("\(item.name) must be a real date in the form YYYY-MM-DD")
    }
    return date
  }

  private func number(
    _ item: RequestTarget.QueryItem, _ allowed: ClosedRange<Int>
  ) throws(APIError) -> Int {
    // `Int` would accept a plus sign.
    guard item.value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(item.value),
      allowed.contains(number)
    else {
      let end = allowed.upperBound == Int.max ? "" : " and at most \(allowed.upperBound)"
      throw .invalid("\(item.name) must be a number of at least \(allowed.lowerBound)\(end)")
    }
    return number
  }
}

extension BackendConfiguration.MomentFormat {
  fileprivate var momentMembers: [String] {
    switch self {
    case .dateTime: ["date", "time"]
    case .loggedAt: ["logged_at"]
    }
  }

  fileprivate func hasMoment(_ members: BodyMembers) -> Bool {
    momentMembers.contains { members.has($0) }
  }

  /// The moment in the body, to the second.
  fileprivate func moment(_ members: BodyMembers) throws(APIError) -> Timestamp {
    switch self {
    case .dateTime:
      guard let date = try members.date("date") else { throw members.missing("date") }
      var time = ClockTime.midnight
      if let text = try members.text("time") {
        guard let given = ClockTime(text) else {
          throw .invalid("time must be a time in the form HH:MM:SS")
        }
        time = given
      }
      return ZonedTime(time: time, zone: .utc).instant(on: date)
    case .loggedAt:
      let text = try members.requiredText("logged_at")
      guard let moment = Timestamp(rfc3339: text), moment.utc != nil else {
        throw .invalid("logged_at must be a time in the form of RFC 3339")
      }
      return moment.wholeSeconds
    }
  }
}
