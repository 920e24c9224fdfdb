import LedgerJSON
import LedgerModel

extension Tally {
  var json: JSONObject {
    var object: JSONObject = [
      "known": .array(known.map { JSONValue($0) }), "erased": JSONValue(erased),
      "unknown": .object(
        JSONObject(
          members: unknown.sorted { $0.key < $1.key }.map {
            .init(name: $0.key, value: JSONValue($0.value))
          })),
    ]
    object["first_at"] = firstAt?.kept
    object["last_at"] = lastAt?.kept
    object["last_sync_at"] = lastSyncAt?.kept
    return object
  }

  init(json: JSONObject, in bounds: SnapshotBounds) throws(SnapshotFault) {
    self.init()
    let counts = try json.array("known").map { value throws(SnapshotFault) in
      try value.count(in: bounds)
    }
    guard counts.count == known.count else { throw SnapshotFault() }
    known = counts
    for member in try json.object("unknown").members {
      unknown[member.name] = try member.value.count(in: bounds)
    }
    erased = try json.required("erased").count(in: bounds)
    if let time = json["first_at"] { firstAt = try Timestamp(kept: time) }
    if let time = json["last_at"] { lastAt = try Timestamp(kept: time) }
    if let time = json["last_sync_at"] { lastSyncAt = try Timestamp(kept: time) }
  }
}

extension AccountTable {
  var json: JSONObject {
    var object = JSONObject()
    object["ledger"] = ledger.map { .string($0.description) }
    object["owner"] = owner.map { KeptEvent.json(.accountSignedIn($0)) }
    object["current"] = current.map { KeptEvent.json(.accountSignedIn($0)) }
    return object
  }

  init(json: JSONObject) throws(SnapshotFault) {
    self.init()
    if let text = json["ledger"] {
      guard let id = text.string.flatMap({ LedgerID($0) }) else { throw SnapshotFault() }
      ledger = id
    }
    owner = try Self.account(json["owner"])
    current = try Self.account(json["current"])
  }

  private static func account(_ json: JSONValue?) throws(SnapshotFault) -> AccountSignedIn? {
    guard let json else { return nil }
    guard case .accountSignedIn(let data) = try KeptEvent.payload(json) else {
      throw SnapshotFault()
    }
    return data
  }
}

extension BindingTable {
  var json: JSONObject {
    let left = superseded.sorted { $0.key < $1.key }.map { row, answers in
      JSONValue.array([JSONValue(row)] + answers.map { JSONValue($0) })
    }
    return [
      "superseded": .array(left), "gone": .array(gone.sorted().map { .string($0) }),
      "suspected": .array(suspicions.map { .object($0.json) }),
      "replacements": JSONValue(replacements), "of_erased": .array(ofErased.map { JSONValue($0) }),
    ]
  }

  init(json: JSONObject, in bounds: SnapshotBounds) throws(SnapshotFault) {
    self.init()
    for value in try json.array("superseded") {
      guard let numbers = value.array, let row = numbers.first else { throw SnapshotFault() }
      for answer in numbers.dropFirst() {
        supersede(row: try row.row(in: bounds), boundBy: try answer.seq(in: bounds))
      }
    }
    for value in try json.array("gone") {
      guard let id = value.string else { throw SnapshotFault() }
      gone.insert(id)
    }
    for value in try json.array("suspected") {
      suspect(try Suspicion(json: try value.members(), in: bounds))
    }
    replacements = try json.required("replacements").count(in: bounds)
    for value in try json.array("of_erased") { noteErased(boundBy: try value.seq(in: bounds)) }
  }
}

extension BindingTable.Suspicion {
  var json: JSONObject {
    let data = DuplicateSuspected(entry: entry, backendIDs: backendIDs)
    var object: JSONObject = [
      "seq": JSONValue(seq), "event": KeptEvent.json(.duplicateSuspected(data)),
    ]
    object["resolved_by"] = resolution.map { JSONValue($0.seq) }
    object["decision"] = resolution.map { .string($0.decision.rawValue) }
    return object
  }

  init(json: JSONObject, in bounds: SnapshotBounds) throws(SnapshotFault) {
    guard case .duplicateSuspected(let data) = try KeptEvent.payload(json.required("event")) else {
      throw SnapshotFault()
    }
    self.init(
      seq: try json.required("seq").seq(in: bounds), entry: data.entry, backendIDs: data.backendIDs,
      resolution: nil)
    guard let by = json["resolved_by"] else { return }
    guard let decision = json["decision"]?.string.flatMap({ DuplicateDecision(rawValue: $0) })
    else { throw SnapshotFault() }
    resolution = (try by.seq(in: bounds), decision)
  }
}
