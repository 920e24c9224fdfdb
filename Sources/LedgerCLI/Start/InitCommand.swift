import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerStore

enum InitCommand: Command {
  static let spec = CommandSpec(
    "init", "make a new, empty ledger", group: .start,
    arguments: [
      .optional("DIR", "the folder to make .ledger in; it is made too (default: this folder)")
    ],
    options: [
      .value("device", "NAME", "what this device is called (default: the host's name)"),
      .flag("yes", "do not ask about a ledger in a folder above"),
    ],
    examples: [
      .init("ledger init", "makes ./.ledger"),
      .init("ledger init ~/health --device phone"),
      .init("ledger --ledger /data/anna init", "makes /data/anna itself the ledger's folder"),
    ],
    notes: [
      "A ledger that exists is never touched. Commands use the nearest .ledger upward, so a ledger "
        + "inside another one's folder hides that one; this is asked about on a terminal."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    if arguments.argument("DIR") != nil, arguments.ledgerFolder != nil {
      throw UsageError.conflict("DIR", "--ledger")
    }
    let directory = try folder(arguments, console)
    let device = try device(arguments)
    if try directory.findsLedger() { throw LogError.exists(path: directory.path) }
    try confirmHiding(of: directory, arguments, console)
    try makeFolder(Folder.parent(of: directory.path))
    if LedgerLocation.named(arguments, console) == nil { try makePrivate(directory) }
    var generator = SystemEntropy()
    let created = try EventLog.create(
      directory, device: device, at: console.now(), using: &generator)
    if console.json {
      try console.write(bytes: created.lines)
    } else {
      let path = console.shown(directory.path)
      let next = console.paint.bold("\(call(directory, arguments, console)) append weight 75.5")
      try console.line("\(console.paint.green("✓")) made a ledger in \(path); next: \(next)")
    }
    return .done
  }

  /// A new `.ledger` hides the one that commands in its folder would have found.
  private static func confirmHiding(
    of directory: LedgerDirectory, _ arguments: ParsedArguments, _ console: Console
  ) throws(CommandFailure) {
    guard LedgerLocation.named(arguments, console) == nil, !arguments.flag("yes"),
      let above = LedgerLocation.found(from: Folder.parent(of: directory.path))
    else { return }
    let here =
      arguments.argument("DIR") == nil
      ? "this folder" : console.shown(Folder.parent(of: directory.path))
    let fact = "commands in \(here) use the ledger \(console.shown(above.path)) now"
    switch try console.confirmIfPossible("\(fact). Make another one there?") {
    case true?: break
    case false?: throw CommandFailure(.usage, "no ledger was made")
    case nil: console.warn("\(fact), and the new one after this")
    }
  }

  private static func folder(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) -> LedgerDirectory {
    // An unset variable in a script must not make a ledger at the root.
    for (name, value) in [("DIR", arguments.argument("DIR")), ("--ledger", arguments.ledgerFolder)]
    where value == "" {
      throw .badValue(option: name, value: "", why: .expected("the path of a folder"))
    }
    if let given = arguments.argument("DIR") {
      if given.split(separator: "/").last == ".ledger" { return LedgerDirectory(given) }
      return LedgerDirectory(LedgerLocation.joined(given, ".ledger"))
    }
    return LedgerDirectory(LedgerLocation.named(arguments, console) ?? ".ledger")
  }

  /// Makes a folder and its missing parents, with the umask's permissions.
  private static func makeFolder(_ path: String) throws(LogError) {
    if isFolder(path) { return }
    let above = Folder.parent(of: path)
    if above != path { try makeFolder(above) }
    // Another process may make it at the same time.
    guard mkdir(path, 0o777) == 0 || (errno == EEXIST && isFolder(path)) else {
      throw .io(IOFailure("make", path))
    }
  }

  /// A `.ledger` that is there already gets the mode of a new one if others may write it: commands would
  /// not use it. One that is named may be any folder.
  private static func makePrivate(_ directory: LedgerDirectory) throws {
    guard let folder = try FileFacts.of(directory.path, followsLinks: true) else { return }
    guard folder.isOwn else {
      throw CommandFailure(
        .usage, "\(folder.path) belongs to \(folder.ownerName), not to you; no ledger was made")
    }
    guard folder.isWritableByOthers else { return }
    guard chmod(folder.path, 0o700) == 0 else {
      throw LogError.io(IOFailure("set the mode of", folder.path))
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    (try? Folder.exists(path, on: SystemDisk.shared)) == true
  }

  private static func device(_ arguments: ParsedArguments) throws(UsageError) -> String {
    guard let given = arguments.option("device") else { return hostName }
    guard (1...100).contains(given.unicodeScalars.count) else {
      throw .badValue(
        option: "--device", value: given, why: .expected("a name of 1 to 100 characters"))
    }
    return given
  }

  private static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0, buffer[0] != 0 else { return "unnamed" }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The command line that names the new ledger, ready to be copied.
  private static func call(
    _ directory: LedgerDirectory, _ arguments: ParsedArguments, _ console: Console
  ) -> String {
    let isNamed =
      arguments.ledgerFolder != nil
      || arguments.argument("DIR") != nil
        && (LedgerLocation.named(arguments, console) != nil
          || ![".ledger", "./.ledger"].contains(directory.path))
    guard isNamed else { return Program.name }
    return "\(Program.name) --ledger \(ShellText.word(directory.path))"
  }
}

/// `ledger` without a command: the status of the ledger it finds, and what to do next; without a
/// ledger, how to begin.
package enum StartCommand: Command {
  package static let spec = CommandSpec("", "show the status", group: .look)

  package static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    do throws(CommandFailure) {
      _ = try LedgerLocation.find(arguments, console)
    } catch {
      // A ledger that was named and does not exist is an error.
      guard error.exitCode == .notFound, !console.json,
        LedgerLocation.named(arguments, console) == nil
      else { throw error }
      console.writeError(beginning(console))
      return error.exitCode
    }
    return try StatusCommand.run(arguments, console)
  }

  private static func beginning(_ console: Console) -> String {
    let page = HelpPage(
      catalog: LocalCommands.catalog, paint: console.errorPaint, width: min(console.width, 100))
    return page.text(.beginning)
  }
}
