import FitIQClient
import LedgerCLI
import LedgerKit
import LedgerLog
import LedgerStore

/// The ledger of a network command, with its settings.
struct NetworkLedger {
  let ledger: Ledger
  let directory: LedgerDirectory
  var settings: Settings

  init(_ arguments: ParsedArguments, _ console: Console) throws {
    directory = try LedgerLocation.find(arguments, console)
    settings = try Settings.read(directory)
    _ = try settings.enterZone()
    var environment = LedgerEnvironment()
    if let helper = try settings.credentialHelper(of: directory) {
      environment.makeCredentialStore = { HelperCredentialStore($0, helper: helper) }
    }
    ledger = try Ledger.open(at: directory.path, environment: environment)
  }

  var dialect: Dialect { settings[.backendDialect].flatMap(Dialect.init) ?? .dateTime }

  var syncOptions: SyncOptions {
    var configuration = SyncConfiguration()
    configuration.concurrency = number(.concurrency, or: configuration.concurrency)
    configuration.settleSeconds = number(.settleSeconds, or: configuration.settleSeconds)
    configuration.conflicts = settings[.conflicts].flatMap(ConflictDecision.init(choice:)) ?? .local
    return SyncOptions(dialect: dialect, configuration: configuration)
  }

  private func number(_ key: Settings.Key, or standard: Int) -> Int {
    settings[key].flatMap { Int($0) } ?? standard
  }

  /// - Throws: a failure with advice when no one is signed in.
  func connection(_ trace: WireTraceText? = nil) async throws -> BackendSession {
    guard let connection = try await ledger.connection(trace: trace?.write) else {
      let isDeleted = LastSync(in: directory)?.stopped == LastSync.accountDeleted
      throw CommandFailure(
        .needsUser, "not signed in; every edit is kept and stays pending",
        hint: isDeleted
          ? "the account was deleted; make another with 'ledger register'"
          : "sign in with '\(settings.signIn())', or make an account with 'ledger register'",
        code: "signed-out")
    }
    return connection
  }

  /// The backend's address: `--base-url`, else the setting.
  func address(_ arguments: ParsedArguments) throws -> BackendAddress {
    guard let text = arguments.option("base-url") ?? settings[.backendURL] else {
      throw CommandFailure(
        .usage, "no backend is chosen; give --base-url https://…",
        hint: "after the sign-in it is kept as the setting backend.url")
    }
    return try BackendAddress(text)
  }

  /// Stores `--base-url` as the setting, once it was signed in there.
  mutating func keepAddress(_ arguments: ParsedArguments) throws {
    guard let text = arguments.option("base-url"), settings[.backendURL] != text else { return }
    settings[.backendURL] = text
    try settings.write(directory)
  }
}

/// The input of a sign-in. Secrets never come from flags, which every process can read.
struct SignInWords {
  var password: String
  var apiKey: Secret

  /// - Parameter isNew: whether the password is being chosen, and so is asked for twice.
  init(_ console: Console, isNew: Bool = false) throws {
    password =
      try console.environment("LEDGER_PASSWORD")
      ?? (isNew ? Self.newPassword(console) : Self.password(console))
    apiKey = try console.environment("LEDGER_API_KEY").map { Secret($0) } ?? Self.apiKey(console)
  }

  private static func apiKey(_ console: Console) throws -> Secret {
    while true {
      let key = Secret(try console.askHidden("API key:", instead: "set LEDGER_API_KEY"))
      if key.fitsHeader { return key }
      console.warn("an API key is made of visible ASCII characters, without spaces")
    }
  }

  /// The account's email, to be known before anything else is asked.
  ///
  /// - Parameters:
  ///   - owner: the account that the ledger belongs to.
  ///   - what: what is done, as a participle.
  static func email(
    _ arguments: ParsedArguments, _ console: Console, owner: AccountSignedIn?,
    at address: BackendAddress, doing what: String
  ) throws -> String {
    if let given = arguments.option("email") {
      guard isEmail(given) else {
        throw UsageError.badValue(
          option: "--email", value: given, why: .expected("an address such as ada@example.com"))
      }
      return given
    }
    // Another backend has other accounts.
    if let owner, owner.origin == address.origin {
      console.note("\(what) as \(console.shown(owner.account)) at \(address.origin)")
      return owner.account
    }
    while true {
      let typed = try console.ask("Email:", instead: "give --email")
      if isEmail(typed) { return typed }
      console.warn("'\(console.shown(typed))' is not an address such as ada@example.com")
    }
  }

  /// Only what every address has: the backend decides.
  private static func isEmail(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count > 1 && !parts.contains("") && !text.contains { $0.isWhitespace }
  }

  private static func password(
    _ console: Console, _ question: String = "Password:"
  ) throws -> String {
    try console.askHidden(question, instead: "set LEDGER_PASSWORD")
  }

  private static func newPassword(_ console: Console) throws -> String {
    while true {
      let first = try password(console)
      if try password(console, "Password again:") == first { return first }
      console.warn("the two passwords differ; type the password again")
    }
  }
}

extension ConflictDecision {
  /// A value of `sync.conflicts`.
  fileprivate init?(choice: String) {
    switch choice {
    case "local": self = .local
    case "remote": self = .remote
    case "ask": self = .open
    default: return nil
    }
  }
}
