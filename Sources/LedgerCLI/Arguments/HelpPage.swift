/// Help in words, made from the specs, so that it cannot disagree with the parser.
struct HelpPage {
  let catalog: CommandCatalog
  let paint: Paint
  let width: Int

  func text(_ topic: HelpTopic) -> String {
    let sections =
      switch topic {
      case .overview: overview()
      case .beginning: beginning()
      case .command(let spec): command(spec)
      case .group(let path): group(path)
      }
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
      .joined(separator: "\n\n") + "\n"
  }

  private func overview() -> [[String]] {
    let globals = GlobalOptions.all.map { "[\(HelpPage.label($0, aligned: false))]" }
    let usage = usageLines(["\(globals.joined(separator: " ")) COMMAND [ARGUMENT …]"])
    let groups = HelpGroup.allCases.map { heading in
      list(heading.rawValue, catalog.overviewSpecs.filter { $0.group == heading }.map(entry))
    }
    let more = "'\(Program.name) COMMAND --help' tells all about one command."
    return [usage, wrapped("\(Program.name) \(Program.summary).", width: width)]
      + groups + [wrapped(more, width: width)]
  }

  private func beginning() -> [[String]] {
    let help = ("help", "show all commands; 'ledger COMMAND --help' tells all about one")
    return [
      wrapped("\(Program.name) \(Program.summary).", width: width),
      wrapped(
        "There is no .ledger in this folder or above it. --ledger DIR names one.", width: width),
      list(
        "To begin",
        (catalog.specs.filter { $0.group == .start }.map(entry) + [help]).map {
          ("\(Program.name) \($0)", $1)
        }),
    ]
  }

  private func group(_ path: String) -> [[String]] {
    [usageLines(["\(path) COMMAND [ARGUMENT …]"]), nested(path, heading: "Commands")]
  }

  private func command(_ spec: CommandSpec) -> [[String]] {
    let usages = spec.usage.isEmpty ? [Self.generatedUsage(spec)] : spec.usage
    let arguments = spec.arguments.filter { !$0.help.isEmpty }.map { ($0.name, $0.help) }
    return [
      usageLines(usages.map { $0.isEmpty ? spec.name : "\(spec.name) \($0)" }),
      wrapped(HelpPage.capitalised(spec.summary) + ".", width: width),
      list("Arguments", arguments),
      list("Options", spec.options.map(entry)),
      nested(spec.name, heading: "See also"),
      list("Global options", GlobalOptions.all.map(entry)),
      examples(spec.examples),
    ] + spec.notes.map { wrapped($0, width: width) }
  }

  static func generatedUsage(_ spec: CommandSpec) -> String {
    let options = spec.options.isEmpty ? [] : ["[options]"]
    return (spec.arguments.map(\.usage) + options).joined(separator: " ")
  }

  private func nested(_ path: String, heading: String) -> [String] {
    list(heading, catalog.specs.filter { $0.name.hasPrefix("\(path) ") }.map(entry))
  }

  private func entry(_ spec: CommandSpec) -> (String, String) { (spec.name, spec.summary) }

  private func entry(_ option: OptionSpec) -> (String, String) {
    (HelpPage.label(option, aligned: true), Self.help(option))
  }

  /// What the option takes is part of its help, as is that it may be repeated.
  static func help(_ option: OptionSpec) -> String {
    var help = option.help
    if !option.allowed.isEmpty { help += ": " + option.allowed.joined(separator: ", ") }
    if option.repeatable { help += " (may be repeated)" }
    return help
  }
}
