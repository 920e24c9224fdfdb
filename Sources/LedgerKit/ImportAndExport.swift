import FitIQClient
public import LedgerImport
import LedgerLog
import LedgerModel
import LedgerPlatform
public import LedgerStore
import Synchronization

/// A file format that a ledger imports (docs/import.md).
public enum ImportFormat: Hashable, Sendable {
  /// The table that ``Ledger/export(_:to:)`` writes. Entries keep their ids.
  case ledgerCSV
  /// Any table, one metric at a time, with the meaning of its columns.
  case csv(CSVMapping)
  /// The export of Apple's Health app: `export.xml`, or the zip that contains it. Unpacking the zip runs
  /// the program `unzip`, which iOS does not allow: unpack it first there.
  case appleHealth
  /// The old app's profile and entries in JSON (docs/moving-in.md).
  case legacy
}

/// What an export wrote.
public struct ExportSummary: Hashable, Sendable {
  /// As requested.
  public var format: ExportFormat
  /// Entries of a table, events of a log.
  public var count: Int
  /// The size of the file.
  public var bytes: Int
}

extension Ledger {
  /// Writes the entries or the log into a file, which is replaced when the new one is complete. The log's
  /// chain is checked.
  ///
  /// - Parameters:
  ///   - format: what to write.
  ///   - path: the file, outside of the ledger's folder.
  /// - Throws: `LogError`, including damage to the log; then the old file remains.
  public func export(_ format: ExportFormat, to path: String) throws -> ExportSummary {
    do {
      guard try !isOwnFolder(Folder.parent(of: path)) else {
        throw IOFailure("export among the ledger's own files to", path, errorNumber: EINVAL)
      }
      let file = try AtomicFile(path, on: directory.disk)
      let count = try export(format) { try file.append($0) }
      try file.synchronize()
      try file.commit()
      return ExportSummary(format: format, count: count, bytes: file.bytes)
    } catch let failure as IOFailure {
      throw LogError.io(failure)
    }
  }

  /// By identity, since a folder has many paths.
  private func isOwnFolder(_ path: String) throws(IOFailure) -> Bool {
    let own = try OpenFile.identity(of: directory.path + "/.", on: directory.disk)
    return try OpenFile.identity(of: path + "/.", on: directory.disk) == own
  }

  /// Exports to the app's own destination, such as a compressor.
  ///
  /// - Parameters:
  ///   - format: what to write.
  ///   - write: receives whole rows or lines; what it throws ends the export.
  /// - Returns: the number of entries of a table, or of events of a log.
  /// - Throws: `LogError`, including damage to the log; what `write` throws.
  @discardableResult
  public func export(
    _ format: ExportFormat, writing write: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    switch format {
    case .csv:
      // The view is opened after the state, and so has the lines of all its entries.
      let state = try local.verifiedState()
      return try LogExport.csv(LogView.open(directory), state, write: write)
    case .jsonl: return try LogExport.jsonl(LogView.open(directory), write: write)
    }
  }

  /// Imports a file exactly once: importing it again, or a later version of it, adds only what is new.
  /// The file is read without the log's lock; everything new is then one durable write: all of it is
  /// kept, or nothing. Memory stays bounded. Meanwhile the ledger's other calls go on.
  ///
  /// - Parameters:
  ///   - source: a file or bytes.
  ///   - format: what it contains.
  ///   - onProgress: receives the number of bytes read since its last call, on any thread.
  /// - Returns: what was found and appended, and every row that was left out, with the reason.
  /// - Throws: ``ImportError`` if the file as a whole cannot be used; `LogError`; `CancellationError`; with
  ///   nothing written.
  @discardableResult
  public func importFile(
    _ source: ImportSource, as format: ImportFormat,
    onProgress: (@Sendable (_ bytes: Int) -> Void)? = nil
  ) async throws -> ImportTransaction.Outcome {
    try directory.requireWritable()
    return try await environment.expiringActivity.run(reason: "Importing a file") {
      try await self.importInActivity(source, format, onProgress)
    }
  }

  private func importInActivity(
    _ source: ImportSource, _ format: ImportFormat,
    _ onProgress: (@Sendable (_ bytes: Int) -> Void)?
  ) async throws -> ImportTransaction.Outcome {
    try await waitForOtherProcesses()
    let (now, zone, directory) = (moment(), environment.zone, directory)
    let onActivity = local.onActivity
    let isCanceled = Flag()
    defer { wakeSignals.send(.log) }
    return try await withTaskCancellationHandler {
      try await BlockingExecutor.run { () throws -> ImportTransaction.Outcome in
        let store = LedgerStore(directory)
        store.onActivity = onActivity
        let transaction = ImportTransaction(
          into: store, at: now, today: zone.today(at: now), namesEntries: format == .ledgerCSV)
        return try transaction.run {
          try format.read(source, context: $0, zone, onProgress)
        } approve: { _, _ in
          if isCanceled.isSet { throw CancellationError() }
          return true
        } checkContinues: {
          if isCanceled.isSet { throw CancellationError() }
        }
      }
    } onCancel: {
      isCanceled.set()
    }
  }
}

extension ImportFormat {
  fileprivate func read(
    _ source: ImportSource, context: ImportContext, _ zone: LocalZone,
    _ onProgress: (@Sendable (_ bytes: Int) -> Void)?
  ) throws -> ImportResult {
    var context = context
    context.zone = { time, date in zone.offset(of: time, on: date) }
    context.progress = onProgress
    switch self {
    case .ledgerCSV: return try LedgerCSV.read(source, context: context)
    case .csv(let mapping):
      return try CSVImport.read(source, mapping: mapping, context: context)
    case .appleHealth:
      if case .file(let path) = source, try ZippedExport.isZip(path) {
        return try AppleHealthImport.read(
          ZippedExport(path), today: context.today, context: context)
      }
      return try AppleHealthImport.read(source, today: context.today, context: context)
    case .legacy: return try LegacyImport.read(source, today: context.today, context: context)
    }
  }
}

/// Set once, read by another thread.
private final class Flag: Sendable {
  private let state = Atomic(false)

  var isSet: Bool { state.load(ordering: .relaxed) }

  func set() { state.store(true, ordering: .relaxed) }
}
