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

  fileprivate static let lineBytes = 20 + 1 + 20 + 1 + 64 + 1

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

/// The `head` file, kept open by a writer: for a small append, opening it twice would cost more than
/// composing the line. Used only under the log's lock.
final class HeadFile {
  private let path: String
  private let disk: any Disk
  private var file: OpenFile?
  /// Last line and its parse, reused while the bytes match.
  private var last: (line: [UInt8], head: Head)?

  init(_ directory: LedgerDirectory) {
    path = directory.head
    disk = directory.disk
  }

  /// - Returns: `nil` if the file is missing or unreadable.
  func read() throws(IOFailure) -> Head? {
    do throws(IOFailure) {
      let line = try current().bytes(in: 0..<(Head.lineBytes + 1))
      if let last, last.line == line { return last.head }
      last = Head(line: line).map { (line, $0) }
      return last?.head
    } catch {
      file = nil
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Overwrites the file with one write. `head` is only a lower bound, so a failure loses nothing:
  /// the next opening finds valid lines after an older head and adopts them.
  func write(_ head: Head) {
    do throws(IOFailure) {
      let opened: OpenFile
      if let file {
        opened = file
      } else {
        opened = try OpenFile(path, .readWriteOrCreate, on: disk)
      }
      let line = head.line
      try opened.write(line, at: 0)
      file = opened
      last = (line, head)
    } catch {
      file = nil
    }
  }

  /// Writes the file durably, after it was missing: without it, readers cannot tell an interrupted
  /// append from damage. A failure loses nothing else.
  func writeDurably(_ head: Head) {
    write(head)
    try? file?.synchronizeAll()
    try? Folder.synchronize(Folder.parent(of: path), on: disk)
  }

  func close() { (file, last) = (nil, nil) }

  func remove() throws(IOFailure) {
    close()
    try Folder.remove(path, on: disk)
  }

  /// Empties the file: an unreadable `head` may be longer than a valid one.
  func clear() throws(IOFailure) {
    let opened = try OpenFile(path, .readWriteOrCreate, on: disk)
    try opened.truncate(to: 0)
    file = opened
  }

  /// The open file, reopened if its path names another file: an erasure replaces `head`.
  private func current() throws(IOFailure) -> OpenFile {
    if let file, try file.identity() == OpenFile.identity(of: path, on: disk) { return file }
    let opened: OpenFile
    do throws(IOFailure) {
      opened = try OpenFile(path, .readWrite, on: disk)
    } catch {
      // A read-only `head` still has the end of the log; writing it may fail.
      guard !error.isMissing else { throw error }
      opened = try OpenFile(path, .read, on: disk)
    }
    file = opened
    return opened
  }
}
