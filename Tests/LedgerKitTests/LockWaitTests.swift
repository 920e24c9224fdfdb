import Dispatch
import LedgerLog
import LedgerPlatform
import LedgerSync
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerKit

/// While another process holds `ledger.lock`.
@Suite(.timeLimit(.minutes(5))) struct LockWaitTests {
  static let day = CalendarDate(year: 2026, month: 1, day: 1)!

  /// No wait for a lock times out.
  static let timeless: LedgerEnvironment = {
    var environment = LedgerEnvironment()
    environment.uptime = { .zero }
    return environment
  }()

  /// Starts an edit, and returns when it waits.
  static func waitingEdit(_ quantity: Double, in ledger: Ledger) async -> Task<
    LoggedEntry, any Error
  > {
    let count = await ledger.writeQueue.turns.count
    let edit = Task { try await ledger.log(.weight, quantity, on: day) }
    while await ledger.writeQueue.turns.count == count { await Task.yield() }
    return edit
  }

  @Test("A query is answered while an edit waits for the lock")
  func query() async throws {
    try await withLedger(Self.timeless) { ledger in
      let lock = Mutex<FileLock?>(try FileLock(ledger.directory.ledgerLock, .exclusive))
      let edit = await Self.waitingEdit(75, in: ledger)
      #expect(try await ledger.progress().entries.isEmpty)
      lock.withLock { $0 = nil }
      _ = try await edit.value
      #expect(try await ledger.progress().entries.map(\.quantity) == [75])
    }
  }

  @Test("A canceled edit stops waiting for the lock, with nothing written")
  func cancellation() async throws {
    try await withLedger(Self.timeless) { ledger in
      let lock = try FileLock(ledger.directory.ledgerLock, .exclusive)
      let first = await Self.waitingEdit(75, in: ledger)
      let second = await Self.waitingEdit(76, in: ledger)
      for edit in [second, first] {
        edit.cancel()
        await #expect(throws: CancellationError.self) { try await edit.value }
      }
      #expect(try LogView.open(ledger.directory).head?.seq == 1)
      withExtendedLifetime(lock) {}
    }
  }

  @Test("A canceled sync that has sent nothing stops waiting for the lock")
  func canceledSync() async throws {
    try await withLedger(Self.timeless) { ledger in
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let lock = try FileLock(ledger.directory.ledgerLock, .exclusive)
      let connection = ScriptedConnection()
      let run = Task { try await ledger.sync(over: connection) }
      while await ledger.writeQueue.turns.isEmpty { await Task.yield() }
      run.cancel()
      await #expect(throws: CancellationError.self) { try await run.value }
      #expect(await connection.lines.isEmpty)
      withExtendedLifetime(lock) {}
    }
  }

  @Test("Edits that wait for the lock are made in the order of their calls")
  func order() async throws {
    try await withLedger(Self.timeless) { ledger in
      let lock = Mutex<FileLock?>(try FileLock(ledger.directory.ledgerLock, .exclusive))
      var edits: [Task<LoggedEntry, any Error>] = []
      for quantity in 70..<78 {
        edits.append(await Self.waitingEdit(Double(quantity), in: ledger))
      }
      edits[3].cancel()
      lock.withLock { $0 = nil }
      for edit in edits { _ = await edit.result }
      let entries = try await ledger.progress().entries.sorted { $0.seq < $1.seq }
      #expect(entries.map(\.quantity) == [70, 71, 72, 74, 75, 76, 77])
    }
  }

  @Test("Opening waits for another creator without a thread of the pool, and can be canceled")
  func opening() async throws {
    let folder = try TemporaryFolder()
    let paths = (0..<(4 * Threads.available)).map { "\(folder.path)/\($0)" }
    var locks: [FileLock] = []
    for path in paths {
      _ = try Folder.make(path, on: SystemDisk.shared)
      locks.append(try FileLock(LedgerDirectory(path).ledgerLock, .exclusive))
    }
    let openings = paths.map { path in
      Task { try await Ledger.open(at: path, environment: Self.timeless) }
    }
    await Task.detached {}.value
    openings[0].cancel()
    await #expect(throws: CancellationError.self) { try await openings[0].value }
    locks = []
    for opening in openings.dropFirst() {
      let ledger = try await opening.value
      #expect(try await ledger.progress().entries.isEmpty)
    }
    #expect(!LedgerDirectory(paths[0]).holdsLedger)
  }

  @Test("A torn tail does not make a query wait for the lock")
  func tornTail() async throws {
    try await withLedger(Self.timeless) { ledger in
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let log = try OpenFile(ledger.directory.events, .readWrite, on: SystemDisk.shared)
      try log.write(Array("{".utf8), at: log.size())
      let lock = try FileLock(ledger.directory.ledgerLock, .exclusive)
      #expect(try await ledger.progress().entries.map(\.quantity) == [75])
      #expect(try await ledger.outbox().count == 1)
      withExtendedLifetime(lock) {}
    }
  }

  @Test("A query is answered while a check waits for the lock")
  func check() async throws {
    let (starts, start) = AsyncStream<Void>.makeStream()
    var environment = Self.timeless
    environment.now = {
      start.yield()
      return Timestamp(millisecondsSince1970: 0)
    }
    try await withLedger(environment) { ledger in
      let isDone = Mutex(false)
      let lock = Mutex<FileLock?>(try FileLock(ledger.directory.ledgerLock, .exclusive))
      // Creating the ledger asks for the time as well.
      var started = starts.makeAsyncIterator()
      await started.next()
      let check = Task {
        let findings = try await ledger.doctor()
        isDone.withLock { $0 = true }
        return findings
      }
      await started.next()
      #expect(try await ledger.progress().entries.isEmpty)
      #expect(isDone.withLock { !$0 })
      lock.withLock { $0 = nil }
      #expect(try await check.value.allSatisfy { $0.severity != .damage })
    }
  }

  @Test("A canceled sync waits for the lock to record the answers that it has")
  func answers() async throws {
    try await withLedger(Self.timeless) { ledger in
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let connection = ScriptedConnection()
      await connection.shut()
      let run = Task { try await ledger.sync(over: connection, options: .atOnce) }
      while await connection.waitingCount == 0 { await Task.yield() }
      let lock = Mutex<FileLock?>(try FileLock(ledger.directory.ledgerLock, .exclusive))
      await connection.open()
      while await ledger.writeQueue.turns.isEmpty { await Task.yield() }
      run.cancel()
      lock.withLock { $0 = nil }
      #expect(try await run.value.acknowledged == 1)
    }
  }

  @Test("Edits that wait for the lock leave the cooperative pool and queries to others")
  func pool() async throws {
    try await withLedger(Self.timeless) { ledger in
      let lock = Mutex<FileLock?>(try FileLock(ledger.directory.ledgerLock, .exclusive))
      var ledgers: [Ledger] = []
      for _ in 0..<(4 * Threads.available) {
        ledgers.append(
          try await Ledger.open(at: ledger.directory.path, environment: Self.timeless))
      }
      var edits: [Task<LoggedEntry, any Error>] = []
      for ledger in ledgers { edits.append(await Self.waitingEdit(75, in: ledger)) }
      await Task.detached {}.value
      try await withThrowingTaskGroup(of: Int.self) { queries in
        for ledger in ledgers { queries.addTask { try await ledger.progress().total } }
        for try await total in queries { #expect(total == 0) }
      }
      lock.withLock { $0 = nil }
      for edit in edits { _ = try await edit.value }
    }
  }

  @Test("A ledger's blocking work leaves the cooperative pool to others")
  func blockingWork() async throws {
    try await withLedger { ledger in
      let count = 4 * Threads.available
      let (starts, start) = AsyncStream<Void>.makeStream()
      let end = DispatchSemaphore(value: 0)
      let work = (0..<count).map { _ in
        Task {
          var environment = LedgerEnvironment()
          // Called on the ledger's thread, as file operations are.
          environment.now = {
            start.yield()
            end.wait()
            return Timestamp(millisecondsSince1970: 0)
          }
          return try await Ledger.open(at: ledger.directory.path, environment: environment)
            .verify()
        }
      }
      for await _ in starts.prefix(count) {}
      for _ in work { end.signal() }
      for work in work {
        let part = try await work.value
        #expect(part.isComplete)
      }
    }
  }
}
