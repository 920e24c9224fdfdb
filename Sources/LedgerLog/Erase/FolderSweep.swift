import LedgerPlatform

/// What else in a ledger's folder repeats content that is to be erased: copies that recovery and
/// repairs have put into `quarantine/`, and what others have laid beside them.
///
/// The log, the snapshot and halves of either are not looked at: erasing replaces or removes them.
public struct FolderSweep: Sendable {
  /// Copies of ours, which go with the content. Paths inside the ledger's folder.
  public private(set) var copies: [String] = []
  /// Files that are not ours: a person must see to them.
  public private(set) var strangers: [String] = []
  private let directory: LedgerDirectory

  /// - Parameter texts: bytes of which none may be left; empty ones are not looked for.
  public init(_ directory: LedgerDirectory, repeating texts: [[UInt8]]) throws(LogError) {
    self.directory = directory
    let texts = texts.filter { !$0.isEmpty }
    try logErrors { () throws(IOFailure) in
      for name in try Self.names(in: directory.path, directory.disk)
      where !Self.isSeenTo(name) {
        if try Self.file(directory.path + "/" + name, holdsOneOf: texts, directory.disk) {
          strangers.append(name)
        }
      }
      for name in try Self.names(in: directory.quarantine, directory.disk) {
        let path = directory.quarantine + "/" + name
        guard try Self.file(path, holdsOneOf: texts, directory.disk) else { continue }
        if Self.isCopy(name) {
          copies.append("quarantine/" + name)
        } else {
          strangers.append("quarantine/" + name)
        }
      }
    }
  }

  /// Removes the copies, durably.
  public func removeCopies() throws(LogError) {
    guard !copies.isEmpty else { return }
    try logErrors { () throws(IOFailure) in
      for name in copies {
        try Folder.remove(directory.path + "/" + name, on: directory.disk)
      }
      try Folder.synchronize(directory.quarantine, on: directory.disk)
    }
  }

  /// Files that hold no content of events, or that erasing takes care of by itself.
  private static func isSeenTo(_ name: String) -> Bool {
    [
      "events.jsonl", "events.jsonl.new", "head", "views.snapshot", "views.snapshot.tmp",
      "settings.json", "listing.json", "verified", "credentials.json", "ledger.lock", "sync.lock",
      "auth.lock",
      "quarantine",
    ].contains(name)
  }

  /// Torn tails, and what a repair has moved there: `NAME-<uuid>`.
  static func isCopy(_ name: String) -> Bool {
    if name.hasPrefix("events-"), name.hasSuffix(".torn") { return true }
    return ["events.jsonl", "head", "views.snapshot", "settings.json"].contains {
      name.hasPrefix($0)
    }
  }

  static func names(
    in folder: String, _ disk: any Disk
  ) throws(IOFailure) -> [String] {
    do throws(IOFailure) {
      return try uninterrupted("list", folder) { () throws(SystemError) in
        try disk.names(in: folder)
      }.sorted()
    } catch {
      if error.isMissing { return [] }
      throw error
    }
  }

  /// Whether a regular file holds one of these texts; links are not followed.
  private static func file(
    _ path: String, holdsOneOf texts: [[UInt8]], _ disk: any Disk
  ) throws(IOFailure) -> Bool {
    do throws(SystemError) {
      guard try disk.status(of: path, followsLinks: false).kind == .file else { return false }
    } catch {
      let failure = IOFailure("look at", path, errorNumber: error.number)
      if failure.isMissing { return false }
      throw failure
    }
    let file = try OpenFile(path, .read, on: disk)
    let size = try file.size()
    let overlap = (texts.map(\.count).max() ?? 1) - 1
    var offset = 0
    while offset < size {
      let end = min(size, offset + LineWindows.bufferBytes + overlap)
      let bytes = try file.bytes(in: offset..<end)
      if texts.contains(where: { bytes.holds($0) }) { return true }
      if end == size || bytes.count < end - offset { return false }
      offset = end - overlap
    }
    return false
  }
}

extension [UInt8] {
  /// Whether these bytes stand somewhere in it.
  func holds(_ text: [UInt8]) -> Bool {
    guard let first = text.first, count >= text.count else { return false }
    return withUnsafeBufferPointer { bytes in
      text.withUnsafeBufferPointer { text in
        for start in 0...(bytes.count - text.count) where bytes[start] == first {
          if memcmp(bytes.baseAddress! + start, text.baseAddress!, text.count) == 0 { return true }
        }
        return false
      }
    }
  }
}
