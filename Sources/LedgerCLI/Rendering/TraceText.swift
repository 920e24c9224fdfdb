import LedgerJSON
import LedgerModel
import LedgerProjections

/// `replay --trace`: one line per event with its changes to the views. Values are exact and in the
/// metric's own unit, unless the user's differs; times are in UTC. An entry is named by the event
/// that logged it, because ids of entries created together share a prefix.
struct TraceText {
  let quantities: QuantityText

  func line(_ step: TraceStep) -> String {
    let event = step.recorded.event
    let changes = step.changes.map(words).joined(separator: "; ")
    return "\(step.recorded.seq)  \(event.at)  \(event.by.rawValue)  \(event.payload.type)  "
      + (changes.isEmpty ? "–" : changes)
  }

  private func words(_ change: TraceStep.Change) -> String {
    switch change {
    case .entry(nil, nil): ""
    case .entry(nil, let after?): made(after)
    case .entry(let before?, nil): "entry #\(before.seq) never made"
    case .entry(let before?, let after?): changed(before, after)
    case .field(let field, let before, let after):
      "\(field.qualifiedName): \(text(before)) → \(text(after))"
    case .fieldStatus(let field, let before, let after):
      "\(field.qualifiedName) status: \(before?.rawValue ?? "unset") → "
        + "\(after?.rawValue ?? "unset")"
    }
  }

  private func made(_ entry: EntryView) -> String {
    let time = entry.moment.map { " \($0.shortText)" } ?? ""
    return "entry #\(entry.seq) \(entry.metric.name) \(quantity(entry)) "
      + "on \(entry.date)\(time), \(entry.status.rawValue)"
  }

  private func quantity(_ entry: EntryView) -> String {
    let unit = quantities.unit(of: entry.metric)
    return number(entry) + (unit.isEmpty ? "" : " \(unit)")
  }

  private func number(_ entry: EntryView) -> String {
    quantities.unit(of: entry.metric) == entry.metric.unit
      ? JSONNumber.text(entry.quantity) : quantities.number(entry.quantity, of: entry.metric)
  }

  private func changed(_ before: EntryView, _ after: EntryView) -> String {
    var parts: [String] = []
    if before.quantity != after.quantity {
      parts.append("\(number(before)) → \(quantity(after))")
    }
    if before.date != after.date { parts.append("date \(before.date) → \(after.date)") }
    if before.moment != after.moment {
      parts.append("time \(text(before.moment)) → \(text(after.moment))")
    }
    if before.notesIn != after.notesIn {
      parts.append(after.notesIn == nil ? "notes cleared" : "notes set")
    }
    if before.isDeleted != after.isDeleted {
      parts.append(after.isDeleted ? "deleted" : "no longer deleted")
    }
    if before.status != after.status {
      parts.append("status \(before.status.rawValue) → \(after.status.rawValue)")
    }
    if before.boundBy != after.boundBy { parts.append("bound to a row of the backend") }
    return "entry #\(after.seq) \(after.metric.name) " + parts.joined(separator: ", ")
  }

  private func text(_ value: JSONValue?) -> String { value?.serialized ?? "unset" }

  private func text(_ moment: ZonedTime?) -> String {
    moment.map { "\($0.time)\($0.zone)" } ?? "none"
  }
}
