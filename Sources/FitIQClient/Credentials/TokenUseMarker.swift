import LedgerLog
import LedgerPlatform

/// A note for other processes, in the lock file of all who renew a session: which token pair
/// somebody calls with who did not fetch it. Who fetched it and was refused cannot know otherwise
/// that the token was used up, not bad.
struct TokenUseMarker: Sendable {
  let path: String

  private static let digits = 20

  /// A hint, so it is no failure when the disk refuses it.
  func note(_ generation: Int) {
    let number = "\(generation)"
    let text = String(repeating: "0", count: Self.digits - number.utf8.count) + number + "\n"
    guard let file = try? OpenFile(path, .readWriteOrCreate) else { return }
    try? Array(text.utf8).withUnsafeBytes { try file.write($0, at: 0) }
  }

  /// - Returns: `nil` when nobody has noted anything.
  func newest() -> Int? {
    guard let file = try? OpenFile(path, .read) else { return nil }
    var bytes = [UInt8](repeating: 0, count: Self.digits)
    let count = try? bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return count == Self.digits ? Int(String(decoding: bytes, as: UTF8.self)) : nil
  }
}
