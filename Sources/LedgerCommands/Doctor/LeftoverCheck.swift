import LedgerLog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Half-written files that a program which died in the middle has left.
struct LeftoverCheck {
  let directory: LedgerDirectory
  let files: [FileFacts]

  static func isLeftover(_ name: String) -> Bool {
    name == "views.snapshot.tmp" || name == "events.jsonl.new" || isReplacement(name)
  }

  /// `settings.json.<process>.<number>.tmp`, and the same of the credentials.
  private static func isReplacement(_ name: String) -> Bool {
    name.hasSuffix(".tmp")
      && ["settings.json.", "credentials.json.", "listing.json."].contains { name.hasPrefix($0) }
  }

  func findings() -> [Finding] {
    files.filter { Self.isLeftover($0.name) && $0.kind == .regular && !isInUse($0) }.map { file in
      Finding(
        "leftover", .notice,
        "\(file.name) (\(ByteText.of(file.sizeBytes))) is half of a file whose writer did not "
          + "finish; nothing reads it", repair: repair(of: file))
    }
  }

  /// A copy of half a snapshot may hold what is erased later, one of credentials keeps a secret.
  private func repair(of file: FileFacts) -> Repair {
    if file.name.hasPrefix("views.snapshot") { return .removeDerived(path: file.path) }
    if file.name.hasPrefix("credentials.json") { return .removeSecret(path: file.path) }
    return .setAside(path: file.path)
  }

  /// Whether somebody is writing it right now.
  private func isInUse(_ file: FileFacts) -> Bool {
    if file.name == "views.snapshot.tmp" {
      do throws(LogError) {
        _ = try FileLock(file.path, .shared, waitSeconds: 0)
        return false
      } catch {
        guard case .locked = error else { return false }
        return true
      }
    }
    let parts = file.name.split(separator: ".")
    guard Self.isReplacement(file.name), parts.count >= 3,
      let process = pid_t(parts[parts.count - 3]), process > 0
    else { return false }
    return kill(process, 0) == 0 || errno == EPERM
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
