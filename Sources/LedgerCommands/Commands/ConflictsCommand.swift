import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// `conflicts`: the fields that both sides changed, and who decided.
enum ConflictsCommand: Command {
  static let spec = CommandSpec(
    "conflicts", "show the fields that changed here and at the backend, and wait for you",
    group: .sync,
    options: [.flag("all", "also those that are decided")],
    examples: [
      CommandExample("ledger conflicts"),
      CommandExample("ledger conflicts --all", "every decision can be made again"),
      CommandExample("ledger resolve 17 --take local", "decide the one that event 17 found"),
    ],
    notes: [
      "Whether a conflict waits for you is chosen by 'ledger settings sync.conflicts': ask, or "
        + "local or remote, which decide at once. A conflict is called by the number of the event "
        + "that found it."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let (all, units) = try ledger.ask { state in
      (state.conflicts(), state.profileView().unitSystem ?? .metric)
    }
    let isAll = arguments.flag("all")
    let shown = try all.filter { isAll || $0.isOpen }.map { conflict throws(LogError) in
      KnownConflict(view: conflict, at: try ledger.view.line(conflict.seq).event().event.at)
    }
    guard !console.json else {
      try console.line(JSONValue.array(shown.map { .object($0.json) }).serialized)
      return .done
    }
    let text = ConflictsText(
      conflicts: shown, isAll: isAll, decided: all.count - shown.count,
      units: units)
    try text.write(times: TimeText(zone: ledger.zone()), to: console)
    return .done
  }
}

/// A conflict and when it was found.
struct KnownConflict {
  let view: ConflictView
  let at: Timestamp

  var json: JSONObject {
    var object: JSONObject = [
      "conflict": JSONValue(view.seq.number), "at": .string(at.description),
      "subject": .string(view.subject), "field": .string(view.fieldName), "base": view.base,
      "local": view.local, "remote": view.remote, "decision": .string(view.decision.rawValue),
    ]
    object["resolved_by"] = view.resolution.map { JSONValue($0.seq.number) }
    object["replaced_by"] = view.replacedBy.map { JSONValue($0.number) }
    return object
  }
}
