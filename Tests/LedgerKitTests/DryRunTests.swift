import LedgerKit
import LedgerSync
import LedgerTestSupport
import ReferenceBackend
import Testing

/// Over a real socket: what a plan says is what then leaves, byte for byte.
@Suite struct DryRunTests {
  static let day = CalendarDate(year: 2026, month: 1, day: 1)!

  @Test("A dry run equals what sync sends after lost answers, edits and changes on another device")
  func same() async throws {
    var configuration = BackendConfiguration()
    configuration.faults = [try ScriptedFault("POST /api/v1/progress:drop-after:2")]
    let server = try BackendServer.start(configuration)
    defer { server.stop() }
    try await withLedger { ledger in
      let lost = try await Self.begin(ledger, server)
      try await withLedger { other in
        try await Self.signIn(other, server, registers: false)
        _ = try await other.sync(options: .atOnce)
        try await other.append(.updateProfile(ProfileUpdated(bio: .set("mathematician"))))
        _ = try await other.sync(options: .atOnce)
      }
      try await ledger.append(.updateProfile(ProfileUpdated(name: "Ada Lovelace")))
      try await ledger.append(.correctProgress(ProgressCorrected(entry: lost, quantity: 80)))
      _ = try await ledger.log(.steps, 4_000, on: Self.day)

      var options = SyncOptions.atOnce
      options.configuration.concurrency = 1
      let before = try await ledger.state().position
      let plan = try await ledger.plan(asking: try await ledger.connection(), options: options)
      #expect(plan.stopped == nil)
      #expect(try await ledger.state().position == before)

      let traces = Collector<WireTrace>()
      let connection = try #require(try await ledger.connection { traces.add($0) })
      let report = try await ledger.sync(over: connection, options: options)
      #expect(report.reconciled == 1)
      #expect(report.pending == 0)
      let left = traces.all.filter { $0.method != "GET" }
      #expect(
        plan.plan.calls.map { "\($0.request.method.rawValue) \($0.request.path)" }
          == left.map { "\($0.method) \($0.target)" })
      #expect(
        plan.plan.calls.map { $0.request.body.map { String(decoding: $0, as: UTF8.self) } }
          == left.map(\.body))
      #expect(left.first?.body?.contains("mathematician") == true)
    }
  }

  @Test("Without a connection it goes by the log alone, and says so")
  func offline() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let dryRun = try await ledger.plan(asking: Offline())
      #expect(dryRun.plan.calls.count == 1)
      #expect(dryRun.stopped?.stop == .offline("no network"))
      #expect(try await ledger.plan(asking: nil).plan == dryRun.plan)
    }
  }

  @Test("In batches it plans the same calls", arguments: [1, 2, 7])
  func batches(entriesAtATime: Int) async throws {
    try await withLedger { ledger in
      try await ledger.append(.updateProfile(ProfileUpdated(name: "Ada")))
      for count in 1...5 { _ = try await ledger.log(.steps, Double(count), on: Self.day) }
      var options = SyncOptions.atOnce
      options.configuration.entriesAtATime = entriesAtATime
      let batches = Collector<[PlannedCall]>()
      let rest = try await ledger.plan(asking: nil, options: options) { batches.add($0) }
      let whole = try await ledger.plan(asking: nil).plan
      #expect(Array(batches.all.joined()) == whole.calls && whole.calls.count == 6)
      #expect(batches.all.allSatisfy { $0.count <= entriesAtATime + 1 })
      #expect(rest.plan.calls.isEmpty && rest.plan.elisions == whole.elisions)
    }
  }

  struct Offline: BackendConnection {
    func send(_ request: WireRequest) async -> WireAnswer { .notSent(reason: "no network") }
  }

  /// Everything acknowledged but one entry, whose answer was lost.
  private static func begin(_ ledger: Ledger, _ server: BackendServer) async throws -> EntryID {
    try await signIn(ledger, server, registers: true)
    try await ledger.append(
      .updateProfile(ProfileUpdated(name: "Ada", preferredUnitSystem: .metric)))
    _ = try await ledger.log(.weight, 75, on: day)
    let lost = try await ledger.log(.weight, 76, on: day).id
    var options = SyncOptions.atOnce
    options.configuration.concurrency = 1
    #expect(try await ledger.sync(options: options).inDoubt == 1)
    return lost
  }

  private static func signIn(
    _ ledger: Ledger, _ server: BackendServer, registers: Bool
  ) async throws {
    let address = try BackendAddress(server.baseURL)
    let key = Secret(BackendConfiguration.demoAPIKey)
    if registers {
      _ = try await ledger.register(
        at: address, apiKey: key, email: "ada@example.org", password: "secret12", name: "Ada",
        dateOfBirth: try #require(CalendarDate(year: 1990, month: 7, day: 20)))
    } else {
      _ = try await ledger.signIn(
        to: address, apiKey: key, email: "ada@example.org", password: "secret12")
    }
  }
}
