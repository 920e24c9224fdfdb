import LedgerPlatform

/// A command: its description, and what it does. One file each.
package protocol Command {
  static var spec: CommandSpec { get }
  /// Whether an answer that is longer than the terminal goes through a pager.
  static var pages: Bool { get }

  /// Answers through the console. Throws a `ReportableError` or a `UsageError`; any other error is
  /// reported by its description.
  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode
}

extension Command {
  package static var pages: Bool { false }
}

/// The commands of one program: parses the command line, runs the command, and turns the result
/// into output and an exit code.
package struct CommandTable {
  package let catalog: CommandCatalog
  private let commands: [any Command.Type]
  private let forward: Forward
  private let alone: (any Command.Type)?

  /// Hands the words to another program; returns only in tests.
  package typealias Forward = (_ helper: String, _ words: [String]) throws -> ExitCode

  /// - Parameters:
  ///   - others: the commands that another program or another table runs.
  ///   - alone: runs where no command is named; without it, help is shown.
  package init(
    _ commands: [any Command.Type], also others: [CommandSpec] = [],
    alone: (any Command.Type)? = nil,
    forward: @escaping Forward = { try HelperProgram.exec(name: $0, arguments: $1) }
  ) {
    self.commands = commands
    self.forward = forward
    self.alone = alone
    catalog = CommandCatalog(commands.map { $0.spec } + others)
  }

  /// Runs in this process; the caller chooses where output goes.
  package func run(_ words: [String], streams: ConsoleStreams = .standard) -> ExitCode {
    if let query = CompletionQuery(words) {
      let console = Console(streams)
      return console.finish(Result { try query.answer(from: catalog, to: console) })
    }
    let settings = ConsoleSettings(scanning: words)
    switch catalog.plan(words) {
    case .run(let spec, let arguments):
      guard let command = commands.first(where: { $0.spec.name == spec.name }) else {
        preconditionFailure("no code for '\(spec.name)'")
      }
      return run(command, arguments, streams)
    case .help(let topic):
      return paged(true, streams, settings) { catalog.show(topic, on: $0) }
    case .forward(let helper, let words):
      return Console(streams, settings).finish(Result { try forward(helper, words) })
    case .refuse(let failure):
      if failure.error == .missingCommand, let alone, let arguments = try? alone.spec.parse(words) {
        let console = Console(streams, .init(arguments))
        return console.finish(Result { try alone.run(arguments, console) })
      }
      return catalog.refuse(failure, on: Console(streams, settings))
    }
  }

  private func run(
    _ command: any Command.Type, _ arguments: ParsedArguments, _ streams: ConsoleStreams
  ) -> ExitCode {
    paged(command.pages, streams, .init(arguments), command: arguments.command) { console in
      if streams.errorIsTerminal {
        for hint in arguments.spellingHints { console.note(hint, .dim) }
      }
      return console.finish(
        Result { try command.run(arguments, console) }, command: arguments.command)
    }
  }

  /// Answers through a pager where one is wanted and there is a terminal.
  private func paged(
    _ pages: Bool, _ streams: ConsoleStreams, _ settings: ConsoleSettings, command: String = "",
    _ body: (Console) -> ExitCode
  ) -> ExitCode {
    let pager = pages ? Pager(for: streams) : nil
    let code = body(Console(pager?.streams(streams) ?? streams, settings))
    guard let pager else { return code }
    do {
      try pager.finish()
      return code
    } catch {
      return Console(streams, settings).finish(.failure(error), command: command)
    }
  }

  package func main() -> Never {
    ProcessSetup.prepare()
    exit(run(ProcessSetup.words()).rawValue)
  }
}

extension CommandCatalog {
  func show(_ topic: HelpTopic, on console: Console) -> ExitCode {
    console.finish(
      Result {
        try console.answer(json(topic)) {
          let page = HelpPage(catalog: self, paint: console.paint, width: min(console.width, 100))
          try console.write(page.text(topic))
        }
        return .done
      })
  }

  func refuse(_ failure: UsageFailure, on console: Console) -> ExitCode {
    guard failure.error == .missingCommand else { return console.finish(.failure(failure)) }
    // Typing only the program's name is how people ask what there is.
    let page = HelpPage(
      catalog: self, paint: console.errorPaint, width: min(console.width, 100))
    console.writeError(page.text(.overview))
    return console.finish(.success(.usage))
  }
}
