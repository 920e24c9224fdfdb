package import LedgerJSON
package import LedgerLog
package import LedgerModel
import LedgerPlatform

/// The last sync that reached the backend, from `listing.json`. A sync that stops until the user decides
/// (docs/sync.md, A backend that forgot) records no event; the file keeps the reason, for `status`.
package struct LastSync: Hashable, Sendable {
  /// A suspected duplicate, as it was last listed. The log holds only its id, because its values may be
  /// those of an entry that is erased later.
  package struct SuspectedRow: Hashable, Sendable {
    package var id: BackendID
    /// In the unit of the entry's metric.
    package var quantity: Double
    /// Midnight in UTC is a day without a time.
    package var moment: Timestamp
    /// `nil` for none.
    package var notes: String?

    package init(id: BackendID, quantity: Double, moment: Timestamp, notes: String?) {
      (self.id, self.quantity, self.moment, self.notes) = (id, quantity, moment, notes)
    }

    fileprivate init?(_ json: JSONValue) {
      guard let id = json.object?["id"]?.string.flatMap({ BackendID($0) }),
        let quantity = json.object?["quantity"]?.number,
        let moment = json.object?["moment"]?.string.flatMap({ Timestamp(rfc3339: $0) })
      else { return nil }
      self.init(
        id: id, quantity: quantity, moment: moment, notes: json.object?["notes"]?.string)
    }

    package var json: JSONObject {
      JSONObject(["id": id, "quantity": quantity, "moment": moment, "notes": notes])
    }
  }

  package var at: Timestamp
  /// `SyncReport.Stop.code`, if it stopped until the user decides, or ``accountDeleted``.
  package var stopped: String?
  /// Not a stop of a sync: the account was deleted.
  package static let accountDeleted = "account-deleted"
  package var suspected: [SuspectedRow]
  /// The time until which the backend asked to wait.
  package var notBefore: Timestamp?
  /// The number of rows that the last full listing could not read.
  package private(set) var unreadable = 0
  /// The number of synced sleep sessions that it did not have.
  package private(set) var missingSessions = 0

  package init(at: Timestamp, stopped: String? = nil, suspected: [SuspectedRow] = []) {
    (self.at, self.stopped, self.suspected) = (at, stopped, suspected)
  }

  package init?(in directory: LedgerDirectory) {
    guard let bytes = try? AtomicFile.read(directory.listing, on: directory.disk) ?? nil,
      let object = (try? JSONValue(parsing: bytes))?.object,
      let at = object["at"]?.string.flatMap({ Timestamp(rfc3339: $0) })
    else { return nil }
    self.init(
      at: at, stopped: object["stopped"]?.string,
      suspected: object["suspected"]?.array?.compactMap { SuspectedRow($0) } ?? [])
    notBefore = object["not_before"]?.string.flatMap { Timestamp(rfc3339: $0) }
    unreadable = object["unreadable"]?.array?.count ?? 0
    missingSessions = object["missing_sessions"]?.integer ?? 0
  }

  package var json: JSONObject {
    JSONObject([
      "at": at, "stopped": stopped, "suspected": suspected.isEmpty ? nil : suspected.map(\.json),
      "not_before": notBefore,
    ])
  }
}
