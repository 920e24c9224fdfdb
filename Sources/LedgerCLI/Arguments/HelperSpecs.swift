import LedgerJSON
import LedgerPlatform

extension CommandCatalog {
  /// The same commands, those of helper programs with all that these say of them.
  ///
  /// - Parameter ask: what a helper answers to `help --json`; `nil` where there is no such program,
  ///   and then its commands keep the line that is known of them here.
  package func withHelpers(
    asking ask: (_ helper: String) -> [UInt8]? = HelperProgram.helpInJSON
  ) -> CommandCatalog {
    var known: [String: [CommandSpec]] = [:]
    for helper in specs.compactMap(\.helper) where known[helper] == nil {
      let answer = ask(helper).flatMap { try? JSONValue(parsing: $0) }
      known[helper] = (answer?.object?.objects("commands") ?? []).compactMap {
        CommandSpec(json: $0, helper: helper)
      }
    }
    return CommandCatalog(
      specs.map { spec in
        let told = spec.helper.flatMap { known[$0] }?.first { $0.name == spec.name }
        return told ?? spec
      })
  }

  /// What `help --json` answers.
  func json(_ topic: HelpTopic) -> JSONObject {
    let shown =
      switch topic {
      case .overview, .beginning: specs
      case .command(let spec): [spec]
      case .group(let path): specs.filter { $0.name.hasPrefix("\(path) ") }
      }
    return [
      "program": .string(Program.name), "version": .string(Program.version),
      "commands": .array(shown.map { .object($0.json) }),
      "global_options": .array(GlobalOptions.all.map { .object($0.json) }),
    ]
  }
}

extension HelperProgram {
  /// What the helper beside this program says that its commands are.
  package static func helpInJSON(_ helper: String) -> [UInt8]? {
    guard let folder = try? folder() else { return nil }
    let path = "\(folder)/\(helper)"
    guard access(path, X_OK) == 0 else { return nil }
    guard let pipe = popen("\(ShellText.word(path)) help --json", "r") else { return nil }
    var answer: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = fread(&part, 1, part.count, pipe)
      if count == 0 { break }
      answer += part[..<count]
    }
    return pclose(pipe) == 0 ? answer : nil
  }
}
