import LedgerLog
import LedgerModel
package import LedgerProjections
package import LedgerStore

/// The argument ENTRY: digits are the number of the event that logged the entry, `@` is the entry
/// that was edited last and `@2` the one before it; anything else is the entry's id or a prefix.
package enum EntryArgument {
  package static let help =
    "the entry: the number of the event that logged it, a unique start of its id, @ for the one "
    + "edited last, @2 for the one before"

  package static func find(_ text: String, of ledger: LedgerStore) throws -> EntryView {
    try ledger.ask { try find(text, in: $0) }
  }

  package static func find(
    _ text: String, in state: LedgerState
  ) throws(CommandFailure) -> EntryView {
    state.entry(at: try row(text, in: state))
  }

  static func row(_ text: String, in state: LedgerState) throws(CommandFailure) -> Int {
    if text.hasPrefix("@") { return try edited(text, in: state) }
    let isNumber = !text.isEmpty && text.utf8.allSatisfy(isDigit)
    return isNumber ? try logged(by: text, in: state) : try named(text, in: state)
  }

  private static func edited(
    _ text: String, in state: LedgerState
  ) throws(CommandFailure) -> Int {
    let digits = text.dropFirst()
    guard let number = digits.isEmpty ? 1 : Int(digits), number > 0 else {
      throw CommandFailure(
        .usage, "\(quoted(text)) names no entry: @ is the one edited last, @2 the one before")
    }
    guard let row = state.rowEdited(lastBut: number - 1) else {
      throw CommandFailure(
        .notFound, "there is no entry \(quoted(text)): not that many were edited here")
    }
    return row
  }

  private static func logged(
    by text: String, in state: LedgerState
  ) throws(CommandFailure) -> Int {
    guard let seq = Int(text), (1...state.position.seq).contains(seq) else {
      throw CommandFailure(
        .notFound, "there is no event \(text); the log ends with event \(state.position.seq)")
    }
    guard let row = state.edits.row(seq) else {
      throw CommandFailure(
        .notFound, "event \(seq) has nothing to do with a progress entry",
        hint: "'ledger log' lists the events")
    }
    let logging = Int(state.rows[row].seq)
    guard logging == seq else {
      throw CommandFailure(
        .notFound, "event \(seq) logged no entry, it changed that of event \(logging)",
        hint: "name the entry by \(logging)")
    }
    guard state.edits.state(seq) != .undone else {
      throw CommandFailure(.notFound, "event \(seq) was undone, so its entry no longer exists")
    }
    return row
  }

  private static func named(
    _ text: String, in state: LedgerState
  ) throws(CommandFailure) -> Int {
    let typed = text.lowercased()
    if let id = EntryID(typed), let row = state.row(of: id) { return row }
    let rows = typed.isEmpty ? [] : state.rows(withPrefix: typed)
    guard let last = rows.last else {
      throw CommandFailure(
        .notFound, "there is no entry whose id begins with \(quoted(text))",
        hint: "an entry is named by the number of the event that logged it, or by its id")
    }
    let count = Set(rows.map { state.rows[$0].id }).count
    guard count == 1 else {
      throw CommandFailure(
        .usage,
        "\(quoted(text)) begins the ids of \(NumberText.count(count)) entries; give more of the id, "
          + "or the number of the event that logged it")
    }
    return last
  }
}
