import LedgerModel
import LedgerProjections

/// The graph of `log --graph`: a lane for this device and one for the backend, with the calls
/// between them and each edit's outcome.
struct LogGraph {
  private let ledger: ReadLedger
  private let isUnicode: Bool
  private let inConflict: Set<Int>

  static let width = 5

  init(_ ledger: ReadLedger, isUnicode: Bool) throws {
    self.ledger = ledger
    self.isUnicode = isUnicode
    inConflict = try ledger.ask { $0.editsInConflict() }
  }

  /// How an event appears in the lanes.
  enum Step: Equatable {
    case edit(EditOutcome)
    /// A call that was sent.
    case call(isAnswered: Bool)
    case acknowledged, rejected, putOff
    /// Data from the backend.
    case pulled
    case held
    case conflict
    case other
  }

  enum EditOutcome: Equatable {
    case waiting, inDoubt, synced, rejected, held, conflict, undone
  }

  /// How an event appears, and the event that decided an edit's outcome, as in `→ #64`.
  func row(_ recorded: RecordedEvent) throws -> (step: Step, outcome: String?) {
    try ledger.ask { state in
      let step = step(recorded, state)
      return (step, outcome(of: step, marker: state.edits.marker(recorded.seq.number)))
    }
  }

  private func step(_ recorded: RecordedEvent, _ state: LedgerState) -> Step {
    let edits = state.edits
    switch recorded.event.payload {
    case .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressCorrected, .sleepLogged, .sleepCorrected, .sleepDeleted, .conflictResolved:
      return editOutcome(recorded.seq, state).map { .edit($0) } ?? .other
    case .progressDeleted:
      if recorded.event.by == .sync { return .pulled }
      return editOutcome(recorded.seq, state).map { .edit($0) } ?? .other
    case .syncAttempted(let data):
      let isLost = data.events.contains { edit in
        edits.state(edit.number) == .inDoubt
          && edits.marker(edit.number) == recorded.seq.number
      }
      return .call(isAnswered: !isLost)
    case .syncAcknowledged(let data): return data.via == .elided ? .other : .acknowledged
    case .syncRejected, .syncDiffered: return .rejected
    case .syncDeferred: return .putOff
    case .syncHeld: return .held
    case .profilePulled, .progressPulled, .sleepPulled: return .pulled
    case .conflictDetected, .duplicateSuspected: return .conflict
    case .ledgerCreated, .goalSet, .goalRemoved, .rowSkipped, .duplicateResolved, .editUndone,
      .accountSignedIn,
      .accountSignedOut, .accountReplaced, .eventErased, .logRepaired, .unknown, .erased:
      return .other
    }
  }

  private func editOutcome(_ seq: Seq, _ state: LedgerState) -> EditOutcome? {
    switch state.outcome(ofEdit: seq.number) {
    case .none: nil
    case .acknowledged: .synced
    case .undone: .undone
    case .inDoubt: .inDoubt
    case .pending: inConflict.contains(seq.number) ? .conflict : .waiting
    case .held: inConflict.contains(seq.number) ? .conflict : .held
    case .rejected: inConflict.contains(seq.number) ? .conflict : .rejected
    case .differed: .conflict
    }
  }

  private func outcome(of step: Step, marker: Int?) -> String? {
    guard case .edit(let outcome) = step else { return nil }
    let arrow = isUnicode ? "→" : "->"
    return switch (outcome, marker) {
    case (.waiting, _), (.conflict, _): "\(arrow) waits"
    case (_, let marker?): "\(arrow) #\(marker)"
    case (_, nil): nil
    }
  }
}

extension LogGraph {
  /// The lanes of one row, always ``width`` columns.
  func lanes(_ step: Step) -> String {
    let drawn: (unicode: String, plain: String) =
      switch step {
      case .edit(let outcome): ("\(outcome.label.unicode)   │", "\(outcome.label.plain)   |")
      case .call(isAnswered: true): ("├──▶│", "|-->|")
      case .call(isAnswered: false): ("├──▶?", "|-->?")
      case .acknowledged: ("│◀──●", "|<--*")
      case .rejected: ("│◀──✗", "|<--x")
      case .putOff: ("│◀──~", "|<--~")
      case .pulled: ("│◀──+", "|<--+")
      case .held: ("‖   │", "=   |")
      case .conflict: ("◆───◆", "#---#")
      case .other: ("│   │", "|   |")
      }
    return isUnicode ? drawn.unicode : drawn.plain
  }

  func style(_ step: Step) -> Paint.Style? {
    switch step {
    case .edit(.synced), .acknowledged: .green
    case .edit(.rejected), .edit(.conflict), .rejected, .conflict: .red
    case .edit(.waiting), .edit(.inDoubt), .edit(.held), .call(isAnswered: false), .putOff, .held:
      .yellow
    case .pulled: .cyan
    case .edit(.undone), .call(isAnswered: true), .other: .dim
    }
  }

  func legend(device: String) -> [String] {
    let outcomes: [EditOutcome] = [
      .synced, .waiting, .inDoubt, .held, .rejected, .conflict, .undone,
    ]
    let marks = outcomes.map { outcome in
      let (unicode, plain, words) = outcome.label
      return "\(isUnicode ? unicode : plain) \(words)"
    }
    return [
      "left: \(device), right: the backend; + came from there, ~ was put off",
      marks.joined(separator: ", "),
    ]
  }
}

extension LogGraph.EditOutcome {
  /// The mark in the graph, and what it means.
  fileprivate var label: (unicode: String, plain: String, words: String) {
    switch self {
    case .synced: ("●", "*", "synced")
    case .waiting: ("○", "o", "waits")
    case .inDoubt: ("?", "?", "in doubt")
    case .held: ("‖", "=", "held")
    case .rejected: ("✗", "x", "rejected")
    case .conflict: ("◆", "#", "in conflict")
    case .undone: ("-", "-", "undone")
    }
  }
}
