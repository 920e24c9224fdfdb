import Foundation
import LedgerKit
import Synchronization

/// A ledger in a folder that goes with the test.
func withLedger(_ body: (Ledger) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "ledger-kit-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(try Ledger.open(at: folder.appending(path: ".ledger").path, device: "test"))
}

extension SyncOptions {
  /// Without the pause before a doubt is looked into.
  static var atOnce: SyncOptions {
    var wishes = SyncConfiguration()
    wishes.settleSeconds = 0
    return SyncOptions(wishes: wishes)
  }
}

/// Waits until something holds, as long as it takes.
func until(_ condition: () async throws -> Bool) async throws {
  while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
}

/// What callbacks were told.
final class Told<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  func add(_ element: Element) { elements.withLock { $0.append(element) } }

  var all: [Element] { elements.withLock { $0 } }
}
