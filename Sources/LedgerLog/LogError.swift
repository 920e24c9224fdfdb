package import LedgerJSON
public import LedgerModel
public import LedgerPlatform

/// An error of the log.
public enum LogError: LedgerError, Hashable, Sendable {
  /// A file operation failed.
  case io(IOFailure)
  /// No ledger at this path.
  case noLedger(path: String)
  /// The ledger was opened only for reading; nothing was written.
  case readOnly(path: String)
  /// A ledger already exists where one was to be created.
  case exists(path: String)
  /// The ledger's path is not a folder.
  case notALedgerFile(path: String, why: String)
  /// Another process held a lock for longer than the waiting time.
  case locked(path: String, seconds: Int)
  /// The log's bytes are not what was written, or break its format.
  case damaged(Damage)
  /// An earlier sync failed and the disk's content is unknown; this session rejects writes.
  case poisoned
  /// The sync of these events failed, and they were removed again.
  case notKept(IOFailure)
  /// These events could be neither synced nor removed. The next opening keeps those that are
  /// complete.
  case unsettled(IOFailure)
  /// An event is too long for a line.
  case lineTooLong(bytes: Int)
  /// An event has a value that no line may contain, such as a number of 17 digits.
  case unwritable(problem: String)
  /// No event has this seq.
  case noSuchEvent(Seq)

  /// Stable, for programs.
  public var code: String {
    switch self {
    case .io: "io"
    case .noLedger: "no-ledger"
    case .readOnly: "read-only"
    case .exists: "ledger-exists"
    case .notALedgerFile: "not-a-ledger-file"
    case .locked: "locked"
    case .damaged: "damaged"
    case .poisoned: "poisoned"
    case .notKept: "not-kept"
    case .unsettled: "unsettled"
    case .lineTooLong: "line-too-long"
    case .unwritable: "unwritable"
    case .noSuchEvent: "unknown-event"
    }
  }

  public var description: String {
    switch self {
    case .io(let failure): failure.description
    case .noLedger(let path):
      "there is no ledger at \(path)"
    case .readOnly(let path): "the ledger at \(path) is open for reading only; nothing was written"
    case .exists(let path): "\(path) is a ledger already; nothing was changed"
    case .notALedgerFile(let path, let why): "\(path) \(why); a ledger will not use it"
    case .locked(let path, let seconds):
      "another process has held \(path) for \(seconds) s; try again"
    case .damaged(let damage): damage.description
    case .poisoned:
      "an earlier sync to disk failed, so this handle writes no more; open the ledger again"
    case .notKept(let failure):
      "the disk did not confirm the write, so the events were removed again (\(failure))"
    case .unsettled(let failure):
      "what was written could be neither confirmed nor taken back (\(failure)), so it is unknown "
        + "whether it is kept; check the log before trying again"
    case .lineTooLong(let bytes):
      "the event takes \(bytes) bytes; a line of the log holds \(LogFormat.longestLineBytes)"
    case .unwritable(let problem): "the log cannot hold this event: \(problem); nothing was written"
    case .noSuchEvent(let seq): "the log has no event \(seq)"
    }
  }
}

extension IOFailure: LedgerError {
  /// As that of ``LogError/io(_:)``.
  public var code: String { "io" }
}

extension Damage: LedgerError {
  /// As that of ``LogError/damaged(_:)``.
  public var code: String { "damaged" }
}

/// A place in the log with invalid bytes.
public struct Damage: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1; `nil` if only the byte offset is known.
  public var line: Int?
  /// The offset in the file.
  public var byte: Int
  /// A sentence for the user.
  public var problem: String

  /// Damage at a place in the log.
  public init(line: Int?, byte: Int, problem: String) {
    self.line = line
    self.byte = byte
    self.problem = problem
  }

  public var description: String {
    let place = line.map { "line \($0), byte \(byte)" } ?? "byte \(byte)"
    return "the log is damaged at \(place): \(problem)"
  }
}

/// A line that breaks the format, and the byte where that shows.
package struct LineFault: Error, Hashable {
  package var offsetBytes: Int
  package var problem: Problem

  package enum Problem: Hashable, Sendable {
    case tooShort
    case tooLong
    case member(StaticName)
    case json(JSONError.Reason)
    case seq(found: Int, expected: Int)
    case hash
    case version
    case data(String)
  }

  package enum StaticName: String, Hashable, Sendable {
    case id, seq, at, by, type, v, salt, data, erased, hash, order
  }

  package init(_ problem: Problem, at offsetBytes: Int) {
    self.problem = problem
    self.offsetBytes = offsetBytes
  }

  package var sentence: String {
    switch problem {
    case .tooShort: "the line is too short for an event"
    case .tooLong: "the line is longer than \(LogFormat.longestLineBytes) bytes"
    case .member(.id): "'id' is not a version 7 UUID in lower case"
    case .member(.seq): "'seq' is not a whole number"
    case .member(.at): "'at' is not an instant, YYYY-MM-DDTHH:MM:SS.mmmZ"
    case .member(.by): "'by' is not user, import, sync or system"
    case .member(.type): "'type' is not made of a-z, _ and ."
    case .member(.v): "'v' is not a whole number"
    case .member(.salt): "'salt' is not 16 hexadecimal digits"
    case .member(.data): "'data' is not an object"
    case .member(.erased): "'erased' is not 64 hexadecimal digits"
    case .member(.hash): "'hash' is not 64 hexadecimal digits at the line's end"
    case .member(.order): "the members are not in the log's order"
    case .json(let reason): reason.sentence
    case .seq(let found, let expected): "seq is \(found) where \(expected) belongs"
    case .hash: "the hash does not follow from the line before and this line's bytes"
    case .version: "an erased event has version 1"
    case .data(let sentence): sentence
    }
  }
}

/// Constants of docs/log-format.md.
package enum LogFormat {
  /// The length of the longest line, without its `\n`.
  package static let longestLineBytes = 65_536
  /// `,"hash":"<64 hex>"}`
  package static let hashMemberBytes = 75
  /// How long a process waits for a lock.
  package static let lockWaitSeconds = 5
}

extension FileLock {
  /// Waits at most `waitSeconds` for the lock.
  ///
  /// - Throws: ``LogError/locked(path:seconds:)`` when another process holds it longer (exit 75).
  package convenience init(
    _ path: String, _ kind: Kind, waitSeconds: Int = LogFormat.lockWaitSeconds
  ) throws(LogError) {
    try self.init(path, kind, waitSeconds: waitSeconds, on: SystemDisk.shared)
  }

  package convenience init(
    _ path: String, _ kind: Kind, waitSeconds: Int = LogFormat.lockWaitSeconds, on disk: any Disk
  ) throws(LogError) {
    do throws(Failure) {
      try self.init(locking: path, kind, waitSeconds: waitSeconds, on: disk)
    } catch {
      switch error {
      case .io(let failure): throw .io(failure)
      case .busy: throw .locked(path: path, seconds: waitSeconds)
      }
    }
  }
}
