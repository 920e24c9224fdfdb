import LedgerTestSupport

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
    PlainLine.head(seq: seq, offsetBytes: ends[seq], hash: hashes[seq - 1])
  }

  /// The number of whole lines in the first `bytes` bytes.
  func wholeLines(in bytes: Int) -> Int { ends.lastIndex { $0 <= bytes }! }
}
