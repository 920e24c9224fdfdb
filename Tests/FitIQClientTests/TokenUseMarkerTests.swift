import LedgerSync
import LedgerTestSupport
import ReferenceBackend
import Testing

@testable import FitIQClient

@Suite(.blocks) struct TokenUseMarkerTests {
  @Test("The marker written last is read")
  func roundTrip() async throws {
    try await withSignedInBackend { scene in
      let marker = TokenUseMarker(path: scene.store.lockPath)
      #expect(marker.read() == nil)
      for generation in [7, 123_456, 8] {
        marker.mark(generation)
        #expect(marker.read() == generation)
      }
    }
  }

  @Test("A pair that another process may have used up does not sign out")
  func usedByOthers() async throws {
    let paths = Collector<String>()
    let refreshes = Collector<Void>()
    var configuration = BackendConfiguration()
    configuration.faults = [try ScriptedFault("GET /api/v1/progress:status-before=401")]
    configuration.onRequest = { entry in
      guard entry.path == "/api/v1/auth/refresh", let path = paths.all.first else { return }
      refreshes.add(())
      TokenUseMarker(path: path).mark(refreshes.all.count + 1)
    }
    try await withSignedInBackend(configuration) { scene in
      paths.add(scene.store.lockPath)
      #expect(await scene.session().send(listing).isRefreshFailed)
      #expect(scene.refreshes == 4)
      let left = try scene.stored()
      #expect(left?.isSignedIn == true)
    }
  }

  @Test(
    "A marker of an old pair, or of removed credentials, does not hide the end",
    arguments: [1, 1_000])
  func staleMarker(_ noted: Int) async throws {
    try await withSignedInBackend { scene in
      TokenUseMarker(path: scene.store.lockPath).mark(noted)
      scene.server.setFaults([try ScriptedFault("GET /api/v1/progress:status-before=401")])
      #expect(await scene.session().send(listing).isSignedOut)
    }
  }
}
