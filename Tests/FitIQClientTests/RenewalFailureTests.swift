import FitIQClient
import Foundation
import LedgerLog
import LedgerSync
import ReferenceBackend
import Testing

@Suite struct RenewalFailureTests {
  /// The refresh token was used by somebody else, so using it again ends the session.
  @Test func aRevokedSessionIsSignedOut() async throws {
    try await withScene { scene in
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

  @Test(arguments: [
    "status-before=503", "drop-before", "truncate", "garbage", "rate-limit=5", "status-before=302",
  ])
  func aRefreshThatFailsLeavesTheSession(fault: String) async throws {
    try await withScene { scene in
      try scene.killToken()
      scene.server.setFaults([try Fault("POST /api/v1/auth/refresh:\(fault)")])
      #expect(await scene.session().send(weighing(70)).isRefreshFailed)
      #expect(try scene.stored()?.isSignedIn == true)
      #expect(scene.server.rows(of: "ada@example.org").isEmpty)
      #expect(scene.refreshes == 1)
    }
  }

  @Test func aBackendThatRefusesEveryTokenEndsTheSession() async throws {
    try await withScene { scene in
      scene.server.setFaults([try Fault("GET /api/v1/progress:status-before=401")])
      #expect(await scene.session().send(listing).isSignedOut)
      #expect(scene.refreshes == 2)
      #expect(try scene.stored()?.tokens == nil)
    }
  }

  /// One path that always answers 401, while others are served: that is no end of the session.
  @Test func fivePairsAreTheMostACallUses() async throws {
    try await withScene { scene in
      let session = scene.session()
      scene.server.setFaults([
        try Fault("GET /api/v1/progress:status-before=401"),
        try Fault("POST /api/v1/auth/refresh:delay=60"),
      ])
      let others = Task {
        while !Task.isCancelled { _ = await session.send(weighing(1)) }
      }
      try await Task.sleep(for: .milliseconds(50))
      #expect(await session.send(listing).isRefreshFailed)
      others.cancel()
      await others.value
      #expect((4...5).contains(scene.refreshes))
      #expect(try scene.stored()?.isSignedIn == true)
    }
  }

  /// A caller that gives up must not cost the session its only pair.
  @Test func aCancelledCallLetsTheRefreshFinish() async throws {
    try await withScene { scene in
      try scene.killToken()
      scene.server.setFaults([try Fault("POST /api/v1/auth/refresh:delay=300")])
      let session = scene.session()
      let call = Task { await session.send(listing) }
      try await Task.sleep(for: .milliseconds(150))
      call.cancel()
      #expect(await !call.value.isSignedOut)
      #expect(try scene.stored()?.generation == 2)
      #expect(await session.send(listing).response?.status == 200)
      #expect(scene.refreshes == 1)
    }
  }

  /// A pair that cannot be stored is not used, and not forgotten either.
  @Test func aPairThatCannotBeStoredIsStoredLater() async throws {
    try await withScene { scene in
      try scene.killToken()
      let store = FailingStore(scene.store)
      let session = BackendSession(address: scene.address, store: store)
      store.fail(true)
      #expect(await session.send(listing).isRefreshFailed)
      #expect(scene.refreshes == 1)
      store.fail(false)
      #expect(await session.send(listing).response?.status == 200)
      #expect(scene.refreshes == 1)
      #expect(try scene.stored()?.generation == 2)
    }
  }

  @Test func unreadableCredentialsAskForASignIn() async throws {
    try await withScene { scene in
      try Data("{}".utf8).write(to: URL(fileURLWithPath: scene.scratch.directory.credentials))
      let answer = await scene.session().send(listing)
      #expect(
        answer == .signedOut(reason: "credentials.json cannot be read"))
    }
  }
}
