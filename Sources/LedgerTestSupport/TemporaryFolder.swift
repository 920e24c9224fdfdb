import Foundation
import LedgerPlatform

/// A folder that is deleted with its last reference.
package final class TemporaryFolder: Sendable {
  /// Without symbolic links.
  package let path: String

  package init() throws {
    let url = Self.base.appending(path: "ledger-test-\(UUID().uuidString)")
    // Independent of the umask: ledgers that others may write to are refused.
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = url.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// In memory where the system offers it, since a test would mostly wait for the disk's syncs; on the
  /// disk at full size.
  private static let base = TestSize.of(
    memory ?? FileManager.default.temporaryDirectory,
    full: FileManager.default.temporaryDirectory)

  /// Linux's file system in memory. Containers often have a tiny one, or one that executes nothing.
  private static let memory: URL? = {
    #if os(Linux)
      let path = "/dev/shm"
      // `ST_NOEXEC`, which Swift does not import.
      let executesNothing: UInt = 8
      var system = statvfs()
      guard FileManager.default.isWritableFile(atPath: path), statvfs(path, &system) == 0,
        UInt(system.f_flag) & executesNothing == 0,
        UInt(system.f_bavail) * UInt(system.f_frsize) >= 1 << 30
      else { return nil }
      return URL(filePath: path)
    #else
      return nil
    #endif
  }()
}

/// How much the property tests do: a little by default, everything with `LEDGER_TESTS=full`
/// (docs/reliability.md).
package enum TestSize {
  private static let isFull = getenv("LEDGER_TESTS").map { String(cString: $0) } == "full"

  package static func of<Size>(_ short: Size, full: Size) -> Size { isFull ? full : short }
}
