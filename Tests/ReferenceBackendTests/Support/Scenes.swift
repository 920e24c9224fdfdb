import Foundation
import LedgerJSON
import LedgerModel
import ReferenceBackend
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Runs `body` against a backend of its own and stops it afterwards.
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

/// Who registers in these tests.
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

  /// Logs one weight and gives its id.
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

/// A clock that goes only when told to.
final class TestClock: Sendable {
  private let moment: Mutex<Timestamp>

  init(_ text: String) throws {
    moment = Mutex(try #require(Timestamp(rfc3339: text)))
  }

  var now: @Sendable () -> Timestamp {
    { self.moment.withLock { $0 } }
  }

  func advance(seconds: Int64) {
    moment.withLock { $0.millisecondsSince1970 += seconds * 1000 }
  }
}

/// SplitMix64: the same seed gives the same words.
final class SeededWords: Sendable {
  private let state: Mutex<UInt64>

  init(seed: UInt64) {
    state = Mutex(seed)
  }

  func next() -> UInt64 {
    state.withLock { state in
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
  }
}
