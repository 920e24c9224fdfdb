import Foundation
import LedgerJSON
import ReferenceBackend
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Talks to a backend through URLSession, an HTTP client that this project did not write.
struct APIClient: Sendable {
  let server: BackendServer
  let session: URLSession
  var apiKey: String? = BackendConfiguration.demoAPIKey
  var token: String?

  init(_ server: BackendServer) {
    self.server = server
    let configuration = URLSessionConfiguration.ephemeral
    // No test waits for it; twenty seconds were too short for a sanitizer on a busy machine.
    configuration.timeoutIntervalForRequest = 200
    session = URLSession(configuration: configuration)
  }

  func with(token: String?) -> APIClient {
    var copy = self
    copy.token = token
    return copy
  }

  func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> Answer {
    try await call(method, path, text: body?.serialized)
  }

  func call(_ method: String, _ path: String, text: String?) async throws -> Answer {
    try await call(method, at: "/api/v1" + path, text: text)
  }

  /// A call to any path.
  func call(_ method: String, at path: String, text: String? = nil) async throws -> Answer {
    let url = try #require(URL(string: server.baseURL + path))
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = text.map { Data($0.utf8) }
    request.setValue(apiKey, forHTTPHeaderField: "X-API-Key")
    request.setValue(token.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let (data, response) = try await session.data(for: request)
    let http = try #require(response as? HTTPURLResponse)
    return Answer(status: http.statusCode, body: [UInt8](data), http: http)
  }
}

struct Answer {
  let status: Int
  let body: [UInt8]
  let http: HTTPURLResponse

  var json: JSONValue? { try? JSONValue(parsing: body) }
  /// The member `data`.
  var data: JSONObject { json?.object?["data"]?.object ?? [:] }
  var message: String? { json?.object?["error"]?.object?["message"]?.string }
  var entries: [JSONObject] { data["entries"]?.array?.compactMap(\.object) ?? [] }

  func header(_ name: String) -> String? { http.value(forHTTPHeaderField: name) }
}

extension JSONObject {
  var names: Set<String> { Set(members.map(\.name)) }
}
