import LedgerJSON
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// A log put together line by line, so that tests can write what the program itself never would:
/// members in another order, erased events, entries made twice.
struct HandWrittenLog {
  private(set) var bytes: [UInt8] = []
  /// Where each line begins.
  private(set) var starts: [Int] = []
  private var hash = ChainHash.beforeFirst

  var seq: Int { starts.count }
  /// One second an event.
  static let begin: Int64 = 1_735_689_600_000

  static func at(_ seq: Int) -> Timestamp {
    Timestamp(millisecondsSince1970: begin + Int64(seq) * 1000)
  }

  mutating func appendCreation() {
    let ledger = LedgerID(LedgerUUID(high: 0x7000, low: 2 << 62))
    append(.ledgerCreated(LedgerCreated(ledger: ledger, device: "test", format: 1)), by: .system)
  }

  mutating func append(_ payload: Event.Payload, by: Actor = .user, at: Timestamp? = nil) {
    append(type: payload.type, data: payload.data.serialized, by: by, at: at)
  }

  /// - Parameter data: the object as text, whatever its order.
  mutating func append(
    type: String, data: String, by: Actor = .user, at: Timestamp? = nil, version: Int = 1
  ) {
    let body = #""salt":"00000000000000aa","data":\#(data)"#
    let digest = PlainSHA256.hex(body)
    append(type: type, by: by, at: at, version: version, stored: body, digest: digest)
  }

  /// An event whose content is gone: only the digest of what it was is left.
  mutating func appendErased(type: String, by: Actor = .user, data: String) {
    let digest = PlainSHA256.hex(#""salt":"00000000000000aa","data":\#(data)"#)
    append(
      type: type, by: by, at: nil, version: 1, stored: #""erased":"\#(digest)""#, digest: digest)
  }

  private mutating func append(
    type: String, by: Actor, at: Timestamp?, version: Int, stored: String, digest: String
  ) {
    let number = seq + 1
    var random = SplitMix(UInt64(number))
    let id = EventID.make(at: at ?? Self.at(number), using: &random)
    let front =
      #"{"id":"\#(id)","seq":\#(number),"at":"\#(at ?? Self.at(number))","by":"\#(by.rawValue)","#
      + #""type":"\#(type)","v":\#(version),"#
    let link = PlainSHA256.hex("\(hash)\(front)\(digest)")
    starts.append(bytes.count)
    bytes += Array(#"\#(front)\#(stored),"hash":"\#(link)"}"#.utf8) + [0x0A]
    hash = ChainHash(link.utf8)!
  }

  /// What a test wants to know of a log it has in memory only.
  func view(in folder: TemporaryFolder) throws -> LogView {
    try LogView.open(write(to: folder))
  }

  @discardableResult
  func write(to folder: TemporaryFolder, head: Bool = true) throws -> LedgerDirectory {
    let directory = folder.ledger
    try folder.write(bytes, to: directory.events)
    if head {
      let line = Head(seq: seq, offsetBytes: bytes.count, hash: hash).line
      try folder.write(line, to: directory.head)
    }
    return directory
  }
}

extension TemporaryFolder {
  var ledger: LedgerDirectory { LedgerDirectory(path) }

  func write(_ bytes: [UInt8], to path: String) throws {
    unlink(path)
    let file = try OpenFile(path, .create)
    try file.write(bytes, at: 0)
  }
}
