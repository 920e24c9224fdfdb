import LedgerJSON
package import LedgerLog
package import LedgerModel
import LedgerPlatform
import LedgerStore

/// A ledger's `settings.json`, which may be deleted at any time.
package struct Settings: Sendable {
  package enum Key: String, CaseIterable, Sendable {
    case backendURL = "backend.url"
    case backendDialect = "backend.dialect"
    case conflicts = "sync.conflicts"
    case concurrency = "sync.concurrency"
    case settleSeconds = "sync.settle_seconds"
    case zone
    case credentialHelper = "credentials.helper"

    /// The default; `nil` for none.
    package var standard: String? {
      switch self {
      case .backendURL, .zone, .credentialHelper: nil
      case .backendDialect: "date-time"
      case .conflicts: "local"
      case .concurrency: "4"
      case .settleSeconds: "5"
      }
    }

    static var names: [String] { allCases.map(\.rawValue) }

    /// The allowed values, if they are a fixed set.
    var choices: [String] {
      switch self {
      case .backendDialect: ["date-time", "logged-at"]
      case .conflicts: ["local", "remote", "ask"]
      case .backendURL, .concurrency, .settleSeconds, .zone, .credentialHelper: []
      }
    }

    /// Why a value is invalid, as the end of a sentence; `nil` if it is valid.
    package func problem(with value: String) -> String? {
      switch self {
      case .backendURL:
        do throws(AddressProblem) {
          _ = try BackendAddress(parsing: value)
          return nil
        } catch {
          return error.words
        }
      case .backendDialect, .conflicts: return oneOf(value)
      case .concurrency: return number(value, 1...64)
      case .settleSeconds: return number(value, 0...3600)
      case .zone:
        return LocalZone.rule(named: value) == nil
          ? "\(Self.noSuchZone); take a name such as Europe/Vienna, or an offset such as +02:00"
          : nil
      case .credentialHelper: return Self.isHelper(value) ? nil : Self.noHelper
      }
    }

    private static let noHelper =
      "it must be the end of the name of a program git-credential-…, such as libsecret, an absolute "
      + "path, or ! and a shell command"

    private static func isHelper(_ value: String) -> Bool {
      guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
      if value.hasPrefix("/") { return true }
      if value.hasPrefix("!") { return value.dropFirst().contains { $0 != " " } }
      let name = value.prefix { $0 != " " }
      return !name.isEmpty && !name.hasPrefix("-")
        && name.utf8.allSatisfy {
          "-_.".utf8.contains($0) || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
        }
    }

    static let noSuchZone = "unknown time zone"

    private func oneOf(_ value: String) -> String? {
      choices.contains(value) ? nil : "it must be " + listed(choices)
    }

    private func number(_ value: String, _ range: ClosedRange<Int>) -> String? {
      Int(value).map(range.contains) == true
        ? nil : "it must be a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
  }

  private var object: JSONObject

  package subscript(_ key: Key) -> String? {
    get { text(key) ?? key.standard }
    set { object[key.rawValue] = newValue.map { .string($0) } }
  }

  /// The command line that signs in, with the backend's address if no setting has it.
  ///
  /// - Parameter origin: the address, if the log has one.
  package func signIn(at origin: String? = nil) -> String {
    self[.backendURL] == nil
      ? "ledger login --base-url \(origin ?? "https://…")" : "ledger login"
  }

  package func isChosen(_ key: Key) -> Bool { object[key.rawValue] != nil }

  /// The value in the file, valid or not; a number as its digits. `nil` for any other value that is not text.
  func text(_ key: Key) -> String? {
    object[key.rawValue].flatMap { $0.string ?? $0.number.map(JSONNumber.text) }
  }

  /// Members that this version does not know.
  var unknownNames: [String] {
    object.members.map(\.name).filter { Key(rawValue: $0) == nil }
  }

  package static func read(_ directory: LedgerDirectory) throws -> Settings {
    let bytes = try logErrors { () throws(IOFailure) in
      try AtomicFile.read(directory.settings, on: directory.disk)
    }
    guard let bytes else { return Settings(object: JSONObject()) }
    guard let object = (try? JSONValue(parsing: bytes))?.object else {
      throw CommandFailure(
        .failed,
        "\(directory.settings) is not a JSON object; fix it, or delete it to restore the "
          + "defaults")
    }
    return Settings(object: object)
  }

  package func write(_ directory: LedgerDirectory) throws {
    try logErrors { () throws(IOFailure) in
      try AtomicFile.replace(
        directory.settings, with: Array((object.serialized + "\n").utf8), on: directory.disk)
    }
  }

  /// The credential helper; `nil` for the credentials file.
  ///
  /// - Throws: a failure with exit code 2 if another user could have chosen the program.
  package func credentialHelper(of directory: LedgerDirectory) throws(CommandFailure) -> String? {
    guard let helper = self[.credentialHelper] else { return nil }
    if let problem = Key.credentialHelper.problem(with: helper) {
      throw CommandFailure(
        .usage, "the setting credentials.helper is \(quoted(helper)): \(problem)",
        hint: "ledger settings --unset credentials.helper")
    }
    for path in [directory.path, directory.settings] {
      let facts = try FileFacts.existing(path)
      guard !facts.isOwn || facts.isWritableByOthers else { continue }
      throw CommandFailure(
        .usage,
        "\(directory.settings) names a program to run, and \(path), which belongs to "
          + "\(facts.ownerName), may be changed by other users; nothing was run",
        hint: "ledger settings --unset credentials.helper")
    }
    return helper
  }

  /// Sets the process's time zone: the setting, else `TZ`, else the system's.
  ///
  /// - Throws: a failure with exit code 2 for an unknown zone, which the C library would silently
  ///   treat as UTC.
  package func enterZone() throws(CommandFailure) -> LocalZone {
    if let name = self[.zone] {
      guard LocalZone.use(named: name) else {
        throw CommandFailure(
          .usage, "the setting zone is '\(name)', which this system does not know",
          hint: "choose another: ledger settings zone "
            + (nearestZones(to: name).first ?? "Europe/Vienna"))
      }
      return .current
    }
    let environment = LocalZone.environmentIsKnown
    guard environment.known else {
      throw CommandFailure(
        .usage, "TZ is '\(environment.name)', a zone that this system does not know",
        hint:
          "set TZ to a name such as \(nearestZones(to: environment.name).first ?? "Europe/Vienna")"
          + ", or leave it out")
    }
    return .current
  }
}
