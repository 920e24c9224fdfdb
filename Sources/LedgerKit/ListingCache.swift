import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
import LedgerSync

/// `listing.json`: what the last run learned about the backend's rows, so that the next run can list
/// only the newest (docs/sync.md, Pulling), and why the last run stopped (``LastSync``). A cache, bound
/// to the log's last event at that time: if it does not match, the next run lists all rows.
struct ListingCache {
  let directory: LedgerDirectory

  /// - Returns: `nil` if there is none or it belongs to another log.
  func read(_ view: LogView) -> ListingFacts? {
    guard let bytes = try? AtomicFile.read(directory.listing, on: directory.disk) ?? nil,
      let object = (try? JSONValue(parsing: bytes))?.object,
      let offset = object["offset"]?.integer, let seq = object["seq"]?.integer,
      let hash = object["hash"]?.string, offset > 0, offset <= view.endBytes,
      let position = try? view.position(after: offset), position.seq == seq,
      position.hash.description == hash,
      let fullAt = object["full_at"]?.string.flatMap({ Timestamp(rfc3339: $0) }),
      let fullSeq = object["full_seq"]?.integer, let rows = object["rows"]?.integer,
      let sessions = object["sessions"]?.integer
    else { return nil }
    var facts = ListingFacts(
      fullAt: fullAt, fullSeq: fullSeq, expectedRows: rows, expectedSessions: sessions)
    facts.unreadable = object["unreadable"]?.array?.compactMap { UnreadableRow(json: $0) } ?? []
    facts.missingSessions = object["missing_sessions"]?.integer ?? 0
    if let seq = object["settled_seq"]?.integer,
      let at = object["settled_at"]?.string.flatMap({ Timestamp(rfc3339: $0) })
    {
      facts.settled = SettledCorrections(lastSeq: seq, at: at)
    }
    return facts
  }

  /// Removes the file if it cannot be written; the next run then lists all rows. A run that does not
  /// reach the backend keeps the reason and the time of an earlier stop.
  func write(_ report: SyncReport, _ state: LedgerState, at now: Timestamp) {
    if case .rateLimited(let seconds)? = report.stop {
      // The run stopped because of a wait that is already recorded.
      let known = [LastSync(in: directory)?.notBefore, state.notBefore].compactMap(\.self).max()
      if known.map({ $0 <= now }) ?? true { keep(waitSeconds: seconds, at: now) }
      return
    }
    let earlier = LastSync(in: directory)
    let isReached = report.stop == nil || [.full, .recent].contains(report.pull)
    var last = LastSync(
      at: isReached ? now : earlier?.at ?? now, suspected: suspected(report, state))
    if let stop = report.stop, !stop.isOutside {
      (last.at, last.stopped) = (now, stop.code)
      return write(last.json)
    }
    guard let facts = report.listing else {
      if isReached || earlier != nil && earlier?.stopped == nil { write(last.json) }
      return
    }
    var object = last.json
    object["seq"] = JSONValue(state.position.seq)
    object["offset"] = JSONValue(state.offsetBytes)
    object["hash"] = .string(state.position.hash.description)
    object["full_at"] = .string(facts.fullAt.description)
    object["full_seq"] = JSONValue(facts.fullSeq)
    if let settled = facts.settled {
      object["settled_seq"] = JSONValue(settled.lastSeq)
      object["settled_at"] = .string(settled.at.description)
    }
    object["rows"] = JSONValue(facts.expectedRows)
    object["sessions"] = JSONValue(facts.expectedSessions)
    if !facts.unreadable.isEmpty {
      object["unreadable"] = .array(facts.unreadable.map { .object($0.json) })
    }
    if facts.missingSessions > 0 { object["missing_sessions"] = JSONValue(facts.missingSessions) }
    write(object)
  }

  /// Records that the account was deleted, with all that the log says the backend has.
  func writeAccountDeleted(at now: Timestamp) {
    write(LastSync(at: now, stopped: LastSync.accountDeleted).json)
  }

  /// Removes that record: a sign-in shows that there is an account again.
  func removeAccountDeleted() {
    guard LastSync(in: directory)?.stopped == LastSync.accountDeleted else { return }
    try? directory.disk.remove(directory.listing)
  }

  /// Records the time until which an answer to a GET asked to wait; changes nothing else.
  private func keep(waitSeconds seconds: Int, at now: Timestamp) {
    var object =
      (try? AtomicFile.read(directory.listing, on: directory.disk) ?? nil)
      .flatMap { try? JSONValue(parsing: $0).object } ?? LastSync(at: now).json
    let end = now.millisecondsSince1970 + Int64(min(seconds, 3600)) * 1000
    object["not_before"] = .string(Timestamp(millisecondsSince1970: end).description)
    write(object)
  }

  /// The rows of all open suspected duplicates, including those of earlier runs.
  private func suspected(_ report: SyncReport, _ state: LedgerState) -> [LastSync.SuspectedRow] {
    let open = Set(state.openSuspicions().flatMap(\.backendIDs))
    guard !open.isEmpty else { return [] }
    let new = report.suspectedRows.map { row in
      LastSync.SuspectedRow(
        id: row.id, quantity: row.key.quantity, moment: row.moment,
        notes: row.key.notes.isEmpty ? nil : row.key.notes)
    }
    let known = (LastSync(in: directory)?.suspected ?? []).filter { row in
      !new.contains { $0.id == row.id }
    }
    return (known + new).filter { open.contains($0.id) }
  }

  private func write(_ object: JSONObject) {
    do {
      try AtomicFile.replace(
        directory.listing, with: Array(object.serialized.utf8) + [0x0A], on: directory.disk)
    } catch {
      try? Folder.remove(directory.listing, on: directory.disk)
    }
  }
}
