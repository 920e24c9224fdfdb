import Foundation
import LedgerJSON
import LedgerModel
import LedgerTestSupport
import ReferenceBackend
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Runs `body` with a new backend and stops it afterwards.
func withBackend(
  _ configuration: BackendConfiguration = BackendConfiguration(),
  _ body: (APIClient) async throws -> Void
) async throws {
  let server = try BackendServer.start(configuration)
  let client = APIClient(server)
  defer {
    client.session.invalidateAndCancel()
    server.stop()
  }
  try await body(client)
}

extension BackendConfiguration {
  /// The defaults with a change.
  static func with(_ change: (inout BackendConfiguration) -> Void) -> BackendConfiguration {
    var configuration = BackendConfiguration()
    change(&configuration)
    return configuration
  }
}

/// The same, signed in as Ada, who has no profile yet.
func withAda(
  _ configuration: BackendConfiguration = BackendConfiguration(),
  _ body: (APIClient) async throws -> Void
) async throws {
  try await withBackend(configuration) { api in
    try await body(try await api.signedUp("ada@example.org"))
  }
}

/// The body of a registration.
func person(_ email: String) -> JSONValue {
  [
    "email": .string(email), "password": "correct horse", "name": "Ada",
    "date_of_birth": "1990-12-10",
  ]
}

let metricProfile: JSONValue = ["name": "Ada", "preferred_unit_system": "metric"]

extension APIClient {
  func signedUp(_ email: String) async throws -> APIClient {
    let answer = try await call("POST", "/auth/register", person(email))
    try #require(answer.status == 201)
    return with(token: answer.data["access_token"]?.string)
  }

  /// Logs one weight and returns its id.
  @discardableResult
  func weigh(_ quantity: Double, _ date: String, _ time: String? = nil) async throws -> String {
    var body: JSONObject = [
      "type": "weight", "quantity": .number(quantity), "date": .string(date),
    ]
    body["time"] = time.map { .string($0) }
    let answer = try await call("POST", "/progress", .object(body))
    try #require(answer.status == 201)
    return try #require(answer.data["id"]?.string)
  }
}

extension TestClock {
  convenience init(_ text: String) throws {
    self.init(try #require(Timestamp(rfc3339: text)))
  }
}
