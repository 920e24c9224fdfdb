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
  private var hash = String(repeating: "0", count: 64)

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
    let body = #""salt":"00000000000000aa","data":\#(data)"#
    let digest = Self.digest(of: body)
    append(type: type, by: by, at: at, version: version, stored: body, digest: digest)
  }

  /// An event without its content: only the digest is left.
  package mutating func appendErased(type: String, by: Event.Actor = .user, data: String) {
    let digest = Self.digest(of: #""salt":"00000000000000aa","data":\#(data)"#)
    append(
      type: type, by: by, at: nil, version: 1, stored: #""erased":"\#(digest)""#, digest: digest)
  }

  private mutating func append(
    type: String, by: Event.Actor, at: Timestamp?, version: Int, stored: String, digest: String
  ) {
    let number = seq + 1
    var random = SplitMix(UInt64(number))
    let id = EventID.make(at: at ?? Self.at(number), using: &random)
    let front =
      #"{"id":"\#(id)","seq":\#(number),"at":"\#(at ?? Self.at(number))","by":"\#(by.rawValue)","#
      + #""type":"\#(type)","v":\#(version),"#
    let link = Self.digest(of: "\(hash)\(front)\(digest)")
    starts.append(bytes.count)
    bytes += Array(#"\#(front)\#(stored),"hash":"\#(link)"}"#.utf8) + [0x0A]
    hash = link
  }

  private static func digest(of text: String) -> String { Digest.hex(of: Array(text.utf8)) }

  package func view(in folder: TemporaryFolder) throws -> LogView {
    try LogView.open(write(to: folder))
  }

  @discardableResult
  package func write(to folder: TemporaryFolder, head: Bool = true) throws -> LedgerDirectory {
    let directory = folder.ledger
    try folder.write(bytes, to: directory.events)
    if head {
      let line = "\(Self.padded(seq)) \(Self.padded(bytes.count)) \(hash)\n"
      try folder.write(Array(line.utf8), to: directory.head)
    }
    return directory
  }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 20 - digits.count) + digits
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
