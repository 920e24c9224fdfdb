import LedgerJSON
import LedgerModel

extension ConflictView {
  var json: JSONObject {
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

  init(json: JSONObject, in bounds: SnapshotBounds) throws(SnapshotFault) {
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
  /// What is known of each field and each group besides the columns of its values and edits.
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
