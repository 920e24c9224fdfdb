import LedgerModel

/// Which progress rows a listing asks for.
struct HistoryQuery {
  private(set) var metric: Metric?
  /// Both days belong to the range; they are days of UTC.
  private(set) var from: CalendarDate?
  private(set) var to: CalendarDate?
  private(set) var limit = 20
  private(set) var offset = 0

  /// Without `from` and `to` only the last 30 days are listed, today included.
  init(_ items: [RequestTarget.QueryItem], today: CalendarDate) throws(APIError) {
    var seen: Set<String> = []
    for item in items {
      guard seen.insert(item.name).inserted else {
        throw .invalid("\(item.name) stands in the query twice")
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
    case "type":
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
    guard metric == nil || row.metric == metric, let day = row.moment.utc?.date else {
      return false
    }
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
    // `Int` alone would take a plus sign.
    guard item.value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(item.value),
      allowed.contains(number)
    else {
      let end = allowed.upperBound == Int.max ? "" : " and at most \(allowed.upperBound)"
      throw .invalid("\(item.name) must be a number of at least \(allowed.lowerBound)\(end)")
    }
    return number
  }
}
