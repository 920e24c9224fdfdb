import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Faults on real sockets, on the first call of a kind, one in the middle and the last.
@Suite(.blocks) struct WireFaultTests {
  struct Case: CustomTestStringConvertible {
    var fault: String
    var settleSeconds: Int
    var testDescription: String { "\(fault), settling \(settleSeconds) s" }
  }

  static let cases = [
    ("drop-before", 0), ("drop-after", 0), ("drop-after", 1), ("late=100", 1), ("duplicate", 0),
    ("status-before=503", 0), ("status-after=502", 0), ("truncate", 1), ("garbage", 0),
    ("no-id", 0), ("unwrapped", 0), ("rate-limit=1", 0), ("delay=30", 0),
  ].map { Case(fault: $0.0, settleSeconds: $0.1) }

  static let calls = [
    ("POST /api/v1/users/me", [1]), ("PUT /api/v1/users/me", [1]),
    ("PATCH /api/v1/users/me/physical", [1, 2]), ("POST /api/v1/progress", [1, 3, 6]),
    ("DELETE /api/v1/progress/{id}", [1, 2, 3]),
  ]

  @Test("Whatever is lost on the way, the backend has each entry once", arguments: cases)
  func fault(_ scene: Case) async throws {
    let faults = Self.calls.flatMap { call, numbers in
      numbers.flatMap { ["--fault", "\(call):\(scene.fault):\($0)"] }
    }
    try await withBackend(faults) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.settings("sync.settle_seconds", "\(scene.settleSeconds)")
      try ledger.must("append", "physical", "--height-cm", "170")
      try ledger.appendMany(1..<7)
      try await ledger.syncUntilQuiet()

      let logged = try ledger.log().lines.filter { $0.type == "progress.logged" }
        .compactMap { $0.data["entry"]?.string }
      let edits = [
        #"{"type":"profile.updated","data":{"name":"Ada L."}}"#,
        #"{"type":"physical.updated","data":{"height_cm":171}}"#,
        #"{"type":"progress.deleted","data":{"entry":"\#(logged[0])"}}"#,
        #"{"type":"progress.deleted","data":{"entry":"\#(logged[1])"}}"#,
        #"{"type":"progress.corrected","data":{"entry":"\#(logged[2])","quantity":33}}"#,
      ]
      try ledger.must("append", "--stdin", input: edits.joined(separator: "\n"))
      try await ledger.syncUntilQuiet()
      if scene.fault == "duplicate" { try await ledger.syncUntilQuiet() }
      try ledger.expectAllHeard()

      let rows = try await backend.rows()
      let quantities = rows.map(\.quantity)
      if scene.fault == "duplicate" {
        // The backend was made to accept some twice: those rows stand for themselves.
        #expect(Set(quantities).isSuperset(of: [4, 5, 6, 33]))
      } else {
        #expect(quantities == [4, 5, 6, 33])
      }
      #expect(try ledger.shownRows() == rows)
      let profile = try await backend.call("GET", "/api/v1/users/me", token: backend.token())
      #expect(profile.value.object?["name"] == "Ada L.")
      // Another device reads the same rows, however they got there.
      guard TestSize.of(scene.fault == "duplicate", full: true) else { return }
      let other = try await TestLedger.another(at: backend)
      #expect(try other.shownRows() == rows)
    }
  }
}
