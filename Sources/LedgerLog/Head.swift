import LedgerJSON
package import LedgerPlatform

/// The last durable event as recorded in the `head` file: a lower bound that shows whether the log
/// was truncated.
package struct Head: Hashable, Sendable {
  /// 0 for a log without events.
  package var seq: Int
  /// The log's length after that event.
  package var offsetBytes: Int
  package var hash: ChainHash

  package static let empty = Head(seq: 0, offsetBytes: 0, hash: .beforeFirst)

  package init(seq: Int, offsetBytes: Int, hash: ChainHash) {
    self.seq = seq
    self.offsetBytes = offsetBytes
    self.hash = hash
  }

  /// `seq offset hash` and a `\n`. Numbers have 20 digits, so that one write replaces the line.
  var line: [UInt8] {
    var line = ByteSink(capacity: Self.lineBytes)
    line.append(decimal: seq, digits: 20)
    line.append(UInt8(ascii: " "))
    line.append(decimal: offsetBytes, digits: 20)
    line.append(UInt8(ascii: " "))
    hash.append(to: &line)
    line.append(UInt8(ascii: "\n"))
    return line.withUnsafeBytes { Array($0) }
  }

  static let lineBytes = 20 + 1 + 20 + 1 + 64 + 1

  /// - Returns: `nil` for anything but exactly one such line.
  init?(line: [UInt8]) {
    guard line.count == Self.lineBytes, line[20] == UInt8(ascii: " "),
      line[41] == UInt8(ascii: " "), line[106] == UInt8(ascii: "\n"),
      let seq = Self.number(line[0..<20]), let offset = Self.number(line[21..<41]),
      let hash = ChainHash(line[42..<106])
    else { return nil }
    self.init(seq: seq, offsetBytes: offset, hash: hash)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// - Returns: `nil` if the file is missing or invalid.
  package static func read(_ directory: LedgerDirectory) throws(IOFailure) -> Head? {
    do {
      let file = try OpenFile(directory.head, .read, on: directory.disk)
      return Head(line: try file.bytes(in: 0..<(lineBytes + 1)))
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}
