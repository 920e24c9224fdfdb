import LedgerLog
import LedgerPlatform

/// Half-written files that a program which died in the middle has left.
struct LeftoverCheck {
  let directory: LedgerDirectory
  let files: [FileFacts]

  func findings() -> [Finding] {
    files.filter {
      LedgerDirectory.isTemporary($0.name) && $0.kind == .regular && !isInUse($0)
    }.map { file in
      Finding(
        "leftover", .notice,
        "\(file.name) (\(ByteText.of(file.sizeBytes))) is half of a file whose writer did not "
          + "finish; nothing reads it", repair: .removeLeftover(path: file.path))
    }
  }

  /// Whether another program is writing it, or has finished it meanwhile. Its lock says so: process
  /// numbers mean nothing in another container.
  private func isInUse(_ file: FileFacts) -> Bool {
    let isOfErasure = file.path == directory.replacement
    do throws(LogError) {
      let lock = try FileLock(
        isOfErasure ? directory.ledgerLock : file.path, .shared, waitSeconds: 0)
      defer { withExtendedLifetime(lock) {} }
      return FileFacts.isMissing(file.path)
    } catch {
      switch error {
      case .locked: return true
      default: return FileFacts.isMissing(file.path)
      }
    }
  }
}

/// Sizes as people read them.
enum ByteText {
  /// `980 bytes`, `12 kB`, `3.4 MB`.
  static func of(_ bytes: Int) -> String {
    switch bytes {
    case ..<1000: counted(bytes, "byte")
    case ..<1_000_000: "\(NumberText.decimal(Double(bytes) / 1e3, decimals: 0)) kB"
    case ..<1_000_000_000: "\(NumberText.decimal(Double(bytes) / 1e6, decimals: 1)) MB"
    default: "\(NumberText.decimal(Double(bytes) / 1e9, decimals: 1)) GB"
    }
  }
}
