import LedgerJSON
import LedgerModel

/// Members that must be there: anything else makes a snapshot one that is not used.
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

  /// A number of events, edits or entries, all of which are made by events.
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

/// The data of an event that the state keeps whole.
enum KeptEvent {
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
