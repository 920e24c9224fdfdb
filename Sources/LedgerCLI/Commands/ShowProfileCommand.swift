import LedgerJSON
import LedgerProjections

/// `show profile`: the person as the ledger knows them.
enum ShowProfileCommand: Command {
  static let spec = CommandSpec(
    "show profile", "show name, body and preferences, and where each stands with the backend",
    group: .look, options: [ShowOptions.at],
    examples: [
      CommandExample("ledger show profile"),
      CommandExample("ledger show profile --at 2025-01-31", "as it was at the end of that day"),
      CommandExample("ledger show profile --at 120 --json", "as it was after event 120"),
    ],
    notes: ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let view = try ledger.ask(arguments) { $0.profileView() }
    if console.json {
      try console.line(answer(view).serialized)
    } else {
      try ProfileText(view: view).write(to: console)
    }
    return .done
  }

  static func answer(_ view: ProfileView) -> JSONObject {
    let status = view.status.map {
      JSONObject.Member(name: $0.field.rawValue, value: .string($0.status.rawValue))
    }
    var answer: JSONObject = [
      "profile": .object(view.profile), "physical": .object(view.physical),
      "preferences": .object(view.preferences), "status": .object(JSONObject(members: status)),
    ]
    if !view.unreadable.isEmpty {
      answer["unreadable"] = .array(view.unreadable.map { .string($0.rawValue) })
    }
    return answer
  }
}
