import Foundation
import LedgerModel
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerLog

/// File events of a ledger's `head`.
@Suite(.timeLimit(.minutes(5))) struct HeadWatcherTests {
  private let ledger = TemporaryLedger(SampleLog(events: 3))

  /// Counts calls from the watcher's thread.
  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .acquiring) }
    func add() { count.add(1, ordering: .releasing) }

    func waits(for least: Int) async throws {
      try await until { value >= least }
    }
  }

  private func append() throws {
    var random = SystemRandomNumberGenerator()
    let at = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    let event = Event(
      id: .make(at: at, using: &random), at: at, by: .user,
      payload: .profileUpdated(ProfileUpdated(name: "Ada")))
    _ = try EventLog(ledger.directory).append([event], using: &random)
  }

  /// Waits while the user's limit of watches is reached, as ``descriptors()`` beside it may do.
  private func watch(
    onChange: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable () -> Void = {}
  ) async throws -> HeadWatcher {
    while true {
      if let watcher = HeadWatcher(ledger.directory, onChange: onChange, onEnd: onEnd) {
        return watcher
      }
      // Recently stopped ones may still be closing.
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  @Test(
    "It reports an append, also after another file has taken the name, and nothing once stopped")
  func reports() async throws {
    let changes = Counter()
    let watcher = try await watch {
      changes.add()
    }
    try append()
    try await changes.waits(for: 1)
    let bytes = ledger.contents(ledger.directory.head)
    let other = ledger.directory.head + ".other"
    ledger.write(bytes, to: other)
    var seen = changes.value
    #expect(rename(other, ledger.directory.head) == 0)
    try await changes.waits(for: seen + 1)
    seen = changes.value
    try append()
    try await changes.waits(for: seen + 1)
    watcher.stop()
  }

  @Test("Without a folder there is no watch; removing the folder ends it")
  func folder() async throws {
    let missing = LedgerDirectory(ledger.directory.path + "/nothing")
    #expect(
      HeadWatcher(missing) {
      } onEnd: {
      } == nil)
    let ends = Counter()
    let watcher = try await watch {
    } onEnd: {
      ends.add()
    }
    try FileManager.default.removeItem(atPath: ledger.directory.path)
    try await ends.waits(for: 1)
    watcher.stop()
    #expect(ends.value == 1)
  }

  /// Linux allows a user 128 of them by default.
  @Test("A stopped or released watcher closes its descriptors")
  func descriptors() async throws {
    for round in 0..<200 {
      let watcher = try await watch {
      }
      if round.isMultiple(of: 2) { watcher.stop() }
    }
  }
}
