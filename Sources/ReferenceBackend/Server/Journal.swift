import LedgerJSON

/// A request and its answer. Secrets are masked.
package struct JournalEntry: Sendable, Equatable {
  package let method: String
  /// As sent, without the query.
  package let path: String
  /// As sent, without the question mark; `nil` without a query.
  package let query: String?
  /// By name in lower case; values of one name are joined by commas.
  package let headers: [String: String]
  /// As text, with replacement characters for invalid UTF-8.
  package let body: String
  /// `nil` before the answer, and when the connection was dropped instead.
  package internal(set) var status: Int?
  /// The real results of processing the request, whatever the client received: none before it was
  /// processed, two when a fault delivered it twice.
  package internal(set) var outcomes: [Int] = []
}

/// All well-formed requests in the order of arrival.
struct Journal: Sendable {
  private(set) var entries: [JournalEntry] = []

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

  fileprivate init(_ request: HTTPRequest) {
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

  /// Masks password and tokens, or the whole body if it is not an object.
  private static func masked(_ body: [UInt8]) -> String {
    guard !body.isEmpty else { return "" }
    guard case .object(var object)? = try? JSONValue(parsing: body) else { return mask }
    for name in ["password", "refresh_token"] where object[name] != nil {
      object[name] = .string(mask)
    }
    return JSONValue.object(object).serialized
  }
}
