import Foundation

/// A folder that is deleted with its last reference.
package final class TemporaryFolder: Sendable {
  /// Without symbolic links.
  package let path: String

  package init() throws {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "ledger-test-\(UUID().uuidString)")
    // Independent of the umask: ledgers that others may write to are refused.
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = url.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
