package import LedgerJSON
public import LedgerPlatform

/// What can go wrong with a log: what, where, why, and what to do. Each case has one exit code
/// (docs/cli.md) and one sentence.
public enum LogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system refused a file operation.
  case io(IOFailure)
  /// There is no ledger at this path.
  case noLedger(path: String)
  /// A ledger stands where one was to be made.
  case exists(path: String)
  /// What stands here is not what a ledger's file must be.
  case notALedgerFile(path: String, why: String)
  /// Somebody else held a lock for longer than one waits.
  case locked(path: String, seconds: Int)
  /// The log's bytes are not what was written.
  case damaged(Damage)
  /// A sync failed: nobody knows what the disk has, so this handle writes no more.
  case poisoned
  /// The sync of these very events failed; they were cut off again.
  case notKept(IOFailure)
  /// Neither could these very events be made durable nor be cut off again: whole ones among them
  /// are kept by the next opening.
  case unsettled(IOFailure)
  /// An event does not fit into a line.
  case lineTooLong(bytes: Int)
  /// An event holds what no line may hold, such as a number of 17 digits.
  case unwritable(problem: String)
  /// No event has this seq.
  case noSuchEvent(Int)

  public var description: String {
    switch self {
    case .io(let failure): failure.description
    case .noLedger(let path):
      "there is no ledger at \(path); make one with 'ledger init', or name one with --ledger"
    case .exists(let path): "\(path) is a ledger already; nothing was changed"
    case .notALedgerFile(let path, let why): "\(path) \(why); a ledger will not use it"
    case .locked(let path, let seconds):
      "another process has held \(path) for \(seconds) s; try again"
    case .damaged(let damage): damage.description
    case .poisoned:
      "an earlier sync to disk failed, so this handle writes no more; open the ledger again"
    case .notKept(let failure):
      "the disk did not confirm the write, so it was taken back: unknown, not kept (\(failure))"
    case .unsettled(let failure):
      "what was written could be neither confirmed nor taken back (\(failure)), so it is unknown "
        + "whether it is kept; look at the log before trying again"
    case .lineTooLong(let bytes):
      "the event takes \(bytes) bytes; a line of the log holds \(LogFormat.longestLineBytes)"
    case .unwritable(let problem): "the log cannot hold this event: \(problem); nothing was written"
    case .noSuchEvent(let seq): "the log has no event \(seq)"
    }
  }
}

/// A place in the log whose bytes are wrong.
public struct Damage: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1; `nil` where only the place in bytes is known.
  public var line: Int?
  /// From the start of the file.
  public var byte: Int
  /// What is wrong there.
  public var problem: String

  /// A place, and what is wrong there.
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

/// What is wrong with one line, and at which byte of it.
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

  /// The members of a line, by their order.
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
    case .member(.order): "the members do not stand in the log's order"
    case .json(let reason): reason.sentence
    case .seq(let found, let expected): "seq is \(found) where \(expected) belongs"
    case .hash: "the hash does not follow from the line before and this line's bytes"
    case .version: "an erased event has version 1"
    case .data(let sentence): sentence
    }
  }
}

/// Numbers of docs/log-format.md.
public enum LogFormat {
  /// The longest line, its `\n` not counted.
  public static let longestLineBytes = 65_536
  /// `,"hash":"<64 hex>"}`
  public static let hashMemberBytes = 75
  /// How long one waits for a lock.
  public static let lockWaitSeconds = 5
}

extension FileLock {
  /// Waits at most `waitSeconds` for the lock.
  ///
  /// - Throws: ``LogError/locked(path:seconds:)`` when another process holds it longer (exit 75).
  public convenience init(
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
