import LedgerJSON
import LedgerModel

/// Required members: a snapshot without one is not used.
extension JSONObject {
  func required(_ name: String) throws(SnapshotFault) -> JSONValue {
    guard let value = self[name] else { throw SnapshotFault() }
    return value
  }

  func object(_ name: String) throws(SnapshotFault) -> JSONObject {
    guard let value = try required(name).object else { throw SnapshotFault() }
    return value
  }

  func array(_ name: String) throws(SnapshotFault) -> [JSONValue] {
    guard let value = try required(name).array else { throw SnapshotFault() }
    return value
  }
}

extension JSONValue {
  private func integer(in range: Range<Int>) throws(SnapshotFault) -> Int {
    guard let integer, range.contains(integer) else { throw SnapshotFault() }
    return integer
  }

  /// A number of events, or of what events make: edits and entries.
  func count(in bounds: SnapshotBounds) throws(SnapshotFault) -> Int {
    try integer(in: 0..<Int(bounds.lastSeq) + 1)
  }

  func seq(in bounds: SnapshotBounds) throws(SnapshotFault) -> Int {
    try integer(in: 1..<Int(bounds.lastSeq) + 1)
  }

  func row(in bounds: SnapshotBounds) throws(SnapshotFault) -> Int {
    try integer(in: 0..<Int(bounds.rowCount))
  }

  func members() throws(SnapshotFault) -> JSONObject {
    guard let object else { throw SnapshotFault() }
    return object
  }
}

extension Timestamp {
  init(kept json: JSONValue) throws(SnapshotFault) {
    guard let milliseconds = json.integer else { throw SnapshotFault() }
    self.init(millisecondsSince1970: Int64(milliseconds))
    guard utc != nil else { throw SnapshotFault() }
  }

  var kept: JSONValue { JSONValue(Int(millisecondsSince1970)) }
}

/// An event of which the state keeps all data.
private enum KeptEvent {
  static func json(_ payload: Event.Payload) -> JSONValue {
    .object([
      "type": .string(payload.type), "v": JSONValue(payload.version),
      "data": .object(payload.data),
    ])
  }

  static func payload(_ json: JSONValue) throws(SnapshotFault) -> Event.Payload {
    let members = try json.members()
    guard let type = members["type"]?.string else { throw SnapshotFault() }
    guard let version = members["v"]?.integer else { throw SnapshotFault() }
    let data = try members.object("data")
    do throws(EventError) {
      return try Event.Payload(type: type, version: version, data: data)
    } catch {
      throw SnapshotFault()
    }
  }
}

extension ConflictView {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "seq": JSONValue(seq.number), "subject": .string(subject), "field": .string(fieldName),
      "base": base, "local": local, "remote": remote, "detected": .string(detected.rawValue),
    ]
    object["backend_id"] = backendID.map { .string($0.text) }
    object["replaced_by"] = replacedBy.map { JSONValue($0.number) }
    object["resolved_by"] = resolution.map { JSONValue($0.seq.number) }
    object["resolution"] = resolution.map { .string($0.decision.rawValue) }
    return object
  }

  fileprivate init(json: JSONObject, in bounds: SnapshotBounds) throws(SnapshotFault) {
    func seq(_ json: JSONValue) throws(SnapshotFault) -> Seq { Seq(try json.seq(in: bounds)) }
    guard let subject = json["subject"]?.string, let field = json["field"]?.string,
      let detected = Self.decision(json["detected"])
    else { throw SnapshotFault() }
    self.init(
      seq: try seq(json.required("seq")), subject: subject, fieldName: field,
      base: try json.required("base"), local: try json.required("local"),
      remote: try json.required("remote"), detected: detected)
    if let id = json["backend_id"] {
      guard let text = id.string, let known = BackendID(text) else { throw SnapshotFault() }
      backendID = known
    }
    if let later = json["replaced_by"] { replacedBy = try seq(later) }
    if let by = json["resolved_by"] {
      guard let decision = Self.decision(json["resolution"]) else { throw SnapshotFault() }
      resolution = Resolution(seq: try seq(by), decision: decision)
    }
  }

  private static func decision(_ json: JSONValue?) -> ConflictDecision? {
    json?.string.flatMap { ConflictDecision(rawValue: $0) }
  }
}

extension ProfileTable {
  /// The fields and conflicts, without the columns of values and edits.
  var json: JSONObject {
    var fields = JSONObject()
    for field in ProfileField.allCases {
      let history = history(field)
      var object = JSONObject()
      object["agreed"] = history.agreed
      object["agreed_at"] = history.agreedAt.map { JSONValue($0) }
      object["open_conflict"] = history.openConflict.map { JSONValue($0) }
      fields[field.rawValue] = .object(object)
    }
    return [
      "fields": .object(fields), "conflicts": .array(conflicts.all.map { .object($0.json) }),
    ]
  }

  init(json: JSONObject, in layout: SnapshotLayout) throws(SnapshotFault) {
    self.init()
    let texts = try layout.texts(SnapshotLayout.values)
    let fields = try json.object("fields")
    for field in ProfileField.allCases {
      let object = try fields.object(field.rawValue)
      let cells = try layout.column(SnapshotLayout.versions(field), of: VersionCell.self)
      var history = History()
      history.versions = VersionList(StoredVersions(cells: cells, texts: texts))
      history.agreed = object["agreed"]
      history.agreedAt = try object["agreed_at"]?.seq(in: layout.bounds)
      history.openConflict = try object["open_conflict"]?.seq(in: layout.bounds)
      restore(history, of: field)
    }
    for subject in ProfileSubject.allCases {
      restore(
        Column(try layout.column(SnapshotLayout.edits(subject), of: UInt32.self)),
        editsOf: subject)
    }
    for value in try json.array("conflicts") {
      restore(try ConflictView(json: try value.members(), in: layout.bounds))
    }
  }
}

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

extension GoalTable {
  var json: [JSONValue] {
    events.map {
      .object(["seq": JSONValue($0.seq), "event": KeptEvent.json($0.payload)])
    }
  }

  init(json: [JSONValue], in bounds: SnapshotBounds) throws(SnapshotFault) {
    self.init()
    for value in json {
      let members = try value.members()
      let payload = try KeptEvent.payload(members.required("event"))
      guard payload.goalMetric != nil else { throw SnapshotFault() }
      add(payload, at: Seq(try members.required("seq").seq(in: bounds)))
    }
  }
}

extension BindingTable {
  var json: JSONObject {
    let left = superseded.sorted { $0.key < $1.key }.map { row, answers in
      JSONValue.array([JSONValue(row)] + answers.map { JSONValue($0) })
    }
    return [
      "superseded": .array(left),
      "gone": .array(
        deletions.sorted { $0.value < $1.value }.map {
          .array([.string($0.key), JSONValue($0.value)])
        }),
      "suspected": .array(suspicions.map { .object($0.json) }),
      "replaced_at": JSONValue(replacedAt), "new_account_at": JSONValue(newAccountAt),
      "of_erased": .array(ofErased.map { JSONValue($0) }),
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
    for value in try json.array("suspected") {
      suspect(try Suspicion(json: try value.members(), in: bounds))
    }
    for value in try json.array("gone") {
      guard let pair = value.array, pair.count == 2, let id = pair[0].string else {
        throw SnapshotFault()
      }
      deletions[id] = try pair[1].seq(in: bounds)
    }
    replacedAt = try json.required("replaced_at").count(in: bounds)
    newAccountAt = try json.required("new_account_at").count(in: bounds)
    for value in try json.array("of_erased") { noteErased(boundBy: try value.seq(in: bounds)) }
  }
}

extension BindingTable.Suspicion {
  fileprivate var json: JSONObject {
    let data = DuplicateSuspected(entry: entry, backendIDs: backendIDs)
    var object: JSONObject = [
      "seq": JSONValue(seq), "event": KeptEvent.json(.duplicateSuspected(data)),
    ]
    object["resolved_by"] = resolution.map { JSONValue($0.seq) }
    object["decision"] = resolution.map { .string($0.decision.rawValue) }
    return object
  }

  fileprivate init(json: JSONObject, in bounds: SnapshotBounds) throws(SnapshotFault) {
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
