import LedgerPlatform

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
