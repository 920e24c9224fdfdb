import Foundation
import LedgerKit
import LedgerLog
import LedgerModel
import LedgerSync
import LedgerTestSupport
import Testing

/// Checks of the log while an app is idle, and checkpoints.
@Suite struct VerificationTests {
  static let day = CalendarDate(year: 2026, month: 1, day: 2)!

  private func damage(_ ledger: Ledger) throws {
    let url = URL(filePath: ledger.directory.events)
    let place = try #require(try Data(contentsOf: url).firstRange(of: Data("75.5".utf8)))
    // In place: a reader must not see a shorter file.
    let file = try FileHandle(forUpdating: url)
    try file.seek(toOffset: UInt64(place.lowerBound))
    try file.write(contentsOf: Data("76.5".utf8))
    try file.close()
  }

  @Test("A call checks the next part and says which")
  func verify() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75.5, on: Self.day)
      _ = try await ledger.log(.weight, 76, on: Self.day)
      let part = try await ledger.verify()
      #expect(
        part.seqs == Seq(1)...Seq(3) && part.lastSeq == Seq(3) && part.isComplete
          && part.damage == nil)
      #expect(FileManager.default.fileExists(atPath: ledger.directory.path + "/verified"))
      try damage(ledger)
      #expect(try await ledger.verify().damage?.line == 2)
    }
  }

  @Test("The rest of a log is checked at once, whatever the limit")
  func withoutLimit() async throws {
    try await withLedger { ledger in
      let notes = String(repeating: "n", count: 400)
      let edits = (0..<200).map { number in
        Edit(
          change: .logProgress(
            ProgressLogged(
              entry: .derived(from: "\(number)"), metric: .weight, quantity: 75, date: Self.day,
              notes: notes)))
      }
      _ = try await ledger.append(edits)
      #expect(try await !ledger.verify(mostBytes: 1).isComplete)
      #expect(try await ledger.verify(mostBytes: .max).isComplete)
    }
  }

  @Test("No edit and no sync checks the log or writes the file")
  func others() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75.5, on: Self.day)
      _ = try await ledger.sync(over: ScriptedConnection(), options: .atOnce)
      #expect(!FileManager.default.fileExists(atPath: ledger.directory.path + "/verified"))
    }
  }

  /// Lists no row at first, as if all had moved to another page meanwhile.
  private actor ShiftingConnection: BackendConnection {
    let backend: ScriptedConnection
    private var left: Int

    init(_ backend: ScriptedConnection, emptyListings: Int) {
      (self.backend, left) = (backend, emptyListings)
    }

    func send(_ request: WireRequest) async -> WireAnswer {
      guard request.path == "/api/v1/progress", left > 0 else { return await backend.send(request) }
      left -= 1
      return .response(.init(status: 200, body: Array(#"{"entries":[],"total":0}"#.utf8)))
    }
  }

  @Test("A row counts as missing if two listings lack it", arguments: [1, 2])
  func missingRow(_ emptyListings: Int) async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75.5, on: Self.day)
      let backend = ScriptedConnection()
      _ = try await ledger.sync(over: backend, options: .atOnce)
      let audit = try await ledger.verifyBackend(
        over: ShiftingConnection(backend, emptyListings: emptyListings))
      #expect(audit.differences.map(\.kind) == (emptyListings == 1 ? [] : [.missingRow]))
    }
  }

  /// The first listing has another quantity, as if it were older than the answers.
  private actor LateConnection: BackendConnection {
    let backend: ScriptedConnection
    private var isFirst = true

    init(_ backend: ScriptedConnection) { self.backend = backend }

    func send(_ request: WireRequest) async -> WireAnswer {
      let answer = await backend.send(request)
      guard request.path == "/api/v1/progress", isFirst, case .response(var response) = answer
      else { return answer }
      isFirst = false
      let text = String(decoding: response.body, as: UTF8.self)
      response.body = Array(text.replacing("75.5", with: "74").utf8)
      return .response(response)
    }
  }

  @Test("What differs soon after a sync is read again", arguments: [5, 0])
  func lateListing(_ settleSeconds: Int) async throws {
    var environment = LedgerEnvironment()
    environment.pause = { _ in }
    try await withLedger(environment) { ledger in
      _ = try await ledger.log(.weight, 75.5, on: Self.day)
      let backend = ScriptedConnection()
      _ = try await ledger.sync(over: backend, options: .atOnce)
      var configuration = SyncConfiguration()
      configuration.settleSeconds = settleSeconds
      let audit = try await ledger.verifyBackend(
        over: LateConnection(backend), configuration: configuration)
      #expect(audit.differences.map(\.field) == (settleSeconds == 0 ? ["quantity"] : []))
    }
  }

  /// Lists the same full page for every offset, without a total.
  private struct RepeatingConnection: BackendConnection {
    func send(_ request: WireRequest) async -> WireAnswer {
      guard request.path == "/api/v1/progress" else {
        return .response(.init(status: 404, body: []))
      }
      let rows = (0..<100).map { number in
        #"{"id":"row-\#(number)","type":"weight","quantity":70,"date":"2026-01-01"}"#
      }
      let body = #"{"entries":[\#(rows.joined(separator: ","))]}"#
      return .response(.init(status: 200, body: Array(body.utf8)))
    }
  }

  @Test("A backend that repeats a page cannot be compared")
  func repeatedPage() async throws {
    try await withLedger { ledger in
      let failure = await #expect(throws: BackendAuditFailure.self) {
        try await ledger.verifyBackend(over: RepeatingConnection())
      }
      #expect(failure?.description.contains("they changed while they were listed") == true)
    }
  }

  @Test("An idle watch checks the log, reports damage once, and goes on")
  func watch() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75.5, on: Self.day)
      let runs = Collector<SyncReport>()
      let damages = Collector<Damage>()
      var schedule = WatchTests.quick
      schedule.verifyInterval = .milliseconds(20)
      let watch = Task { [schedule] in
        try await ledger.watch(
          over: ScriptedConnection(), options: .atOnce, schedule: schedule,
          onRun: { runs.add($0) }, onDamage: { damages.add($0) })
      }
      try await until {
        FileManager.default.fileExists(atPath: ledger.directory.path + "/verified")
      }
      #expect(damages.all.isEmpty && runs.all.count == 1)
      try damage(ledger)
      try await until { !damages.all.isEmpty }
      #expect(damages.all.first?.line == 2)
      watch.cancel()
      #expect(try await watch.value.stop == .cancelled)
    }
  }

  private struct Signer: CheckpointSigner {
    struct Locked: Error {}
    var isLocked = false

    func sign(_ bytes: [UInt8]) async throws -> [UInt8] {
      if isLocked { throw Locked() }
      return bytes.reversed()
    }
  }

  @Test("A checkpoint binds the head and what is erased, and is signed by the app")
  func signed() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75)
      _ = try await ledger.log(.steps, 4_000)
      _ = try await ledger.erase(Seq(2), reason: "a test")
      let found = try Verification.verify(ledger.directory)
      let signed = try await ledger.checkpoint(signedBy: Signer())
      let checkpoint = signed.checkpoint
      #expect(checkpoint.seq == Seq(found.head.seq) && checkpoint.hash == found.head.hash)
      #expect(checkpoint.ledger == found.ledger)
      #expect(
        checkpoint.erased == [Seq(2)...Seq(2)]
          && checkpoint.isErased(Seq(2)) && !checkpoint.isErased(Seq(3)))
      #expect(try Checkpoint(Array(checkpoint.text.utf8)) == checkpoint)
      var lines = checkpoint.text.split(separator: "\n", omittingEmptySubsequences: false)
      lines[2] = "\(Int.max)"
      lines[4] = "\(Int.max),1"
      #expect(throws: Checkpoint.FormatError.self) {
        try Checkpoint(Array(lines.joined(separator: "\n").utf8))
      }
      #expect(signed.signature == Array(checkpoint.text.utf8).reversed())
      await #expect(throws: Signer.Locked.self) {
        try await ledger.checkpoint(signedBy: Signer(isLocked: true))
      }
    }
  }
}
