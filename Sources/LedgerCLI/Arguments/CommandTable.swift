import LedgerJSON
import LedgerPlatform

/// The commands of one program: reads the command line, runs what it means, and turns whatever
/// comes of it into output and an exit code.
package struct CommandTable {
  package let catalog: CommandCatalog
  private let commands: [any Command.Type]
  private let forward: Forward
  /// What is run where no command is named.
  private let alone: (any Command.Type)?

  /// Hands the words to another program; returns only in tests.
  package typealias Forward = (_ helper: String, _ words: [String]) throws -> ExitCode

  /// `also` lists what another program holds, or headings such as `import` for help alone; `alone` is
  /// what is run where no command is named, and help is shown where there is no such thing.
  package init(
    _ commands: [any Command.Type], also: [CommandSpec] = [], alone: (any Command.Type)? = nil,
    forward: @escaping Forward = { try HelperProgram.exec(name: $0, arguments: $1) }
  ) {
    self.commands = commands
    self.forward = forward
    self.alone = alone
    catalog = CommandCatalog(commands.map { $0.spec } + also)
  }

  /// Runs in this process; the caller chooses where output goes.
  package func run(_ words: [String], streams: ConsoleStreams = .standard) -> ExitCode {
    let settings = ConsoleSettings(scanning: words)
    switch catalog.plan(words) {
    case .run(let spec, let arguments):
      let console = Console(streams, .init(arguments))
      // A spec without code is a heading, and a heading by itself does nothing.
      guard let command = commands.first(where: { $0.spec.name == spec.name }) else {
        return console.finish(catalog.headingAlone(spec))
      }
      return console.finish(Result { try command.run(arguments, console) }, command: spec.name)
    case .help(let topic):
      let console = Console(streams, settings)
      return console.json ? catalog.showJSON(topic, on: console) : catalog.show(topic, on: console)
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

  /// The whole program.
  package func main() -> Never {
    ProcessSetup.prepare()
    exit(run(ProcessSetup.words()).rawValue)
  }
}

extension CommandCatalog {
  func show(_ topic: HelpTopic, on console: Console) -> ExitCode {
    let page = HelpPage(catalog: self, paint: console.paint, width: min(console.width, 100))
    return console.finish(
      Result {
        try console.write(page.text(topic))
        return .done
      })
  }

  /// As data, with what the helpers say of their own commands.
  func showJSON(_ topic: HelpTopic, on console: Console) -> ExitCode {
    let catalog = topic == .overview ? withHelpers() : self
    return console.finish(
      Result {
        try console.line(catalog.json(topic).serialized)
        return .done
      })
  }

  func refuse(_ failure: UsageFailure, on console: Console) -> ExitCode {
    guard failure.error == .missingCommand else { return console.finish(.failure(failure)) }
    // Typing the bare name is how people ask what there is.
    let page = HelpPage(
      catalog: self, paint: console.errorPaint, width: min(console.width, 100))
    console.writeError(page.text(.overview))
    return console.finish(.success(.usage))
  }

  func headingAlone(_ spec: CommandSpec) -> Result<ExitCode, any Error> {
    let choices = nextWords(after: spec.words)
    let error = UsageError.missingSubcommand(of: spec.name, choices: choices)
    return .failure(UsageFailure(error, command: spec.name))
  }
}
