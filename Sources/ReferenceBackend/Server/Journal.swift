import LedgerJSON

/// One request as it came, and how it was answered. Secrets are masked.
public struct JournalEntry: Sendable, Equatable {
  public let method: String
  /// As sent, without the query.
  public let path: String
  /// As sent, without the question mark; nil when there was none.
  public let query: String?
  /// By name in lower case; lines of one name are joined by a comma.
  public let headers: [String: String]
  /// As text; broken UTF-8 is shown with replacement characters.
  public let body: String
  /// Nil while the answer is not decided, and for good when the connection was dropped instead.
  public internal(set) var status: Int?
  /// The statuses that processing it really came to, whatever the client was told: none while it
  /// was not processed, two when a fault delivered it twice.
  public internal(set) var outcomes: [Int] = []
}

/// Every well-formed request in the order of arrival.
struct Journal: Sendable {
  private(set) var entries: [JournalEntry] = []

  /// Where one request stands in the journal.
  struct Index: Sendable, Equatable {
    fileprivate let value: Int
  }

  mutating func begin(_ request: HTTPRequest) -> Index {
    entries.append(JournalEntry(request))
    return Index(value: entries.count - 1)
  }

  mutating func add(outcome status: Int, to index: Index) {
    entries[index.value].outcomes.append(status)
  }

  subscript(index: Index) -> JournalEntry { entries[index.value] }

  mutating func finish(_ index: Index, status: Int?) -> JournalEntry {
    entries[index.value].status = status
    return entries[index.value]
  }
}

extension JournalEntry {
  fileprivate static let mask = "***"

  init(_ request: HTTPRequest) {
    method = request.method
    path = request.target.path
    query = request.target.query
    var headers: [String: String] = [:]
    for field in request.headers.fields {
      let isSecret = ["authorization", "x-api-key"].contains(field.name)
      let value = isSecret ? JournalEntry.mask : field.value
      headers[field.name] = headers[field.name].map { "\($0), \(value)" } ?? value
    }
    self.headers = headers
    let isAuth = request.target.segments.starts(with: ["api", "v1", "auth"])
    body =
      isAuth
      ? JournalEntry.masked(request.body) : String(decoding: request.body, as: UTF8.self)
  }

  /// A body whose password and tokens are masked; all of it when it is no object.
  private static func masked(_ body: [UInt8]) -> String {
    guard !body.isEmpty else { return "" }
    guard case .object(var object)? = try? JSONValue(parsing: body) else { return mask }
    for name in ["password", "refresh_token"] where object[name] != nil {
      object[name] = .string(mask)
    }
    return JSONValue.object(object).serialized
  }
}
