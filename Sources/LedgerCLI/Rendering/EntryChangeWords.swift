import LedgerModel
import LedgerProjections
import LedgerStore

/// Sentences for the differences of an entry.
struct EntryDifferenceText {
  let quantities: QuantityText

  func sentence(_ difference: ShownDifference) -> String {
    switch (difference.before, difference.after) {
    case (let before?, let after?) where difference.kind == .corrected:
      corrected(before, after)
    case (let before?, let after?) where difference.kind == .standing:
      words(after)
        + (before.entry.status == after.entry.status ? ", another row at the backend" : "")
    case (_, let after?): words(after)
    case (let before?, nil): words(before)
    case (nil, nil): ""
    }
  }

  private func words(_ shown: ShownEntry) -> String {
    let entry = shown.entry
    return "\(entry.metric.words) \(quantities.words(entry.quantity, of: entry.metric)) on "
      + "\(entry.date)" + (entry.moment.map { " \($0.shortText)" } ?? "")
      + (shown.notes.map { " “\($0)”" } ?? "")
  }

  private func corrected(_ before: ShownEntry, _ after: ShownEntry) -> String {
    let (old, new) = (before.entry, after.entry)
    let metric = new.metric
    let isOther = old.quantity != new.quantity
    var text = "\(metric.words) "
    if isOther { text += "\(quantities.number(old.quantity, of: metric)) → " }
    text += quantities.words(new.quantity, of: metric)
    text += old.date == new.date ? " on \(new.date)" : ", \(old.date) → \(new.date)"
    if old.moment != new.moment { text += ", time \(words(old.moment)) → \(words(new.moment))" }
    if before.notes != after.notes {
      text += ", notes \(words(before.notes)) → \(words(after.notes))"
    }
    return text
  }

  private func words(_ moment: ZonedTime?) -> String {
    moment.map { "\($0.shortText)\($0.zone)" } ?? "none"
  }

  private func words(_ notes: String?) -> String { notes.map { "“\($0)”" } ?? "none" }
}

extension EntryDifference.Kind {
  /// For a list of counts.
  var words: String {
    switch self {
    case .added: "added"
    case .cameAndWent: "added and deleted again"
    case .corrected: "corrected"
    case .deleted: "deleted"
    case .restored: "no longer deleted"
    case .unmade: "undone"
    case .standing: "whose standing alone changed"
    }
  }

  /// The label in front of an entry.
  var mark: String {
    switch self {
    case .added: "added"
    case .cameAndWent: "came, went"
    case .corrected: "corrected"
    case .deleted: "deleted"
    case .restored: "restored"
    case .unmade: "undone"
    case .standing: "standing"
    }
  }

  var style: Paint.Style {
    switch self {
    case .added, .restored: .green
    case .corrected: .yellow
    case .deleted, .unmade, .cameAndWent: .red
    case .standing: .dim
    }
  }
}
