import LedgerKit
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerSync
import LedgerTestSupport
import Synchronization
import Testing

@Suite struct WatchTests {
  static let day = CalendarDate(year: 2026, month: 1, day: 1)!

  static let quick = WatchSchedule(
    interval: .seconds(3_600), pause: .zero,
    backoff: Backoff(firstMilliseconds: 1, mostMilliseconds: 20))

  @Test("It runs at once, and again when somebody makes an edit, until it is cancelled")
  func wakes() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection()
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let watch = Task {
        try await ledger.watch(over: connection, options: .atOnce, schedule: Self.quick)
      }
      try await until { await connection.lines.count == 1 }
      let other = try await Ledger.open(at: ledger.directory.path)
      _ = try await other.log(.weight, 76, on: Self.day)
      try await until { await connection.lines.count == 2 }
      watch.cancel()
      #expect(try await watch.value.stop == .cancelled)
      // The lock is free: another run begins at once.
      var options = SyncOptions.atOnce
      options.lockWaitSeconds = 0
      #expect(try await ledger.sync(over: connection, options: options).sent == 0)
    }
  }

  @Test("An edit that comes between a run's last look at the log and its report is not overlooked")
  func between() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection()
      let directory = ledger.directory
      let watch = Task {
        try await ledger.watch(over: connection, options: .atOnce, schedule: Self.quick) { report in
          var random = SplitMix(1)
          let at = Timestamp(millisecondsSince1970: 1_767_225_600_000)
          let logged = ProgressLogged(
            entry: .make(at: at, using: &random), metric: .weight, quantity: 75, date: Self.day)
          let event = Event(
            id: .make(at: at, using: &random), at: at, by: .user, payload: .progressLogged(logged))
          if report.sent == 0 { _ = try? EventLog(directory).append([event], using: &random) }
        }
      }
      try await until { try await ledger.progress().entries.map(\.status) == [.synced] }
      watch.cancel()
      #expect(try await watch.value.stop == .cancelled)
      #expect(await connection.lines.count == 1)
    }
  }

  @Test("While another run holds the lock it says so, and goes on trying")
  func busy() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection()
      _ = try await ledger.log(.weight, 75, on: Self.day)
      var options = SyncOptions.atOnce
      options.lockWaitSeconds = 0
      let lock = Mutex<FileLock?>(
        try FileLock(ledger.directory.syncLock, .exclusive, waitSeconds: 0))
      let runs = Collector<SyncReport>()
      let watch = Task { [options] in
        try await ledger.watch(over: connection, options: options, schedule: Self.quick) { report in
          runs.add(report)
          lock.withLock { $0 = nil }
        }
      }
      try await until { runs.all.count >= 2 }
      watch.cancel()
      _ = try await watch.value
      #expect(runs.all[0].stop?.code == "busy")
      #expect(runs.all[1].stop == nil && runs.all[1].acknowledged == 1)
    }
  }

  @Test("While the backend cannot be reached it goes on trying, and edits wait")
  func offline() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection(
        .notSent(reason: "no network"), .notSent(reason: "no network"))
      let entry = try await ledger.log(.weight, 75, on: Self.day).id
      let runs = Collector<SyncReport>()
      let watch = Task {
        try await ledger.watch(over: connection, options: .atOnce, schedule: Self.quick) {
          runs.add($0)
        }
      }
      try await until { runs.all.count >= 3 }
      watch.cancel()
      _ = try await watch.value
      #expect(runs.all.prefix(2).map(\.stop) == [.offline("no network"), .offline("no network")])
      #expect(runs.all[2].acknowledged == 1)
      #expect(try await ledger.progress().entries.map(\.id) == [entry])
      #expect(try await ledger.progress().entries.map(\.status) == [.synced])
    }
  }

  /// After the first failure it would rest for at least half an hour.
  static let patient = WatchSchedule(
    interval: .seconds(3_600), pause: .zero,
    backoff: Backoff(firstMilliseconds: 3_600_000, mostMilliseconds: 3_600_000))

  @Test("An edit by another process ends a backoff at once, and what a run records itself does not")
  func editEndsBackoff() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection(
        .notSent(reason: "no network"), .notSent(reason: "no network"))
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let runs = Collector<SyncReport>()
      let watch = Task {
        try await ledger.watch(over: connection, options: .atOnce, schedule: Self.patient) {
          runs.add($0)
        }
      }
      let other = try await Ledger.open(at: ledger.directory.path)
      for count in 1...2 {
        try await until { runs.all.count == count }
        #expect(runs.all[count - 1].stop == .offline("no network"))
        _ = try await other.log(.weight, 75 + Double(count), on: Self.day)
      }
      try await until { try await ledger.syncCounts().pending == 0 }
      watch.cancel()
      #expect(try await watch.value.stop == .cancelled)
      #expect(runs.all.count == 3)
    }
  }

  @Test("An edit that comes while a call fails is sent after it, without a rest")
  func editDuringFailure() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection(.notSent(reason: "no network"))
      _ = try await ledger.log(.weight, 75, on: Self.day)
      await connection.shut()
      let watch = Task {
        try await ledger.watch(over: connection, options: .atOnce, schedule: Self.patient)
      }
      try await until { await connection.waitingCount == 1 }
      _ = try await ledger.log(.weight, 76, on: Self.day)
      await connection.open()
      try await until { try await ledger.syncCounts().pending == 0 }
      watch.cancel()
      _ = try await watch.value
    }
  }

  @Test("A call from the app ends a backoff and a rest")
  func wakeUp() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection(.notSent(reason: "no network"))
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let runs = Collector<SyncReport>()
      let watch = Task {
        try await ledger.watch(over: connection, options: .atOnce, schedule: Self.patient) {
          runs.add($0)
        }
      }
      try await until { runs.all.count == 1 }
      ledger.wake()
      try await until { runs.all.count == 2 }
      #expect(runs.all[1].acknowledged == 1)
      ledger.wake()
      try await until { runs.all.count == 3 }
      watch.cancel()
      _ = try await watch.value
      // With no watch on it, nothing happens.
      ledger.wake()
    }
  }

  @Test("An element of the sequence of wake-ups ends a backoff")
  func wakeUps() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection(.notSent(reason: "no network"))
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let runs = Collector<SyncReport>()
      let (wakeUps, source) = AsyncStream.makeStream(of: Int.self)
      let watch = Task {
        try await ledger.watch(
          over: connection, options: .atOnce, schedule: Self.patient, wake: wakeUps
        ) {
          runs.add($0)
        }
      }
      try await until { runs.all.count == 1 }
      source.yield(1)
      try await until { runs.all.count == 2 }
      #expect(runs.all[1].acknowledged == 1)
      watch.cancel()
      _ = try await watch.value
    }
  }

  @Test("While the backend has asked to wait, neither an edit nor the app starts a run")
  func retryAfter() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection(
        .response(.init(status: 429, retryAfterSeconds: 3_600)))
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let runs = Collector<SyncReport>()
      let watch = Task {
        try await ledger.watch(over: connection, options: .atOnce, schedule: Self.quick) {
          runs.add($0)
        }
      }
      try await until { runs.all.count == 1 }
      #expect(runs.all[0].stop == .rateLimited(seconds: 3_600))
      for quantity in 0..<20 {
        _ = try await ledger.log(.weight, 76 + Double(quantity), on: Self.day)
        ledger.wake()
      }
      #expect(runs.all.count == 1)
      watch.cancel()
      #expect(try await watch.value.stop == .cancelled)
    }
  }

  @Test("A session that is over ends it: a person is needed")
  func signedOut() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let connection = ScriptedConnection(.signedOut(reason: "over"))
      let report = try await ledger.watch(
        over: connection, options: .atOnce, schedule: Self.quick)
      #expect(report.stop == .signedOut("over"))
      #expect(report.pending == 1)
    }
  }
}
