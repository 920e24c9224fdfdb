package import LedgerLog
package import LedgerModel
import LedgerPlatform

/// The result of one check of a ledger, as data. The wording is the caller's.
package struct Finding: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case file(FileFinding)
    case log(LogFinding)
    case snapshot(SnapshotFinding)
    case settings(SettingsFinding)
    case credentials(CredentialsFinding)
    case lock(LockFinding)
    case event(EventFinding)
  }

  package enum Severity: String, CaseIterable, Comparable, Sendable {
    /// As it should be.
    case fine
    /// Needs no action.
    case notice
    /// Needs action; the log itself is intact.
    case warning
    /// The log is not what was written.
    case damage

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .fine: 0
      case .notice: 1
      case .warning: 2
      case .damage: 3
      }
    }
  }

  package let kind: Kind
  /// What was done about it.
  package var repaired: Repair.Outcome?

  package init(_ kind: Kind) {
    self.kind = kind
  }

  /// Stable, for scripts: `torn-tail`; for a fine result, what was checked.
  package var code: String { detail.code }
  package var severity: Severity { detail.severity }
  /// A repair without loss that needs no decision; `nil` if there is none.
  package var repair: Repair? { detail.repair }
  /// Neither fine nor repaired.
  package var isOpen: Bool { severity > .fine && repaired == nil }

  private var detail: any FindingDetail {
    switch kind {
    case .file(let detail): detail
    case .log(let detail): detail
    case .snapshot(let detail): detail
    case .settings(let detail): detail
    case .credentials(let detail): detail
    case .lock(let detail): detail
    case .event(let detail): detail
    }
  }
}

/// The findings of one group of checks.
protocol FindingDetail {
  var code: String { get }
  var severity: Finding.Severity { get }
  var repair: Repair? { get }
}

extension FindingDetail {
  var repair: Repair? { nil }
}

/// All checks of one ledger. They change only the `verified` file.
package struct Checkup {
  /// A part of the log that takes long to read.
  package enum Phase: Sendable { case chain, events, fold }

  package let directory: LedgerDirectory
  /// Whether to check all of a long log, its events and its views.
  package let isStrict: Bool
  /// Of `settings.json`, checked by the program that owns it.
  package var settings: [Finding] = []
  package var now = LocalZone.now()
  package var user: UInt32 = geteuid()
  /// `nil` if unknown.
  package var freeBytes: Int?
  /// Called with the number of bytes read since the last call, possibly on several threads.
  package var onBytes: @Sendable (_ phase: Phase, _ count: Int, _ total: Int) -> Void = { _, _, _ in
  }

  package init(_ directory: LedgerDirectory, isStrict: Bool = false) {
    self.directory = directory
    self.isStrict = isStrict
    freeBytes = DiskCheck.freeBytes(at: directory.path)
  }

  /// In the order in which they are reported.
  ///
  /// - Throws: `LogError` if the log cannot be read to its end; damage is a finding.
  package func findings() throws(LogError) -> [Finding] {
    let (folder, files) = try listing()
    var found = FileChecks(directory: directory, folder: folder, files: files, user: user)
      .findings()
    found += LeftoverCheck(directory: directory, files: files).findings()
    let end = LogEndCheck(directory)
    found += end.findings
    if let view = end.view, !end.isDamaged { found.append(SnapshotChecks.finding(view)) }
    found += settings
    if !found.contains(where: { $0.code == "credentials-exposed" }) {
      found.append(CredentialsCheck.finding(directory))
    }
    found += LockChecks.findings(directory, isLogLocked: end.isLocked)
    found += QuarantineCheck.findings(directory)
    found += DiskCheck.findings(freeBytes: freeBytes)
    if let view = end.view {
      found += ClockCheck.findings(view, now: now)
      var isBroken = end.isDamaged
      if !isBroken {
        let chain = try ChainCheck(view, isWhole: isStrict, now: now, onBytes: onBytes)
        found += chain.findings
        isBroken = chain.isBroken
      }
      if isStrict {
        found += try StrictChecks(view: view, isBroken: isBroken, now: now, onBytes: onBytes)
          .findings()
      }
    }
    return Self.reconciled(found)
  }

  private func listing() throws(LogError) -> (folder: FileFacts?, files: [FileFacts]) {
    do throws(IOFailure) {
      return (try FileFacts.of(directory.path), try FileFacts.inside(directory.path))
    } catch {
      throw .io(error)
    }
  }

  /// Without repetitions: two checks may find the same, such as a snapshot with a broken page.
  private static func reconciled(_ findings: [Finding]) -> [Finding] {
    var seen: Set<Finding> = []
    let found = findings.filter { seen.insert($0).inserted }
    // The front of a snapshot may be fine and its pages wrong.
    let isSnapshotWrong = found.contains { finding in
      if case .snapshot = finding.kind { finding.severity > .fine } else { false }
    }
    return isSnapshotWrong ? found.filter { $0.code != "snapshot" } : found
  }
}
