import LedgerJSON
import LedgerModel

@testable import LedgerLog
@testable import LedgerSync

/// Any status and body as the answer to each kind of call: a meaning and no crash, and never an
/// acknowledgement that the answer does not carry.
///
/// The first two bytes are the status, the next chooses `Retry-After`; the rest is the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = array(bytes, count)
  guard input.count >= 3 else { return 0 }
  let statuses = [200, 201, 204, 301, 400, 401, 404, 409, 422, 429, 500, 503]
  // Usually a common status, sometimes any number.
  let status =
    input[0] < 200
    ? statuses[Int(input[0]) % statuses.count] : Int(input[0]) << 8 | Int(input[1])
  let response = WireAnswer.Response(
    status: status, body: Array(input[3...]),
    retryAfterSeconds: input[2] < 128 ? Int(input[2]) * 30 : nil)
  for kind in kinds {
    for method in [WireRequest.Method.post, .put] {
      check(PlannedCall(kind: kind, method), response)
    }
  }
  checkListing(response)
  return 0
}

private let entry = EntryID(LedgerUUID(high: 0x7000, low: 2 << 62))
private let row = BackendID("7")!
private let kinds: [PlannedCall.Kind] = [
  .createProfile, .replaceProfile, .patchPhysical, .patchPreferences, .logProgress(entry),
  .deleteProgress(entry, row), .deleteSuperseded(entry, row),
]

extension PlannedCall {
  fileprivate init(kind: Kind, _ method: WireRequest.Method) {
    self.init(
      kind: kind,
      request: WireRequest(
        method, "/api/v1/x", body: Array(#"{"name":"Ada","bio":"","height_cm":170}"#.utf8)),
      events: [Seq(2)], fingerprint: String(repeating: "0", count: 32), attempt: 1, why: "")
  }
}

private func check(_ call: PlannedCall, _ response: WireAnswer.Response) {
  switch call.outcome(of: .response(response)) {
  case .acknowledged(let status, let id, let remote):
    require(
      response.isSuccess || (status == 404 && call.isDeletion), "\(status) was acknowledged")
    if case .logProgress = call.kind {
      require(id != nil, "an entry was acknowledged without an id")
    }
    checkRecordable(
      .syncAcknowledged(
        SyncAcknowledged(
          call: CallID(entry.uuid), events: call.events, status: status, via: .response,
          entry: call.entry, backendID: id, remote: remote)))
  case .differed(let difference):
    require(response.isSuccess && !difference.fields.isEmpty, "a difference without a field")
    checkRecordable(
      .syncDiffered(
        SyncDiffered(
          call: CallID(entry.uuid), events: call.events, status: difference.status,
          via: .response, entry: call.entry, backendID: difference.backendID,
          remote: difference.remote)))
    for field in difference.fields {
      checkRecordable(
        .conflictDetected(
          ConflictDetected(
            subject: entry.description, field: field.field, local: field.local,
            remote: field.remote, decision: .open, backendID: difference.backendID)))
    }
  case .rejected(let status, let message):
    require((400..<500).contains(status), "\(status) was taken for a refusal")
    checkRecordable(
      .syncRejected(
        SyncRejected(
          call: CallID(entry.uuid), events: call.events, status: status, message: message)))
  case .deferred, .unresolved, .signedOut: break
  }
}

private let moment = Timestamp(millisecondsSince1970: 1_772_352_000_000)

/// Whatever an answer holds, what is recorded of it must fit into a line: one that does not would
/// end every run at the same call.
private func checkRecordable(_ payload: Event.Payload) {
  var generator = SystemRandomNumberGenerator()
  var bytes: [UInt8] = []
  let event = Event(
    id: .make(at: moment, using: &generator), at: moment, by: .sync, payload: payload)
  do {
    var writer = LineWriter()
    _ = try writer.append(event, seq: Seq(2), salt: 1, after: .beforeFirst, to: &bytes)
  } catch {
    finding("cannot be recorded: \(error): \(payload.data.serialized.prefix(300))")
  }
}

private func checkListing(_ response: WireAnswer.Response) {
  guard let page = ListingPage(response) else { return }
  require(page.rows.count + page.unreadable.count == page.count, "more rows than entries")
  for row in page.rows {
    _ = row.key.day
    _ = RowIndex.hash(row.id)
    let again = ListedRow(
      id: row.id, metric: row.key.metric, moment: row.moment, quantity: row.key.quantity,
      notes: row.key.notes)
    require(again == row, "a row made of a row's values is another one: \(row)")
    _ = LocalZone.current.localTime(at: row.moment)
    _ = Listing.around(row.key.day, row.key.metric).request(offset: 0)
  }
}
