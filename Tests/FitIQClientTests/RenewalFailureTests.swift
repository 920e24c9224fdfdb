import FitIQClient
import Foundation
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerSync
import LedgerTestSupport
import ReferenceBackend
import Testing

@Suite(.blocks) struct RenewalFailureTests {
  /// The refresh token was used by another client, so its reuse ends the session.
  @Test("A revoked session is signed out")
  func aRevokedSessionIsSignedOut() async throws {
    try await withSignedInBackend { scene in
      let session = scene.session()
      let used = try #require(try scene.stored())
      try scene.killToken()
      #expect(await session.send(listing).response?.status == 200)
      var stale = used
      stale.tokens?.access = Secret("dead-token")
      try scene.store.save(stale)
      #expect(await session.send(listing).isSignedOut)
      let left = try #require(try scene.stored())
      #expect(left.tokens == nil)
      #expect(left.email == "ada@example.org")
      #expect(left.origin == scene.address.origin)
      #expect(!scene.scratch.text.contains("token"))
      let sent = scene.server.journal.count
      #expect(await session.send(listing).isSignedOut)
      #expect(scene.server.journal.count == sent)
    }
  }

  @Test(
    "A failed refresh leaves the session",
    arguments: [
      "status-before=503", "drop-before", "truncate", "garbage", "rate-limit=5",
      "status-before=302",
    ])
  func aRefreshThatFailsLeavesTheSession(fault: String) async throws {
    try await withSignedInBackend { scene in
      try scene.killToken()
      scene.server.setFaults([try ScriptedFault("POST /api/v1/auth/refresh:\(fault)")])
      #expect(await scene.session().send(weighing(70)).isRefreshFailed)
      #expect(try scene.stored()?.isSignedIn == true)
      #expect(scene.server.rows(of: "ada@example.org").isEmpty)
      #expect(scene.refreshes == 1)
    }
  }

  @Test("A backend that refuses every token ends the session")
  func aBackendThatRefusesEveryTokenEndsTheSession() async throws {
    try await withSignedInBackend { scene in
      scene.server.setFaults([try ScriptedFault("GET /api/v1/progress:status-before=401")])
      #expect(await scene.session().send(listing).isSignedOut)
      #expect(scene.refreshes == 2)
      #expect(try scene.stored()?.tokens == nil)
    }
  }

  @Test("It does so too if several calls are refused at once", arguments: 1...5)
  func severalCallsRefused(round: Int) async throws {
    try await withSignedInBackend { scene in
      scene.server.setFaults([try ScriptedFault("GET /api/v1/progress:status-before=401")])
      let session = scene.session()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { _ = await session.send(listing) } }
      }
      #expect(try scene.stored()?.tokens == nil)
    }
  }

  /// One path always answers 401 while others work, which does not end the session.
  @Test("A call uses at most five pairs")
  func fivePairsAreTheMostACallUses() async throws {
    let (refusals, refused) = AsyncStream.makeStream(of: Void.self)
    let served = DispatchSemaphore(value: 0)
    var configuration = BackendConfiguration()
    configuration.faults = [try ScriptedFault("GET /api/v1/progress:status-before=401")]
    // Each refusal waits until another call was answered.
    configuration.onRequest = { entry in
      guard entry.method == "GET" else { return }
      refused.yield()
      served.wait()
    }
    try await withSignedInBackend(configuration) { scene in
      let session = scene.session()
      let others = Task {
        var statuses: [Int?] = []
        for await _ in refusals {
          statuses.append(await session.send(weighing(1)).response?.status)
          served.signal()
        }
        return statuses
      }
      #expect(await session.send(listing).isRefreshFailed)
      refused.finish()
      #expect(await others.value == [201, 201, 201, 201, 201])
      #expect(scene.refreshes == 4)
      let left = try #require(try scene.stored())
      #expect(left.isSignedIn)
    }
  }

  @Test("A cancelled call lets the refresh finish")
  func aCancelledCallLetsTheRefreshFinish() async throws {
    let gate = Gate()
    var configuration = BackendConfiguration()
    configuration.onRequest = { if $0.path == "/api/v1/auth/refresh" { gate.pass() } }
    try await withSignedInBackend(configuration) { scene in
      defer { gate.open() }
      try scene.killToken()
      // A grace that does not end.
      let session = BackendSession(
        address: scene.address, store: scene.store, transport: HTTPTransport.patient,
        pause: { _ in try? await Task.sleep(for: .seconds(1 << 40)) })
      let call = Task { await session.send(listing) }
      try await until { scene.refreshes == 1 }
      call.cancel()
      gate.open()
      #expect(await call.value == .notSent(reason: "it was canceled"))
      #expect(try scene.stored()?.generation == 2)
      #expect(await session.send(listing).response?.status == 200)
      #expect(scene.refreshes == 1)
    }
  }

  @Test("A refresh is canceled after its call, when the grace is over, and releases the lock")
  func theGraceOfARefreshEnds() async throws {
    let gate = Gate()
    var configuration = BackendConfiguration()
    configuration.onRequest = { if $0.path == "/api/v1/auth/refresh" { gate.pass() } }
    try await withSignedInBackend(configuration) { scene in
      defer { gate.open() }
      try scene.killToken()
      let session = BackendSession(
        address: scene.address, store: scene.store, transport: HTTPTransport.patient,
        pause: { _ in })
      let call = Task { await session.send(listing) }
      try await until { scene.refreshes == 1 }
      call.cancel()
      #expect(await call.value.isRefreshFailed)
      let lock = try FileLock(scene.store.lockPath, .exclusive, waitSeconds: 0)
      withExtendedLifetime(lock) {}
    }
  }

  @Test("A canceled call stops waiting for the lock of a renewal")
  func aCanceledCallStopsWaitingForTheLock() async throws {
    try await withSignedInBackend { scene in
      try scene.killToken()
      let lock = try FileLock(scene.store.lockPath, .exclusive, waitSeconds: 10)
      let (renewals, renewal) = AsyncStream<Void>.makeStream()
      let session = BackendSession(
        address: scene.address,
        store: FailingStore(scene.store) { renewal.yield() },
        transport: HTTPTransport.patient, pause: { _ in })
      let call = Task { await session.send(listing) }
      // The session asks for the lock's path when it is made, and for its renewal.
      for await _ in renewals.prefix(2) {}
      call.cancel()
      let answer = await call.value
      #expect(answer.isRefreshFailed && !answer.isBusy && scene.refreshes == 0)
      withExtendedLifetime(lock) {}
    }
  }

  @Test("A pair that cannot be stored is stored later")
  func aPairThatCannotBeStoredIsStoredLater() async throws {
    try await withSignedInBackend { scene in
      try scene.killToken()
      let store = FailingStore(scene.store)
      let session = BackendSession(
        address: scene.address, store: store, transport: HTTPTransport.patient)
      store.fail(true)
      #expect(await session.send(listing).isRefreshFailed)
      #expect(scene.refreshes == 1)
      store.fail(false)
      #expect(await session.send(listing).response?.status == 200)
      #expect(scene.refreshes == 1)
      #expect(try scene.stored()?.generation == 2)
    }
  }

  @Test("Unreadable credentials need a sign-in")
  func unreadableCredentialsAskForASignIn() async throws {
    try await withSignedInBackend { scene in
      try Data("{}".utf8).write(to: URL(fileURLWithPath: scene.scratch.directory.credentials))
      let answer = await scene.session().send(listing)
      #expect(
        answer == .signedOut(reason: "credentials.json cannot be read"))
    }
  }
}
