import CSHA256
import LedgerTestSupport

/// A digest in hexadecimal, without the code under test.
func sha256Hex(_ text: String) -> String {
  let bytes = Array(text.utf8)
  var digest = [UInt8](repeating: 0, count: 32)
  csha256_digest(bytes, bytes.count, &digest)
  return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

let hashBeforeFirst = String(repeating: "0", count: 64)

/// One line of docs/log-format.md, member by member.
struct PlainLine {
  var id = "0195512f-5c00-7123-8abc-00000000002a"
  var seq = "1"
  var at = "2026-03-01T08:00:00.000Z"
  var by = "user"
  var type = "profile.updated"
  var version = "1"
  var salt = "0123456789abcdef"
  var data = #"{"name":"Ada"}"#

  var front: String {
    #"{"id":"\#(id)","seq":\#(seq),"at":"\#(at)","by":"\#(by)","type":"\#(type)","v":\#(version),"#
  }
  var body: String { #""salt":"\#(salt)","data":\#(data)"# }

  /// The line without its `\n`, and its hash.
  func text(after previous: String = hashBeforeFirst) -> (line: String, hash: String) {
    let hash = sha256Hex(previous + front + sha256Hex(body))
    return (front + body + #","hash":"\#(hash)"}"#, hash)
  }

  /// The same event erased: seq and hash are unchanged.
  func erased(after previous: String) -> String {
    front + #""erased":"\#(sha256Hex(body))","hash":"\#(text(after: previous).hash)"}"#
  }
}

/// A valid log, composed without the code under test.
struct SampleLog {
  var plain: [PlainLine]
  /// Without their `\n`.
  private(set) var lines: [String] = []
  private(set) var hashes: [String] = []
  /// The log's length after 0, 1, 2 … lines.
  private(set) var ends = [0]

  init(_ plain: [PlainLine]) {
    self.plain = plain
    var previous = hashBeforeFirst
    for line in plain {
      let (text, hash) = line.text(after: previous)
      previous = hash
      lines.append(text)
      hashes.append(hash)
      ends.append(ends.last! + text.utf8.count + 1)
    }
  }

  /// Line 1 and then minimal events of an unknown type; `padding` is the length of their text.
  init(events: Int, seed: UInt64 = 1, padding: (_ seq: Int) -> Int = { $0 % 9 }) {
    var random = SplitMix(seed)
    self.init(
      (1...events).map { seq in
        let low = 0x8000_0000_0000_0000 | (random.next() >> 2)
        let tail = String(low, radix: 16)
        var line = PlainLine(
          id: "0195512f-5c00-7123-\(tail.prefix(4))-\(tail.dropFirst(4))", seq: String(seq),
          salt: String(String(random.next() | 1 << 63, radix: 16)))
        if seq == 1 {
          line.by = "system"
          line.type = "ledger.created"
          line.data = #"{"ledger":"\#(line.id)","device":"phone","format":1}"#
        } else {
          line.type = "a"
          line.data = #"{"b":"\#(String(repeating: "x", count: padding(seq)))"}"#
        }
        return line
      })
  }

  var bytes: [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

  /// The content of `head` after an event.
  func head(after seq: Int) -> String {
    func padded(_ number: Int) -> String {
      String(repeating: "0", count: 20 - String(number).count) + String(number)
    }
    return "\(padded(seq)) \(padded(ends[seq])) \(hashes[seq - 1])\n"
  }

  /// The number of whole lines in the first `bytes` bytes.
  func wholeLines(in bytes: Int) -> Int { ends.lastIndex { $0 <= bytes }! }
}
