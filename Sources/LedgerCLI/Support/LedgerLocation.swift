package import LedgerLog
import LedgerPlatform

/// Which ledger a command means: `--ledger DIR`, else `$LEDGER_DIR`, else the nearest `.ledger`
/// upward (cli.md). DIR is the folder that holds `events.jsonl`.
package enum LedgerLocation {
  /// - Throws: a failure with exit code 4 when there is no ledger there, and with exit code 2 when a
  ///   ledger that was not named is not the user's own.
  package static func find(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(CommandFailure) -> LedgerDirectory {
    if let named = named(arguments, console) {
      let directory = LedgerDirectory(named)
      guard directory.holdsLedger else {
        let inside = LedgerDirectory(joined(named, ".ledger"))
        throw CommandFailure(
          .notFound, "there is no ledger at \(named)",
          hint: inside.holdsLedger ? "did you mean \(inside.path)?" : "'ledger init' makes one")
      }
      return directory
    }
    guard let found = upward() else {
      throw CommandFailure(
        .notFound, "there is no .ledger in this folder or above it",
        hint: "go to your ledger's folder, or name it by --ledger DIR or LEDGER_DIR; "
          + "'ledger init' makes a new one here")
    }
    try found.checkOwner()
    return found.directory
  }

  /// The folder named on the command line or in the environment.
  package static func named(_ arguments: ParsedArguments, _ console: Console) -> String? {
    if let given = arguments.ledgerFolder { return trimmed(given) }
    guard let given = console.environment("LEDGER_DIR"), !given.isEmpty else { return nil }
    return trimmed(given)
  }

  private static func upward() -> FoundLedger? {
    guard let here = realpath(".", nil) else { return nil }
    defer { free(here) }
    var folder = String(cString: here)
    var folders: [String] = []
    while true {
      folders.append(folder)
      let directory = LedgerDirectory(joined(folder, ".ledger"))
      if directory.holdsLedger {
        return FoundLedger(directory: directory, folders: folders)
      }
      guard folder != "/", let slash = folder.lastIndex(of: "/") else { return nil }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
  }

  package static func joined(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  private static func trimmed(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}
