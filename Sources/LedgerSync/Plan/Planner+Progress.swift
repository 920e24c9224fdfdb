import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

extension Planner {
  /// One call an entry, oldest entry first; an entry whose answer was lost waits.
  mutating func planProgress() throws(LogError) {
    let (rows, next) = state.rowsWithOpenEdits(from: wish.firstRow, limit: wish.limit)
    for index in rows { try planEntry(index) }
    if wish.firstRow == 0 { try planErased() }
    goOn(at: next)
    guard wish.includesLeftovers else { return }
    try planDuplicates()
    for (leftover, id) in try state.rowsToDelete(texts.backendID)
    where !state.hasOpenConflict(of: leftover.entry) {
      try addDeletion(
        of: id, .deleteSuperseded(leftover.entry, id), leftover.events, "with the old values")
    }
  }

  /// Whether an entry still uses a row: it may have been bound to it by several events.
  private func isBound(_ id: BackendID, to entry: EntryID) throws(LogError) -> Bool {
    guard let row = state.row(of: entry), let seq = state.binding(ofRow: row) else { return false }
    return try texts.backendID(boundBy: seq) == id
  }

  /// Rows that a person declared to be duplicates. One event may be about several rows, so one that
  /// was answered still covers those that are left.
  private mutating func planDuplicates() throws(LogError) {
    for suspicion in state.suspicions() where suspicion.decision == .one {
      guard let seq = suspicion.resolvedBy else { continue }
      var left: [BackendID] = []
      for id in suspicion.backendIDs where !state.isGone(id) {
        if try !isBound(id, to: suspicion.entry) { left.append(id) }
      }
      if left.isEmpty, state.edits.state(seq.number).isOpen { elide([seq], suspicion.entry) }
      for id in left where state.edits.state(seq.number) != .rejected {
        try addDeletion(
          of: id, .deleteDuplicate(suspicion.entry, id), [seq], "that is a duplicate")
      }
    }
  }

  private mutating func planEntry(_ index: Int) throws(LogError) {
    let entry = state.entry(at: index)
    let edits = state.edits(ofRow: index)
    if !wish.notFound.contains(entry.id),
      let doubt = try DoubtFinder(state: state, texts: texts).doubt(ofRow: index)
    {
      self.doubt(edits.filter { state.edits.state($0.number) == .inDoubt }, doubt.key)
      return
    }
    // The values of an entry in conflict are not known until a person decides.
    guard entry.isDeleted || !state.hasOpenConflict(of: entry.id) else { return }
    // Refused edits are covered by whatever is sent for the entry next.
    let covered = edits.filter {
      state.edits.state($0.number).isOpen || state.edits.state($0.number).isFailed
    }
    let bound = try entry.boundBy.map { seq throws(LogError) in try texts.backendID(boundBy: seq) }
    switch (entry.isDeleted, bound ?? nil) {
    case (true, nil): elide(covered, entry.id)
    case (true, let id?):
      try addDeletion(of: id, .deleteProgress(entry.id, id), covered, "deleted here")
    case (false, let old):
      try addPost(entry, covered, isCorrection: old != nil)
      if let old {
        try addDeletion(of: old, .deleteSuperseded(entry.id, old), covered, "with the old values")
      }
    }
  }

  /// Rows of entries that were erased here. One deletion may be about several rows, so one that was
  /// answered still covers those that are left.
  private mutating func planErased() throws(LogError) {
    let erased = state.erasedEntries()
    guard !erased.isEmpty else { return }
    var rows: [EntryID: [BackendID]] = [:]
    for seq in state.bindingsOfErased {
      guard case .syncAcknowledged(let data) = try texts.event(seq).event.payload,
        let entry = data.entry, let id = data.backendID, !state.isGone(id),
        rows[entry]?.contains(id) != true
      else { continue }
      rows[entry, default: []].append(id)
    }
    for item in erased {
      let open = item.deletions.filter { state.edits.state($0.number).isOpen }
      let left = rows[item.entry] ?? []
      let accepted = item.deletions.filter { state.edits.state($0.number) == .acknowledged }
      if left.isEmpty, !open.isEmpty { elide(open, item.entry) }
      for id in left {
        try addDeletion(
          of: id, .deleteProgress(item.entry, id), open.isEmpty ? accepted : open, "erased here")
      }
    }
  }

  private mutating func addPost(
    _ entry: EntryView, _ events: [Seq], isCorrection: Bool
  ) throws(LogError) {
    var body: JSONObject = [
      "type": .string(entry.metric.name), "quantity": .number(entry.quantity),
    ]
    body.members += dialect.moment(date: entry.date, time: entry.moment)
    let notes = try entry.notesIn.map { seq throws(LogError) in try texts.notes(in: seq) } ?? nil
    if let notes, !notes.isEmpty { body["notes"] = .string(notes) }
    let unit = entry.metric.unit.isEmpty ? "" : " " + entry.metric.unit
    let what = "\(entry.metric.name) \(JSONNumber.text(entry.quantity))\(unit) of \(entry.date)"
    try add(
      .logProgress(entry.id), .post, "/api/v1/progress", body, events,
      isCorrection ? "\(what), corrected: sent again" : what,
      key: RowKey(entry, notes: notes ?? ""))
  }

  private mutating func addDeletion(
    of id: BackendID, _ kind: PlannedCall.Kind, _ events: [Seq], _ why: String
  ) throws(LogError) {
    guard !events.isEmpty else { return }
    let path = "/api/v1/progress/" + PathEscaping.escape(id.text)
    try add(kind, .delete, path, nil, events, "the row \(why) goes")
  }
}

/// One part of a path, whatever the backend calls its rows: an id with a slash must not reach
/// another path.
enum PathEscaping {
  static func escape(_ text: String) -> String {
    var escaped = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let hex = String(byte, radix: 16, uppercase: true)
        escaped += "%" + (hex.count == 1 ? "0" + hex : hex)
      }
    }
    return escaped
  }
}
