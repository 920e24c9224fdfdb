import FitIQClient
public import LedgerLog
import LedgerProjections
public import LedgerStore
public import LedgerSync

/// Signs checkpoints with a key of the app, such as one in the Secure Enclave or the keychain.
public protocol CheckpointSigner: Sendable {
  /// Signs a checkpoint's bytes, `Array(checkpoint.text.utf8)`.
  ///
  /// - Returns: the signature, in the format of its verifier.
  func sign(_ bytes: [UInt8]) async throws -> [UInt8]
}

/// A checkpoint and what its signer made of it.
public struct SignedCheckpoint: Hashable, Sendable {
  /// What was signed.
  public var checkpoint: Checkpoint
  /// Over `Array(checkpoint.text.utf8)`.
  public var signature: [UInt8]
}

/// What the repairs of a ledger did.
public struct RepairReport: Sendable {
  /// As found, with ``Finding/repaired``.
  public var findings: [Finding]
  /// The errors of repairs that failed.
  public var failures: [any Error]
}

extension Ledger {
  /// Checks the next part of the log (format, chain and erasures) from where the last check stopped.
  /// Call it while the app is idle, until the log's end or damage is reached; it does not delay edits
  /// or syncs.
  ///
  ///     var part = try await ledger.verify()
  ///     while !part.isComplete, part.damage == nil { part = try await ledger.verify() }
  ///
  /// The position is stored in the ledger's folder and shared with `ledger doctor`. After the log's end
  /// the next call starts at line 1 again; after damage, it finds the same damage. A ledger opened
  /// read-only stores nothing and checks the whole log.
  ///
  /// After damage is found, views of this ledger throw it too, until the log is restored.
  ///
  /// - Parameter mostBytes: about how much to read; 8 MiB take about ten milliseconds.
  /// - Returns: what was checked, and the damage found.
  /// - Throws: `LogError` if the log cannot be read.
  public func verify(mostBytes: Int = 8 << 20) throws -> PartialVerification {
    let part = try PartialVerification.verify(directory, mostBytes: mostBytes, at: moment())
    environment.onEvent?(.verified(part))
    note(part.damage)
    return part
  }

  /// Checks the whole log at once, its snapshot, and optionally that it continues what was stored
  /// elsewhere: what `ledger verify` does. A snapshot that contradicts the log is removed.
  ///
  /// - Parameters:
  ///   - reference: a checkpoint or hash of this log, stored elsewhere.
  ///   - onProgress: receives how many of the log's bytes were read, on any thread.
  /// - Returns: all problems found; see ``LogAudit/isOK``.
  /// - Throws: `LogError` if the log cannot be read.
  public func audit(
    against reference: LogAudit.Reference? = nil,
    onProgress: @escaping @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void = { _, _ in }
  ) throws -> LogAudit {
    let audit = try LogAudit(of: directory, against: reference, onProgress: onProgress)
    audit.remember(at: moment())
    if !directory.isReadOnly { _ = audit.discardWrongSnapshot() }
    note(audit.verification.problems.first)
    return audit
  }

  // MARK: Doctor

  /// Checks files, permissions, locks, disk space and the log: what `ledger doctor` prints, as data.
  /// Changes nothing but the position of ``verify(mostBytes:)``. Meanwhile the ledger's other calls go on.
  ///
  /// - Parameter isStrict: also checks all of a log over 64 MB, its events and its views.
  /// - Returns: one finding for each check, also for what is fine.
  /// - Throws: `LogError` if the log cannot be read; damage is a finding. `CancellationError` while another
  ///   process holds the log's lock.
  public func doctor(isStrict: Bool = false) async throws -> [Finding] {
    let (directory, now) = (directory, moment())
    let findings = try await environment.expiringActivity.run(reason: "Checking the ledger") {
      try await self.waitForOtherProcesses()
      // On a thread of its own: it may read for long.
      return try await BlockingExecutor.run { () throws(LogError) in
        var checkup = Checkup(directory, isStrict: isStrict)
        checkup.now = now
        return try checkup.findings()
      }
    }
    for case .log(.chainBroken(let damage)) in findings.map(\.kind) { note(damage) }
    return findings
  }

  /// Performs the repairs of ``doctor(isStrict:)`` that lose nothing (``Finding/repair``): file modes,
  /// a missing `head`, a torn tail, which is moved to `quarantine/`, half-written files, a useless
  /// snapshot. The log's whole lines are never changed. Damage is not repaired: restore a copy.
  /// Meanwhile the ledger's other calls go on.
  ///
  /// - Parameter findings: those to repair.
  /// - Throws: `LogError.locked` or `CancellationError` while another process holds the log's lock, with
  ///   nothing repaired.
  public func repair(_ findings: [Finding]) async throws -> RepairReport {
    let directory = directory
    return try await environment.expiringActivity.run(reason: "Repairing the ledger") {
      try await self.waitForOtherProcesses()
      return await BlockingExecutor.run {
        let (findings, failures) = Repairs(directory).perform(findings)
        return RepairReport(findings: findings, failures: failures)
      }
    }
  }

  /// Reports damage, and makes the views read the log again.
  private func note(_ damage: Damage?) {
    guard let damage else { return }
    local.distrust()
    environment.onEvent?(.damaged(damage))
  }

  // MARK: Checkpoints

  /// A short text that identifies the current log: store it where this device's owner cannot change it
  /// unnoticed. `ledger verify --checkpoint` compares a later log with it. The whole log is checked
  /// first, which takes about a third of a second for a million events.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func checkpoint() throws -> Checkpoint {
    try local.checkpoint(at: moment())
  }

  /// A checkpoint and its signature.
  ///
  /// - Throws: as ``checkpoint()``; errors of `signer`.
  public func checkpoint(
    signedBy signer: some CheckpointSigner
  ) async throws -> SignedCheckpoint {
    let checkpoint = try checkpoint()
    return SignedCheckpoint(
      checkpoint: checkpoint, signature: try await signer.sign(Array(checkpoint.text.utf8)))
  }

  /// Compares every acknowledged entry and field with the backend: what `ledger verify --backend`
  /// prints. Sends only GETs and records nothing. What differs soon after a sync, or is missing, is read
  /// again: an answer may be older than the calls before it.
  ///
  /// - Parameters:
  ///   - connection: the connection to the backend, such as ``connection(trace:)``.
  ///   - configuration: for its `settleSeconds`.
  /// - Throws: `BackendAuditFailure` if the backend could not be read completely; `LogError`;
  ///   `CancellationError`.
  public func verifyBackend(
    over connection: some BackendConnection,
    configuration: SyncConfiguration = SyncConfiguration()
  ) async throws -> BackendAudit {
    if let seconds = try retryAfterSeconds() {
      throw BackendAuditFailure.unread(
        part: "the backend", reason: "it asked to wait \(seconds) s more", mayPass: true)
    }
    var first: BackendAudit?
    for _ in 0..<Self.mostAuditAttempts {
      let before = try verifiedState().position
      let reading = try await BackendReading.read(over: connection, pause: environment.pause)
      let context = try StoredLedger(
        local, rowIndex, .dateTime, in: environment.zone
      ).context()
      var audit = try context.audit(reading)
      if let first { audit.removeMissing(unlessIn: first) }
      if audit.isOK { return audit }
      // Changes by a concurrent sync would look like differences.
      guard context.state.position == before else { continue }
      let wait = configuration.waitMilliseconds(
        after: context.state.tally.lastSyncAt, at: moment())
      // A row that moves to another page while the list is read is on neither.
      if first != nil || wait == 0 && !audit.hasMissingRows { return audit }
      first = audit
      if wait > 0 { await environment.pause(.milliseconds(wait)) }
      try Task.checkCancellation()
    }
    throw BackendAuditFailure.ledgerChanged
  }

  private static let mostAuditAttempts = 3

  /// How long the backend asked to wait; `nil` for no wait.
  private func retryAfterSeconds() throws -> Int? {
    let context = try StoredLedger(
      local, rowIndex, .dateTime, in: environment.zone
    ).context()
    guard case .startingState(let start) = try context.answer(.startingState) else { return nil }
    return start.retryAfterSeconds(
      at: moment(), orUntil: LastSync(in: directory)?.notBefore)
  }
}
