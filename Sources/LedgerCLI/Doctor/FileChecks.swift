import LedgerLog

/// Whether a ledger's files are what they must be, and for their owner alone (docs/log-format.md,
/// Directory).
struct FileChecks {
  let directory: LedgerDirectory
  /// The ledger's folder; `nil` when it cannot be looked at.
  let folder: FileFacts?
  let files: [FileFacts]
  /// Who runs this program.
  let user: UInt32

  private static let known = [
    "events.jsonl", "head", "settings.json", "credentials.json", "views.snapshot", "listing.json",
    "verified",
    "ledger.lock", "sync.lock", "auth.lock",
  ]

  func findings() -> [Finding] {
    var found: [Finding] = []
    if let folder {
      found += modeProblems(folder, wanted: 0o700)
      if folder.owner != user {
        found.append(
          Finding(
            "foreign-owner", .warning,
            "the ledger's folder belongs to user \(folder.owner), and you are user \(user): what "
              + "you write here may be closed to its owner",
            advice: "use the ledger as the user whom it belongs to"))
      }
    }
    for file in files { found += problems(of: file) }
    if found.isEmpty {
      let count = files.count { Self.known.contains($0.name) }
      found = [.fine("files", "\(counted(count, "file")), private and yours")]
    }
    return found
  }

  private func problems(of file: FileFacts) -> [Finding] {
    if file.name == "quarantine" {
      return file.kind == .folder
        ? modeProblems(file, wanted: 0o700) + ownerProblems(file) : [notRegular(file, "a folder")]
    }
    if LedgerDirectory.isTemporary(file.name) { return [] }
    guard Self.known.contains(file.name) else {
      return [
        Finding(
          "unknown-file", .notice, "\(file.name) is none of a ledger's files; nothing here reads it"
        )
      ]
    }
    guard file.kind == .regular else { return [notRegular(file, "a regular file")] }
    return modeProblems(file, wanted: 0o600) + ownerProblems(file)
  }

  private func notRegular(_ file: FileFacts, _ wanted: String) -> Finding {
    let isLog = file.path == directory.events
    let found =
      switch file.kind {
      case .regular: "a file"
      case .folder: "a folder"
      case .link: "a link"
      case .other: "no file"
      }
    return Finding(
      "wrong-kind", isLog ? .damage : .warning,
      "\(file.name) is \(found) where \(wanted) must be; it is not used",
      advice: isLog
        ? "put the log itself in its place, from a copy if need be" : "move it out of the folder")
  }

  private func ownerProblems(_ file: FileFacts) -> [Finding] {
    guard let folder, file.owner != folder.owner else { return [] }
    return [
      Finding(
        "foreign-owner", .warning,
        "\(file.name) belongs to user \(file.owner), and the ledger to user \(folder.owner), who "
          + "may be unable to use it",
        advice: "give it back to the ledger's owner",
        command: "sudo chown \(folder.owner) \(ShellText.word(file.path))")
    ]
  }

  private func modeProblems(_ file: FileFacts, wanted: UInt32) -> [Finding] {
    let mode = FileFacts.octal(file.mode)
    let name = file.path == directory.path ? "the ledger's folder" : file.name
    if file.mode & 0o077 != 0 {
      // With its mode mended it would be used again, and nobody would know that it was read.
      guard file.path != directory.credentials else {
        return [
          Finding(
            "credentials-exposed", .warning,
            "credentials.json is open to other users (mode \(mode)): its tokens may be known, so "
              + "they are not used",
            advice: "remove it and sign in again, which ends the old tokens",
            command: "rm \(ShellText.word(file.path)) && ledger login")
        ]
      }
      return [
        Finding(
          "open-to-others", .warning,
          "\(name) is open to other users (mode \(mode) where \(FileFacts.octal(wanted)) should be): "
            + "they can see what you log", advice: "keep others out",
          repair: .setMode(path: file.path, mode: wanted))
      ]
    }
    if file.mode & wanted != wanted {
      return [
        Finding(
          "closed-to-owner", .warning,
          "\(name) is closed to its owner (mode \(mode) where \(FileFacts.octal(wanted)) should be): "
            + "it cannot be both read and written",
          repair: .setMode(path: file.path, mode: wanted))
      ]
    }
    return []
  }
}
