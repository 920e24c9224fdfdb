import LedgerLog
import LedgerModel
import LedgerPlatform

/// All checks of one ledger, in the order in which they are reported. They change nothing but the
/// `verified` file.
struct Checkup {
  let directory: LedgerDirectory
  /// Whether a long log is checked whole, too, and its events and views are looked at.
  let isStrict: Bool
  var now = LocalZone.now()
  var user = geteuid()
  var freeBytes: Int?

  init(_ directory: LedgerDirectory, isStrict: Bool = false) {
    self.directory = directory
    self.isStrict = isStrict
    freeBytes = DiskCheck.freeBytes(at: directory.path)
  }

  /// - Throws: what keeps the log from being read to its end; damage is a finding.
  func findings(_ console: Console) throws -> [Finding] {
    let (folder, files) = try listing()
    var found = FileChecks(directory: directory, folder: folder, files: files, user: user)
      .findings()
    found += LeftoverCheck(directory: directory, files: files).findings()
    let end = LogEndCheck(directory)
    found += end.findings
    if let view = end.view, !end.isDamaged { found += SnapshotChecks.findings(view) }
    found += SettingsCheck.findings(directory)
    if !found.contains(where: { $0.name == "credentials-exposed" }) {
      found += CredentialsCheck.findings(directory)
    }
    found += LockChecks.findings(directory, isLogLocked: end.isLocked)
    found += QuarantineCheck.findings(directory)
    found += DiskCheck.findings(freeBytes: freeBytes)
    if let view = end.view {
      found += ClockCheck.findings(view, now: now)
      var isBroken = end.isDamaged
      if !isBroken {
        let chain = try ChainCheck(view, isWhole: isStrict, now: now, console)
        found += chain.findings
        isBroken = chain.isBroken
      }
      if isStrict {
        found += try StrictChecks(view: view, isBroken: isBroken, now: now, console: console)
          .findings()
      }
    }
    return Self.once(found)
  }

  private func listing() throws(LogError) -> (folder: FileFacts?, files: [FileFacts]) {
    do throws(IOFailure) {
      return (try FileFacts.of(directory.path), try FileFacts.inside(directory.path))
    } catch {
      throw .io(error)
    }
  }

  /// Two checks may find the same, such as a snapshot whose pages are not whole.
  private static func once(_ findings: [Finding]) -> [Finding] {
    var found: [Finding] = []
    for finding in findings
    where !found.contains(where: { $0.name == finding.name && $0.sentence == finding.sentence }) {
      found.append(finding)
    }
    // What was found fine at first sight and not so at the second is not fine.
    let isSnapshotWrong = found.contains { $0.name.hasPrefix("snapshot-") && $0.level > .fine }
    return isSnapshotWrong ? found.filter { $0.name != "snapshot" } : found
  }
}
