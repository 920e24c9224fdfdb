package import LedgerLog
package import LedgerModel
import LedgerPlatform

/// The result of one check of a ledger, as data. The wording is the caller's.
public struct Finding: Hashable, Sendable {
  /// What a finding is about.
  public enum Kind: Hashable, Sendable {
    /// A file or the folder.
    case file(FileFinding)
    /// A file besides the log.
    case state(StateFinding)
    /// The log.
    case log(LogFinding)
  }

  /// How bad a finding is, the mildest first.
  public enum Severity: String, CaseIterable, Comparable, Sendable {
    /// As it should be.
    case fine
    /// Needs no action.
    case notice
    /// Needs action; the log itself is intact.
    case warning
    /// The log is not what was written.
    case damage

    public static func < (left: Severity, right: Severity) -> Bool {
      allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }
  }

  /// What was found.
  public let kind: Kind
  /// What was done about it.
  public package(set) var repaired: Repair.Outcome?

  package init(_ kind: Kind) {
    self.kind = kind
  }

  /// Stable, for scripts: `torn-tail`; for a fine result, what was checked.
  public var code: String { detail.report.code }
  /// How bad it is.
  public var severity: Severity { detail.report.severity }
  /// A repair without loss that needs no decision; `nil` if there is none.
  public var repair: Repair? { detail.repair }
  /// Neither fine nor repaired.
  public var isOpen: Bool { severity > .fine && repaired == nil }

  private var detail: any FindingDetail {
    switch kind {
    case .file(let detail): detail
    case .state(let detail): detail
    case .log(let detail): detail
    }
  }
}

protocol FindingDetail {
  var report: (code: String, severity: Finding.Severity) { get }
  var repair: Repair? { get }
}

/// All checks of one ledger. They change only the `verified` file, and nothing in a read-only ledger.
package struct Checkup {
  /// A part of the log that takes long to read.
  package enum Phase: Sendable { case chain, events, fold }

  /// Called when a phase begins; its result with the number of bytes read since its last call,
  /// possibly on several threads.
  package typealias Progress =
    @Sendable (_ phase: Phase, _ totalBytes: Int) -> @Sendable (_ count: Int) -> Void

  package let directory: LedgerDirectory
  /// Whether to check all of a long log, its events and its views.
  package let isStrict: Bool
  /// Of `settings.json`, checked by the program that owns it.
  package var settings: [Finding] = []
  package var now = LocalZone.now()
  package var user: UInt32 = geteuid()
  /// `nil` if unknown.
  package var freeBytes: Int?
  package var progress: Progress = { _, _ in { _ in } }

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
    found += isStrict || end.hasShortLog ? try end.namingLine() : end.findings
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
        let chain = try ChainCheck(view, isWhole: isStrict, now: now, progress: progress)
        found += chain.findings
        isBroken = chain.isBroken
      }
      if isStrict {
        found += try StrictChecks(view: view, isBroken: isBroken, now: now, progress: progress)
          .findings()
      }
    }
    return Self.reconciled(found)
  }

  private func listing() throws(LogError) -> (folder: FileFacts?, files: [FileFacts]) {
    try logErrors { () throws(IOFailure) in
      (try FileFacts.of(directory.path), try FileFacts.inside(directory.path))
    }
  }

  /// Without repetitions: two checks may find the same, such as a snapshot with a broken page.
  private static func reconciled(_ findings: [Finding]) -> [Finding] {
    var seen: Set<Finding> = []
    let found = findings.filter { seen.insert($0).inserted }
    // The front of a snapshot may be fine and its pages wrong.
    let isSnapshotWrong = found.contains { finding in
      finding.severity > .fine && finding.code.hasPrefix("snapshot-")
    }
    return isSnapshotWrong ? found.filter { $0.code != "snapshot" } : found
  }
}
