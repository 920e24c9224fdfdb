import FitIQClient
import Foundation
import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerSync
import LedgerTestSupport
import ReferenceBackend
import Testing

/// A temporary ledger folder with credentials.
final class CredentialFolder: Sendable {
  private let folder: TemporaryFolder
  let directory: LedgerDirectory

  init() throws {
    folder = try TemporaryFolder()
    directory = LedgerDirectory(folder.path)
  }

  var store: FileCredentialStore { FileCredentialStore(directory) }
  var credentialsPath: String { directory.credentials }

  /// The file's content; empty without a file.
  var text: String { (try? String(contentsOfFile: directory.credentials, encoding: .utf8)) ?? "" }
}

let demoKey = Secret(BackendConfiguration.demoAPIKey)
let demoPassword = "correct horse"
let bornIn1990 = CalendarDate(year: 1990, month: 12, day: 10)!

/// A backend with Ada's account, her session, and her credentials.
struct SignedInBackend {
  let server: BackendServer
  let scratch: CredentialFolder
  let address: BackendAddress

  var store: FileCredentialStore { scratch.store }

  func session() -> BackendSession {
    BackendSession(address: address, store: store, transport: HTTPTransport.patient)
  }

  var api: AuthAPI {
    AuthAPI(address: address, apiKey: demoKey, store: store, transport: HTTPTransport.patient)
  }

  func stored() throws -> Credentials? { try store.load() }

  /// Replaces the access token by one that the backend never issued.
  func killToken() throws {
    var credentials = try #require(try store.load())
    credentials.tokens?.access = Secret("dead-token")
    try store.save(credentials)
  }

  var refreshes: Int { calls("/api/v1/auth/refresh") }

  func calls(_ path: String) -> Int { server.journal.count { $0.path == path } }
}

func withSignedInBackend(
  _ configuration: BackendConfiguration = BackendConfiguration(),
  _ body: (SignedInBackend) async throws -> Void
) async throws {
  let server = try BackendServer.start(configuration)
  defer { server.stop() }
  let scene = SignedInBackend(
    server: server, scratch: try CredentialFolder(), address: try BackendAddress(server.baseURL))
  try await scene.api.register(
    email: "Ada@example.org", password: demoPassword, name: "Ada", dateOfBirth: bornIn1990)
  try await body(scene)
}

extension BackendConfiguration {
  /// The defaults with tokens that expire after so many uses.
  static func tokensFor(_ uses: Int) -> BackendConfiguration {
    var configuration = BackendConfiguration()
    configuration.accessTokenUses = uses
    return configuration
  }
}

/// One weight, as the projector would send it.
func weighing(_ quantity: Int) -> WireRequest {
  let body: JSONValue = ["type": "weight", "quantity": JSONValue(quantity), "date": "2026-03-01"]
  return WireRequest(.post, "/api/v1/progress", body: Array(body.serialized.utf8))
}

let listing = WireRequest(
  .get, "/api/v1/progress", query: [.init("from", "1900-01-01"), .init("to", "2100-12-31")])

extension WireAnswer {
  var response: Response? { if case .response(let response) = self { response } else { nil } }
  var isNotSent: Bool { if case .notSent = self { true } else { false } }
  var isLost: Bool { if case .lost = self { true } else { false } }
  var isSignedOut: Bool { if case .signedOut = self { true } else { false } }
  var isRefreshFailed: Bool { if case .refreshFailed = self { true } else { false } }
  /// Not sent, because another session held the lock for the whole wait.
  var isBusy: Bool {
    guard case .refreshFailed(let reason) = self else { return false }
    return reason.contains("another process has been renewing the session")
  }
}
