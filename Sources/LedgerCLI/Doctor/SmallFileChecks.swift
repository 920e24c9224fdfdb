import LedgerJSON
import LedgerLog
import LedgerPlatform

/// Whether `settings.json` says what it may say.
enum SettingsCheck {
  static func findings(_ directory: LedgerDirectory) -> [Finding] {
    let settings: Settings
    do {
      settings = try Settings.read(directory)
    } catch {
      return [
        Finding(
          "settings-unreadable", .warning, FailureReport(error).sentence,
          command: "rm \(ShellText.word(directory.settings))")
      ]
    }
    var found: [Finding] = []
    for key in Settings.Key.allCases where settings.isChosen(key) {
      let value = settings.text(key) ?? ""
      guard let problem = settings.text(key) == nil ? "it is no text" : key.problem(with: value)
      else { continue }
      found.append(
        Finding(
          "settings-value", .warning, "the setting \(key.rawValue) is \(quoted(value)): \(problem)",
          advice: "choose another value, or go back to the default",
          command: "ledger settings --unset \(key.rawValue)"))
    }
    for name in settings.unknownNames {
      found.append(
        Finding(
          "settings-unknown", .notice,
          "settings.json has \(quoted(name)), which this version does not know; it is kept and "
            + "left alone"))
    }
    if !found.isEmpty { return found }
    let count = Settings.Key.allCases.count { settings.isChosen($0) }
    return [
      .fine("settings", count == 0 ? "the defaults" : "\(counted(count, "setting")) chosen")
    ]
  }
}

/// Whether `credentials.json` is what the network half of the program reads. Never shows a part of
/// it.
enum CredentialsCheck {
  static func findings(_ directory: LedgerDirectory) -> [Finding] {
    let bytes: [UInt8]?
    do throws(IOFailure) {
      bytes = try AtomicFile.read(directory.credentials)
    } catch {
      return [Finding("credentials-unreadable", .warning, error.description)]
    }
    guard let bytes else { return [.fine("credentials", "none: not signed in")] }
    guard isWhole(bytes) else {
      return [
        Finding(
          "credentials-unreadable", .warning,
          "credentials.json is not what signing in writes, so nothing can be sent",
          advice: "remove it and sign in again; no event is lost",
          command: "rm \(ShellText.word(directory.credentials)) && ledger login")
      ]
    }
    return [.fine("credentials", "readable, for you alone")]
  }

  private static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard let object = (try? JSONValue(parsing: bytes))?.object,
      object["origin"]?.string != nil, object["email"]?.string != nil,
      object["generation"]?.integer != nil
    else { return false }
    return (object["access_token"]?.string != nil) == (object["refresh_token"]?.string != nil)
  }
}
