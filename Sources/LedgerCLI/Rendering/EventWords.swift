import LedgerJSON
import LedgerModel

/// What an event says, in words and units.
struct EventWords {
  private let names: EntryNames
  private let quantities: QuantityText

  init(names: EntryNames) {
    self.names = names
    quantities = QuantityText(units: names.units)
  }

  /// The entry that an event is about.
  func entry(_ event: Event) -> EntryID? {
    switch event.payload {
    case .progressLogged(let data): data.entry
    case .progressPulled(let data): data.entry
    case .progressCorrected(let data): data.entry
    case .progressDeleted(let data): data.entry
    case .syncAcknowledged(let data): data.entry
    case .syncDiffered(let data): data.entry
    case .duplicateSuspected(let data): data.entry
    default: nil
    }
  }

  func sentence(_ event: Event) -> String {
    switch event.payload {
    case .ledgerCreated(let data): "ledger created on \(data.device)"
    case .profileUpdated(let data): "profile: " + fields(data.data)
    case .physicalUpdated(let data): "physical: " + fields(data.data)
    case .preferencesUpdated(let data): "preferences: " + fields(data.data)
    case .progressLogged(let data): logged(data)
    case .progressCorrected(let data): corrected(data)
    case .progressDeleted(let data): deleted(data, by: event.by)
    case .progressPulled(let data): pulled(data)
    case .syncAttempted(let data): SyncWords.sentence(data)
    case .syncDeferred(let data): SyncWords.sentence(data)
    case .syncAcknowledged(let data): SyncWords.sentence(data)
    case .syncRejected(let data): SyncWords.sentence(data)
    case .syncHeld(let data): SyncWords.sentence(data)
    case .syncDiffered(let data): SyncWords.sentence(data)
    case .rowSkipped(let data): SyncWords.sentence(data)
    case .accountReplaced(let data): SyncWords.sentence(data)
    case .duplicateResolved(let data): SyncWords.sentence(data)
    case .profilePulled(let data): "pulled profile: " + fields(data.fields)
    case .conflictDetected(let data): SyncWords.sentence(data)
    case .conflictResolved(let data): SyncWords.sentence(data)
    case .duplicateSuspected(let data): SyncWords.sentence(data)
    case .editUndone(let data): "undid #\(data.event)"
    case .accountSignedIn(let data): "signed in as \(data.account) at \(data.origin)"
    case .accountSignedOut(let data):
      "signed out" + (data.reason.map { " (\($0))" } ?? "")
    case .eventErased(let data): "erased #\(data.event): \(data.reason)"
    case .logRepaired(let data):
      "set \(counted(data.bytes, "torn byte")) aside as \(data.quarantined)"
    case .unknown(let type, _, let data): "\(type) \(data.serialized)"
    case .erased(let type, _): "\(type), erased"
    }
  }

  private func logged(_ data: ProgressLogged) -> String {
    var text = "\(data.metric.words) \(quantities.words(data.quantity, of: data.metric))"
    text += moment(data.date, data.moment) + notes(data.notes)
    if let source = data.source { text += " from \(source)" }
    return text
  }

  private func pulled(_ data: ProgressPulled) -> String {
    "pulled \(data.metric.words) \(quantities.words(data.quantity, of: data.metric))"
      + moment(data.date, data.moment) + notes(data.notes)
  }

  private func corrected(_ data: ProgressCorrected) -> String {
    let metric = names.metric(of: data.entry)
    var parts: [String] = []
    if let quantity = data.quantity {
      parts.append(metric.map { quantities.words(quantity, of: $0) } ?? JSONNumber.text(quantity))
    }
    if let date = data.date { parts.append("date \(date)") }
    if let moment = data.moment { parts.append("time \(moment.shortText)") }
    switch data.notes {
    case nil: break
    case .clear: parts.append("no notes")
    case .set(let text): parts.append("notes “\(text)”")
    }
    let what = "corrected \(metric?.words ?? "an entry")"
    guard data.backendID == nil else {
      return "\(what), as the backend has it: "
        + (parts.isEmpty ? "the same values" : parts.joined(separator: ", "))
    }
    return "\(what): " + parts.joined(separator: ", ")
  }

  private func deleted(_ data: ProgressDeleted, by actor: Actor) -> String {
    let metric = names.metric(of: data.entry)?.words ?? "an entry"
    return "deleted \(metric)" + (actor == .sync ? ", gone at the backend" : "")
      + (data.reason.map { " (\($0))" } ?? "")
  }

  private func moment(_ date: CalendarDate, _ moment: ZonedTime?) -> String {
    " on \(date)" + (moment.map { " \($0.shortText)" } ?? "")
  }

  private func notes(_ text: String?) -> String { text.map { " “\($0)”" } ?? "" }

  func fields(_ object: JSONObject) -> String {
    object.members.map { member in
      let field = FieldWords(member.name, quantities)
      return "\(field.name) \(field.value(member.value))"
    }.joined(separator: ", ")
  }
}
