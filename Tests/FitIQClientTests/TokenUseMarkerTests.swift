import LedgerSync
import ReferenceBackend
import Testing

@testable import FitIQClient

@Suite struct PairInUseTests {
  @Test func whatIsNotedIsReadBack() async throws {
    try await withScene { scene in
      let note = TokenUseMarker(path: scene.store.lockPath)
      #expect(note.newest() == nil)
      for generation in [7, 123_456, 8] {
        note.note(generation)
        #expect(note.newest() == generation)
      }
    }
  }

  /// Another process may have used up each pair that this one fetched: the call is put off, and
  /// nobody is signed out.
  @Test func aPairThatOthersUseIsNoSignOfTheEnd() async throws {
    let paths = Box<String>()
    let refreshes = Box<Void>()
    var configuration = BackendConfiguration()
    configuration.faults = [try Fault("GET /api/v1/progress:status-before=401")]
    configuration.onRequest = { entry in
      guard entry.path == "/api/v1/auth/refresh", let path = paths.all.first else { return }
      refreshes.add(())
      TokenUseMarker(path: path).note(refreshes.all.count + 1)
    }
    try await withScene(configuration) { scene in
      paths.add(scene.store.lockPath)
      #expect(await scene.session().send(listing).isRefreshFailed)
      #expect(scene.refreshes == 4)
      let left = try scene.stored()
      #expect(left?.isSignedIn == true)
    }
  }

  /// Once nobody else calls, the end of the session is seen; nor does a note of credentials that
  /// were removed since keep it from being seen.
  @Test(arguments: [1, 1_000])
  func anOldNoteKeepsNobodySignedIn(_ noted: Int) async throws {
    try await withScene { scene in
      TokenUseMarker(path: scene.store.lockPath).note(noted)
      scene.server.setFaults([try Fault("GET /api/v1/progress:status-before=401")])
      #expect(await scene.session().send(listing).isSignedOut)
    }
  }
}
