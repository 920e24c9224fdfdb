import FitIQClient
import LedgerModel
import LedgerSync
import LedgerTestSupport
import ReferenceBackend
import Testing

@Suite(.blocks) struct SessionTests {
  @Test("A call carries key and token")
  func aCallCarriesKeyAndToken() async throws {
    try await withSignedInBackend { scene in
      let answer = await scene.session().send(weighing(70))
      #expect(answer.response?.status == 201)
      let headers = try #require(scene.server.journal.last?.headers)
      #expect(headers["x-api-key"] != nil)
      #expect(headers["authorization"] != nil)
      #expect(headers["content-type"] == "application/json")
      #expect(headers["accept"] == "application/json")
      #expect(headers["cookie"] == nil)
    }
  }

  @Test("Expired tokens are renewed once per generation, and no call is lost or repeated")
  func tokensThatDieAreRenewedOnTheWay() async throws {
    try await withSignedInBackend(.tokensFor(3)) { scene in
      let session = scene.session()
      for quantity in 1...30 {
        let answer = await session.send(weighing(quantity))
        #expect(answer.response?.status == 201)
      }
      #expect(scene.server.rows(of: "ada@example.org").count == 30)
      #expect(scene.refreshes == 9)
      let kept = try scene.stored()
      #expect(kept?.generation == 10)
    }
  }

  @Test("Fifty calls with an expired token refresh once")
  func fiftyCallsWithADeadTokenRefreshOnce() async throws {
    try await withSignedInBackend { scene in
      try scene.killToken()
      let session = scene.session()
      let created = await withTaskGroup(of: Bool.self) { group in
        for quantity in 1...50 {
          group.addTask { await session.send(weighing(quantity)).response?.status == 201 }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(created == 50)
      #expect(scene.refreshes == 1)
      #expect(scene.server.rows(of: "ada@example.org").count == 50)
    }
  }

  /// Two sessions lock each other out as two processes do.
  @Test("Two sessions on one store refresh once")
  func twoSessionsOnOneStoreRefreshOnce() async throws {
    try await withSignedInBackend { scene in
      try scene.killToken()
      let sessions = [scene.session(), scene.session()]
      let created = await withTaskGroup(of: Bool.self) { group in
        for quantity in 1...20 {
          let session = sessions[quantity % 2]
          group.addTask {
            var answer = await session.send(weighing(quantity))
            // The wait for the other session may time out; retry.
            while answer.isBusy { answer = await session.send(weighing(quantity)) }
            return answer.response?.status == 201
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(created == 20)
      #expect(scene.refreshes == 1)
      // The session was not revoked: its refresh token is valid for another pair.
      try scene.killToken()
      #expect(await sessions[0].send(listing).response?.status == 200)
      #expect(await sessions[1].send(listing).response?.status == 200)
      #expect(scene.refreshes == 2)
    }
  }

  /// Concurrent calls are refused even with fresh tokens.
  @Test("Tokens for one call each do not sign out")
  func tokensForOneCallEachSignNobodyOut() async throws {
    try await withSignedInBackend(.tokensFor(1)) { scene in
      let session = scene.session()
      await withTaskGroup(of: WireAnswer.self) { group in
        for quantity in 1...12 { group.addTask { await session.send(weighing(quantity)) } }
        for await answer in group {
          #expect(answer.response?.status == 201 || answer.isRefreshFailed)
        }
      }
      let kept = try scene.stored()
      #expect(kept?.isSignedIn == true)
      #expect(await session.send(listing).response?.status == 200)
    }
  }

  @Test("A pair renewed by another process is used without a refresh")
  func anotherProcesssNewPairIsUsedWithoutARefresh() async throws {
    let gate = Gate()
    var configuration = BackendConfiguration()
    configuration.onRequest = { if $0.method == "GET" { gate.pass() } }
    try await withSignedInBackend(configuration) { scene in
      defer { gate.open() }
      let old = try #require(try scene.stored())
      let session = scene.session()
      try scene.killToken()
      // The old pair returns as generation 2 while the call with the invalid one is in flight.
      async let answer = session.send(listing)
      try await until { scene.calls("/api/v1/progress") == 1 }
      var newer = old
      newer.generation += 1
      try scene.store.save(newer)
      gate.open()
      #expect(await answer.response?.status == 200)
      #expect(scene.server.journal.suffix(2).map(\.status) == [401, 200])
      #expect(scene.refreshes == 0)
    }
  }

  @Test("Nothing is sent without a token")
  func withoutATokenNothingIsSent() async throws {
    try await withSignedInBackend { scene in
      try await AuthAPI.logout(scene.store)
      let before = scene.server.journal.count
      #expect(await scene.session().send(listing).isSignedOut)
      let elsewhere = try CredentialFolder()
      let session = BackendSession(
        address: scene.address, store: elsewhere.store, transport: HTTPTransport.patient)
      #expect(await session.send(listing).isSignedOut)
      #expect(scene.server.journal.count == before)
    }
  }

  @Test("Tokens that cannot be read while others are stored are no sign-out")
  func storingIsNoSignOut() async throws {
    struct StoringStore: CredentialStore {
      let store: FileCredentialStore

      var lockPath: String { store.lockPath }
      func load() throws(ClientError) -> Credentials? {
        var stored = try store.load()
        stored?.tokens = nil
        return stored
      }
      func loadLocked() throws(ClientError) -> Credentials? { try store.load() }
      func save(_ credentials: Credentials) throws(ClientError) { try store.save(credentials) }
      func remove() throws(ClientError) { try store.remove() }
    }
    try await withSignedInBackend { scene in
      let session = BackendSession(
        address: scene.address, store: StoringStore(store: scene.store),
        transport: HTTPTransport.patient)
      #expect(await session.send(listing).response?.status == 200)
    }
  }

  @Test("Credentials are sent to their origin only")
  func credentialsStayWithTheirOrigin() async throws {
    try await withSignedInBackend { scene in
      let other = try RawServer { $0.request() }
      defer { other.stop() }
      let session = BackendSession(
        address: try BackendAddress(other.url), store: scene.store,
        transport: HTTPTransport.patient)
      #expect(await session.send(listing).isSignedOut)
      #expect(other.connections == 0)
    }
  }
}
