import CSHA256
import LedgerJSON
package import LedgerLog
package import LedgerModel
import LedgerPlatform

/// A log written line by line, for logs that the program never writes: members in another order,
/// erased events, entries logged twice.
package struct HandWrittenLog {
  package private(set) var bytes: [UInt8] = []
  /// The offset of each line.
  package private(set) var starts: [Int] = []
  private var hash = hashBeforeFirst

  package init() {}

  package var seq: Int { starts.count }

  package static let begin: Int64 = 1_735_689_600_000

  /// One second per event.
  package static func at(_ seq: Int) -> Timestamp {
    Timestamp(millisecondsSince1970: begin + Int64(seq) * 1000)
  }

  /// A log with its creation alone.
  package static var created: HandWrittenLog {
    var log = HandWrittenLog()
    log.appendCreation()
    return log
  }

  package mutating func appendCreation() {
    let ledger = LedgerID(LedgerUUID(high: 0x7000, low: 2 << 62))
    append(.ledgerCreated(LedgerCreated(ledger: ledger, device: "test", format: 1)), by: .system)
  }

  package mutating func append(
    _ payload: Event.Payload, by: Event.Actor = .user, at: Timestamp? = nil
  ) {
    append(type: payload.type, data: payload.data.serialized, by: by, at: at)
  }

  /// - Parameter data: the object as text, whatever its order.
  package mutating func append(
    type: String, data: String, by: Event.Actor = .user, at: Timestamp? = nil, version: Int = 1
  ) {
    append(line(type: type, data: data, by: by, at: at, version: version), isErased: false)
  }

  /// An event without its content: only the digest is left.
  package mutating func appendErased(type: String, by: Event.Actor = .user, data: String) {
    append(line(type: type, data: data, by: by, at: nil, version: 1), isErased: true)
  }

  private func line(
    type: String, data: String, by: Event.Actor, at: Timestamp?, version: Int
  ) -> PlainLine {
    let number = seq + 1
    let at = at ?? Self.at(number)
    var random = SplitMix(UInt64(number))
    return PlainLine(
      id: "\(EventID.make(at: at, using: &random))", seq: "\(number)", at: "\(at)", by: by.rawValue,
      type: type, version: "\(version)", salt: "00000000000000aa", data: data)
  }

  private mutating func append(_ line: PlainLine, isErased: Bool) {
    let (text, link) = line.text(after: hash)
    starts.append(bytes.count)
    bytes += Array((isErased ? line.erased(after: hash) : text).utf8) + [0x0A]
    hash = link
  }

  package func view(in folder: TemporaryFolder) throws -> LogView {
    try LogView.open(write(to: folder))
  }

  @discardableResult
  package func write(to folder: TemporaryFolder, head: Bool = true) throws -> LedgerDirectory {
    let directory = folder.ledger
    try folder.write(bytes, to: directory.events)
    if head {
      let line = PlainLine.head(seq: seq, offsetBytes: bytes.count, hash: hash)
      try folder.write(Array(line.utf8), to: directory.head)
    }
    return directory
  }
}

extension TemporaryFolder {
  package var ledger: LedgerDirectory { LedgerDirectory(path) }

  package func write(_ bytes: [UInt8], to path: String) throws {
    unlink(path)
    let file = try OpenFile(path, .create)
    try file.write(bytes, at: 0)
  }
}

/// A digest in hexadecimal, without the code under test.
package func sha256Hex(_ text: String) -> String { sha256Hex(Array(text.utf8)) }

package func sha256Hex(_ bytes: [UInt8]) -> String {
  var digest = [UInt8](repeating: 0, count: 32)
  csha256_digest(bytes, bytes.count, &digest)
  return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

package let hashBeforeFirst = String(repeating: "0", count: 64)

/// One line of docs/log-format.md, member by member, composed without the code under test.
package struct PlainLine: Sendable {
  package var id: String
  package var seq: String
  package var at: String
  package var by: String
  package var type: String
  package var version: String
  package var salt: String
  package var data: String

  package init(
    id: String = "0195512f-5c00-7123-8abc-00000000002a", seq: String = "1",
    at: String = "2026-03-01T08:00:00.000Z", by: String = "user",
    type: String = "profile.updated", version: String = "1", salt: String = "0123456789abcdef",
    data: String = #"{"name":"Ada"}"#
  ) {
    (self.id, self.seq, self.at, self.by) = (id, seq, at, by)
    (self.type, self.version, self.salt, self.data) = (type, version, salt, data)
  }

  package var front: String {
    #"{"id":"\#(id)","seq":\#(seq),"at":"\#(at)","by":"\#(by)","type":"\#(type)","v":\#(version),"#
  }
  package var body: String { #""salt":"\#(salt)","data":\#(data)"# }

  /// The line without its `\n`, and its hash.
  package func text(after previous: String = hashBeforeFirst) -> (line: String, hash: String) {
    let hash = sha256Hex(previous + front + sha256Hex(body))
    return (front + body + #","hash":"\#(hash)"}"#, hash)
  }

  /// The same event erased: seq and hash are unchanged.
  package func erased(after previous: String) -> String {
    front + #""erased":"\#(sha256Hex(body))","hash":"\#(text(after: previous).hash)"}"#
  }

  /// The content of `head` after an event.
  package static func head(seq: Int, offsetBytes: Int, hash: String) -> String {
    func padded(_ number: Int) -> String {
      String(repeating: "0", count: 20 - String(number).count) + String(number)
    }
    return "\(padded(seq)) \(padded(offsetBytes)) \(hash)\n"
  }
}
