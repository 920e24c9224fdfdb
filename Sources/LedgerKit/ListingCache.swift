import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerSync

/// `listing.json`: what the last run knew of the backend's rows, so that the next one may do with the
/// newest (docs/sync.md, Pulling). A cache, bound to the log's last event then: whatever does not
/// fit is not used, and the next run lists all rows.
struct ListingCache {
  let directory: LedgerDirectory

  /// - Returns: `nil` for none, and for one of another log.
  func read(_ view: LogView) -> ListingFacts? {
    guard let bytes = try? AtomicFile.read(directory.listing) ?? nil,
      let object = (try? JSONValue(parsing: bytes))?.object,
      let offset = object["offset"]?.integer, let seq = object["seq"]?.integer,
      let hash = object["hash"]?.string, offset > 0, offset <= view.endBytes,
      let position = try? view.position(behind: offset), position.seq == seq,
      position.hash.description == hash,
      let fullAt = object["full_at"]?.string.flatMap({ Timestamp(rfc3339: $0) }),
      let fullSeq = object["full_seq"]?.integer, let rows = object["rows"]?.integer
    else { return nil }
    return ListingFacts(fullAt: fullAt, fullSeq: fullSeq, expectedRows: rows)
  }

  /// What cannot be written is removed: the next run then lists all rows.
  func write(_ facts: ListingFacts?, _ state: LedgerState) {
    guard let facts else { return remove() }
    let object: JSONObject = [
      "seq": JSONValue(state.position.seq), "offset": JSONValue(state.offsetBytes),
      "hash": .string(state.position.hash.description),
      "full_at": .string(facts.fullAt.description), "full_seq": JSONValue(facts.fullSeq),
      "rows": JSONValue(facts.expectedRows),
    ]
    do {
      try AtomicFile.replace(directory.listing, with: Array(object.serialized.utf8) + [0x0A])
    } catch {
      remove()
    }
  }

  private func remove() { try? AtomicFile.remove(directory.listing) }
}
