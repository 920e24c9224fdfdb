import LedgerJSON
import LedgerModel

/// Members that must be there: anything else makes a snapshot one that is not used.
extension JSONObject {
  func required(_ name: String) throws(SnapshotFault) -> JSONValue {
    guard let value = self[name] else { throw SnapshotFault() }
    return value
  }

  func integer(_ name: String) throws(SnapshotFault) -> Int {
    guard let value = try required(name).integer else { throw SnapshotFault() }
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
  func whole() throws(SnapshotFault) -> Int {
    guard let integer else { throw SnapshotFault() }
    return integer
  }

  func members() throws(SnapshotFault) -> JSONObject {
    guard let object else { throw SnapshotFault() }
    return object
  }
}

extension Timestamp {
  init(kept json: JSONValue) throws(SnapshotFault) {
    self.init(millisecondsSince1970: Int64(try json.whole()))
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
    let version = try members.integer("v")
    let data = try members.object("data")
    do throws(EventError) {
      return try Event.Payload(type: type, version: version, data: data)
    } catch {
      throw SnapshotFault()
    }
  }
}
