import LedgerPlatform

/// The file `head` as a writer holds it: open from one append to the next, since opening it anew
/// for each reading and each writing costs a small append more than making its line does.
///
/// Used under the log's lock only.
final class HeadFile {
  private let path: String
  private let disk: any Disk
  private var file: OpenFile?
  /// What it said last, read or written here: mostly it still does, and is not taken apart again.
  private var last: (line: [UInt8], head: Head)?

  init(_ directory: LedgerDirectory) {
    path = directory.head
    disk = directory.disk
  }

  /// What it says; `nil` when it is missing or says nothing readable.
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

  /// Writes it anew, as one write. Only a lower bound is promised, so a failure loses nothing: the
  /// next open finds whole lines behind an older head and adopts them.
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

  /// Writes a new one, and sees to it that it is still there after a power cut: without one, readers
  /// cannot tell what the next interrupted append leaves from damage. A failure loses nothing else.
  func writeAnew(_ head: Head) {
    write(head)
    try? file?.synchronizeAll()
    try? Folder.synchronize(Folder.parent(of: path), on: disk)
  }

  /// Takes it away, for a log that is about to be replaced.
  func remove() throws(IOFailure) {
    file = nil
    last = nil
    try Folder.remove(path, on: disk)
  }

  /// Leaves it without a byte: an unreadable `head` may be longer than a right one.
  func clear() throws(IOFailure) {
    let opened = try OpenFile(path, .readWriteOrCreate, on: disk)
    try opened.truncate(to: 0)
    file = opened
  }

  /// The open file, opened again when its path names another one: an erasure takes `head` away, and
  /// a person may.
  private func current() throws(IOFailure) -> OpenFile {
    if let file, try file.identity() == OpenFile.identity(of: path, on: disk) { return file }
    let opened: OpenFile
    do throws(IOFailure) {
      opened = try OpenFile(path, .readWrite, on: disk)
    } catch {
      // What may only be read still says where the log ended; writing it fails, as it may.
      guard !error.isMissing else { throw error }
      opened = try OpenFile(path, .read, on: disk)
    }
    file = opened
    return opened
  }
}
