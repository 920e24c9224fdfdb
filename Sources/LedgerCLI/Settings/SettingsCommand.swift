import LedgerJSON
import LedgerLog

enum SettingsCommand: Command {
  static let spec = CommandSpec(
    "settings", "show or change settings", group: .more,
    usage: ["[KEY [VALUE]]", "--unset KEY"],
    arguments: [
      .optional(
        "KEY", "one of " + Settings.Key.names.joined(separator: ", "),
        hint: .words(Settings.Key.names)),
      .optional(
        "VALUE", "the new value",
        hint: .wordsAfter(
          Settings.Key.allCases.filter { !$0.choices.isEmpty }.map {
            .init($0.rawValue, $0.choices)
          })
      ),
    ],
    options: [
      .value("unset", "KEY", "go back to the default", hint: .words(Settings.Key.names))
    ],
    examples: [
      .init("ledger settings", "all of them"),
      .init("ledger settings zone Europe/Vienna"),
      .init("ledger settings --unset zone"),
      .init("ledger settings credentials.helper libsecret", "tokens in the desktop's key ring"),
    ],
    notes: [
      "Settings are not part of the log: deleting settings.json loses no data.",
      "sync.conflicts decides fields that were changed on both sides: local or remote at once, or ask, which "
        + "waits for 'ledger resolve'. Of a deletion and a correction the correction always wins.",
      "credentials.helper is a program that keeps the tokens and the API key, as git has it in "
        + "credential.helper: NAME for git-credential-NAME, an absolute path, or ! and a shell command. "
        + "It holds from the next sign-in or renewal of the tokens on; sign out before you change it.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    if arguments.has("unset"), arguments.argument("KEY") != nil {
      throw UsageError.conflict("--unset", "KEY")
    }
    let unset = try arguments.option("unset").map(key)
    let named = try arguments.argument("KEY").map(key)
    let directory = try LedgerLocation.find(arguments, console)
    var settings = try Settings.read(directory)
    if let unset {
      settings[unset] = nil
      try settings.write(directory)
    } else if let named, let value = arguments.argument("VALUE") {
      if let problem = named.problem(with: value) {
        let near =
          named == .zone ? nearestZones(to: value) : nearest(to: value, among: named.choices)
        // A suggested zone replaces the example.
        let stated = named == .zone && !near.isEmpty ? Settings.Key.noSuchZone : problem
        throw CommandFailure(
          .usage,
          // An address may hold a password.
          "\(named.rawValue) cannot be \(named == .backendURL ? "this" : quoted(value)): \(stated)"
            + (near.isEmpty ? "" : "; did you mean \(listed(near))?"))
      }
      settings[named] = value
      try settings.write(directory)
    }
    try answer(settings, unset ?? named, console)
    // Known as a zone, but of one offset.
    if named == .zone, let zone = arguments.argument("VALUE").flatMap({ zonesCalled[$0] })?.first {
      console.note(
        "its offset is the same all year; for daylight saving: ledger settings zone \(zone)")
    }
    if unset == .backendURL || named == .backendURL && arguments.argument("VALUE") != nil,
      directory.hasCredentials, !console.json
    {
      console.note(
        "it holds from the next 'ledger login'; until then sync goes where you are signed in")
    }
    return .done
  }

  private static func key(_ name: String) throws(CommandFailure) -> Settings.Key {
    if let key = Settings.Key(rawValue: name) { return key }
    let names = Settings.Key.names
    if name.lowercased().hasPrefix("unit") {
      throw CommandFailure(
        .usage, "units are the person's, not a setting of this ledger",
        hint: "ledger append profile --unit-system imperial")
    }
    let near = nearest(to: name, among: names)
    // Finds `sync.conflicts` for `conflicts`.
    let ends = names.filter { $0.hasSuffix(".\(name)") }
    let meant = near.isEmpty ? ends : near
    throw CommandFailure(
      .usage,
      "there is no setting \(quoted(name)); "
        + (meant.isEmpty
          ? "those are \(names.joined(separator: ", "))" : "did you mean \(listed(meant))?"))
  }

  private static func answer(
    _ settings: Settings, _ named: Settings.Key?, _ console: Console
  ) throws {
    if console.json {
      var object = JSONObject()
      for key in named.map({ [$0] }) ?? Settings.Key.allCases {
        object[key.rawValue] = json(settings[key], key)
      }
      return try console.line(object.serialized)
    }
    if let named {
      guard let value = settings[named] else {
        return console.note("\(named.rawValue) is not set\(meaning(named))")
      }
      return try console.line(console.shown(value))
    }
    var table = Table([.left("setting"), .left("value", shrinks: true), .left("")])
    for key in Settings.Key.allCases {
      let origin = settings.isChosen(key) ? "" : key.standard == nil ? "not set" : "default"
      table.add(.init(key.rawValue), .init(settings[key] ?? "–"), .init(origin, .dim))
    }
    try console.write(table)
  }

  private static func meaning(_ key: Settings.Key) -> String {
    switch key {
    case .zone: "; TZ is used, else the system's zone"
    case .backendURL: "; 'ledger login --base-url' sets it"
    case .credentialHelper: "; credentials.json keeps the tokens, for you alone"
    case .backendDialect, .conflicts, .concurrency, .settleSeconds: ""
    }
  }

  private static func json(_ value: String?, _ key: Settings.Key) -> JSONValue {
    guard let value else { return .null }
    switch key {
    case .concurrency, .settleSeconds: return Int(value).map { JSONValue($0) } ?? .string(value)
    case .backendURL, .backendDialect, .conflicts, .zone, .credentialHelper: return .string(value)
    }
  }
}
