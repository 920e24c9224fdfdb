import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// `conflicts`: what waits for a person to decide, and who decided the rest.
enum ConflictsCommand: Command {
  static let spec = CommandSpec(
    "conflicts", "show conflicts with the backend and suspected duplicates that wait for you",
    group: .sync,
    options: [.flag("all", "also those that are decided")],
    examples: [
      CommandExample("ledger conflicts"),
      CommandExample("ledger conflicts --all", "decided ones, too"),
      CommandExample("ledger resolve 17 --take local", "decide the one that event 17 found"),
    ],
    notes: [
      "A conflict is over a field that has one value here and another at the backend; it is called "
        + "by the number of the event that found it. Where both sides changed a field, 'ledger "
        + "settings sync.conflicts' chooses whether it waits for you: ask, or local or remote, which "
        + "decide at once. Where the backend stored other values than were sent, it always waits.",
      "A suspected duplicate is a row of the backend that may be the same measurement as an entry. "
        + "It counts in no view until you decide.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let isAll = arguments.flag("all")
    let found = try ledger.ask { state in
      let (all, open) = (state.conflicts(), state.openConflicts())
      let suspicions = state.suspicions()
      let openSeqs = Set(open.map(\.seq))
      return Found(
        conflicts: (isAll ? all : open).map {
          Found.Conflict(
            view: $0, isOpen: openSeqs.contains($0.seq),
            entry: $0.entry.flatMap { state.entryView($0) })
        },
        suspicions: suspicions.filter { isAll || $0.isOpen }.map {
          ($0, state.entryView($0.entry))
        },
        decided: all.count - open.count + suspicions.count { !$0.isOpen },
        units: state.profileView().unitSystem ?? .metric)
    }
    func at(_ seq: Seq) throws(LogError) -> Timestamp {
      try ledger.view.line(seq).event().event.at
    }
    let conflicts = try found.conflicts.map { conflict throws(LogError) in
      KnownConflict(
        view: conflict.view, isOpen: conflict.isOpen, entry: conflict.entry,
        at: try at(conflict.view.seq))
    }
    let suspicions = try found.suspicions.map { view, entry throws(LogError) in
      KnownSuspicion(view: view, entry: entry, at: try at(view.seq))
    }
    guard !console.json else {
      let items = conflicts.map(\.json) + suspicions.map(\.json)
      try console.line(JSONValue.array(items.map { .object($0) }).serialized)
      return .done
    }
    let text = ConflictsText(
      conflicts: conflicts, suspicions: suspicions, isAll: isAll,
      decided: isAll ? 0 : found.decided, units: found.units)
    try text.write(times: TimeText(zone: ledger.zone()), to: console)
    return .done
  }

  /// What the state says, without its texts.
  private struct Found {
    struct Conflict {
      var view: ConflictView
      var isOpen: Bool
      var entry: EntryView?
    }

    var conflicts: [Conflict]
    var suspicions: [(SuspicionView, EntryView?)]
    var decided: Int
    var units: UnitSystem
  }
}

extension LedgerState {
  fileprivate func entryView(_ id: EntryID) -> EntryView? { row(of: id).map { entry(at: $0) } }
}

/// A conflict and when it was found.
struct KnownConflict {
  let view: ConflictView
  /// Whether it waits for a person.
  let isOpen: Bool
  /// The entry that it is over, as it is now.
  let entry: EntryView?
  let at: Timestamp

  var json: JSONObject {
    var object: JSONObject = [
      "conflict": JSONValue(view.seq.number), "at": .string(at.description),
      "subject": .string(view.subject), "field": .string(view.fieldName), "base": view.base,
      "local": view.local, "remote": view.remote, "decision": .string(view.decision.rawValue),
    ]
    object["entry"] = view.entry.map { .string($0.description) }
    object["type"] = entry.map { .string($0.metric.name) }
    object["backend_id"] = view.backendID.map { .string($0.text) }
    object["resolved_by"] = view.resolution.map { JSONValue($0.seq.number) }
    object["replaced_by"] = view.replacedBy.map { JSONValue($0.number) }
    return object
  }
}

/// Suspected duplicates of one entry and when they were found.
struct KnownSuspicion {
  let view: SuspicionView
  /// The entry that they may repeat, as it is now.
  let entry: EntryView?
  let at: Timestamp

  var json: JSONObject {
    var object: JSONObject = [
      "suspicion": JSONValue(view.seq.number), "at": .string(at.description),
      "entry": .string(view.entry.description),
    ]
    object["type"] = entry.map { .string($0.metric.name) }
    object["backend_ids"] = .array(view.backendIDs.map { .string($0.text) })
    object["decision"] = .string(view.decision?.rawValue ?? "open")
    object["resolved_by"] = view.resolvedBy.map { JSONValue($0.number) }
    return object
  }
}
