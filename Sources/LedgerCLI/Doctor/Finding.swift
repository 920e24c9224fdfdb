import LedgerJSON
import LedgerLog
import LedgerPlatform

/// What a check of a ledger has found: what it is called, what it means, what to do about it.
struct Finding: Sendable {
  /// From good to bad.
  enum Level: String, Sendable, CaseIterable, Comparable {
    /// As it should be.
    case fine
    /// Worth knowing; nothing needs to be done.
    case notice
    /// Something is to be done; the log itself is whole.
    case warning
    /// The log is not what was written.
    case damage

    static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .fine: 0
      case .notice: 1
      case .warning: 2
      case .damage: 3
      }
    }
  }

  /// Stable, for scripts, such as `torn-tail`; of what is fine, what was looked at.
  var name: String
  var level: Level
  /// What is so and what that means, without a full stop.
  var sentence: String
  /// What a person can do: a sentence without a full stop.
  var advice: String?
  /// The command that does it, ready to be copied.
  var command: String?
  /// How it can be mended without losing anything; `nil` where only a person can.
  var repair: Repair?
  /// What was done about it, and where the copy of what was there is.
  var repaired: String?

  init(
    _ name: String, _ level: Level, _ sentence: String, advice: String? = nil,
    command: String? = nil, repair: Repair? = nil
  ) {
    self.name = name
    self.level = level
    self.sentence = sentence
    self.advice = advice
    self.command = command ?? repair.map { _ in "ledger doctor --repair" }
    self.repair = repair
  }

  static func fine(_ name: String, _ sentence: String) -> Finding {
    Finding(name, .fine, sentence)
  }

  /// Whether it still stands: not fine, and not mended.
  var isOpen: Bool { level > .fine && repaired == nil }

  var json: JSONObject {
    var object: JSONObject = [
      "name": .string(name), "level": .string(level.rawValue), "finding": .string(sentence),
    ]
    object["advice"] = advice.map { .string($0) }
    object["command"] = command.map { .string($0) }
    if level > .fine { object["repairable"] = .bool(repair != nil) }
    object["repaired"] = repaired.map { .string($0) }
    return object
  }
}

/// What can be done about a finding without a person to decide, and without loss.
enum Repair: Hashable, Sendable {
  /// Give a file or folder the mode that keeps others out and its owner in.
  case setMode(path: String, mode: UInt32)
  /// Have the log opened for writing, which sets a torn tail aside and writes `head` anew.
  case openLog
  /// Remove `views.snapshot`, if it is still this file. It is derived.
  case removeSnapshot(FileIdentity?)
  /// Remove a half-written file that no program holds. No copy is kept: it may hold a token, or what
  /// is erased later, and nothing in it ever counted.
  case removeLeftover(path: String)
}
