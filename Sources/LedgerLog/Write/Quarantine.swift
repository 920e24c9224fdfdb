import LedgerModel
import LedgerPlatform

/// Where bytes go that recovery cuts off: nothing is thrown away.
enum Quarantine {
  /// Copies a range of the log into a new private file and makes it durable.
  ///
  /// - Returns: the file's name inside `quarantine/`.
  static func keep(
    _ file: OpenFile, _ range: Range<Int>, in directory: LedgerDirectory
  ) throws(IOFailure) -> String {
    // Synced also when it stands already: whoever made it may have died before doing so.
    _ = try Folder.make(directory.quarantine, on: directory.disk)
    try Folder.synchronize(directory.path, on: directory.disk)
    var generator = SystemEntropy()
    let unique = EventID.make(at: LocalZone.now(), using: &generator)
    let name = "events-\(range.lowerBound)-\(unique).torn"
    let copy = try OpenFile(
      directory.quarantine + "/" + name, .create, on: directory.disk)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = min(range.upperBound, offset + LineWindows.bufferBytes)
      try copy.write(try file.wholeRange(offset..<end), at: offset - range.lowerBound)
      offset = end
    }
    try copy.synchronizeAll()
    try Folder.synchronize(directory.quarantine, on: directory.disk)
    return name
  }
}
