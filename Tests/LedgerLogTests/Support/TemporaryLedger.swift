import Foundation
import LedgerJSON
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// A ledger's folder, removed with its last reference.
final class TemporaryLedger: Sendable {
  let directory: LedgerDirectory

  /// The folder that holds it.
  private let parent = try! TemporaryFolder()

  init(log: [UInt8]? = nil, head: String? = nil) {
    directory = LedgerDirectory(parent.path + "/.ledger")
    try! FileManager.default.createDirectory(
      atPath: directory.path, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    if let log { write(log, to: directory.events) }
    if let head { write(Array(head.utf8), to: directory.head) }
  }

  convenience init(_ log: SampleLog) {
    self.init(log: log.bytes, head: log.head(after: log.lines.count))
  }

  /// Writes to an existing file in place, so that its inode stays.
  func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0)
    precondition(Foundation.write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
  }

  func contents(_ path: String) -> [UInt8] {
    FileManager.default.contents(atPath: path).map(Array.init) ?? []
  }

  var log: [UInt8] { contents(directory.events) }
  var headText: String { String(decoding: contents(directory.head), as: UTF8.self) }

  /// The names and bytes in `quarantine/`.
  var quarantine: [String: [UInt8]] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.quarantine)) ?? []
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, contents(directory.quarantine + "/" + $0)) })
  }

  /// Everything a reader could change: names, kinds, modes, sizes, change times, bytes.
  var snapshot: [String: String] {
    var result = ["": Self.state(of: directory.path)]
    let names = FileManager.default.enumerator(atPath: directory.path)!
    for case let name as String in names {
      let path = directory.path + "/" + name
      result[name] = Self.state(of: path)
      // Without following links or blocking on pipes.
      if FileManager.default.isRegular(path) { result[name]! += " \(contents(path).hashValue)" }
    }
    return result
  }

  private static func state(of path: String) -> String {
    var status = stat()
    precondition(lstat(path, &status) == 0)
    #if canImport(Darwin)
      let changed = status.st_mtimespec
    #else
      let changed = status.st_mtim
    #endif
    return
      "\(status.st_ino) \(status.st_mode) \(status.st_size) \(changed.tv_sec).\(changed.tv_nsec)"
  }

  // These keep the folder while they read it, also for a ledger without a variable.

  func verify() throws(LogError) -> Verification {
    defer { withExtendedLifetime(self) {} }
    return try Verification.verify(directory)
  }

  /// The view stays readable after the folder is removed.
  func view() throws(LogError) -> LogView {
    defer { withExtendedLifetime(self) {} }
    return try LogView.open(directory)
  }

  /// Every event in the log, read by the code under test with the chain checked.
  func events() throws -> [RecordedEvent] {
    var events: [RecordedEvent] = []
    try LogView.open(directory).forEachEvent(checks: .chain) { event, _ in
      events.append(event)
      return true
    }
    return events
  }

  /// The whole log verifies, and `head` is at its last event.
  func expectSound(
    events expected: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try Verification.verify(directory)
    #expect(found.problems == [], sourceLocation: sourceLocation)
    #expect(found.tornTailBytes == 0, sourceLocation: sourceLocation)
    #expect(found.head.offsetBytes == log.count, sourceLocation: sourceLocation)
    #expect(
      try Head.read(directory).map { $0 == found.head } ?? true, sourceLocation: sourceLocation)
    if let expected { #expect(found.events == expected, sourceLocation: sourceLocation) }
  }
}

extension FileManager {
  fileprivate func isRegular(_ path: String) -> Bool {
    (try? attributesOfItem(atPath: path))?[.type] as? FileAttributeType == .typeRegular
  }
}

/// Compares bytes faster than `==` does in a debug build.
func isSame(_ left: some ContiguousBytes, _ right: some ContiguousBytes) -> Bool {
  left.withUnsafeBytes { left in
    right.withUnsafeBytes { right in
      left.count == right.count
        && (left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
    }
  }
}

/// An event with a text.
func note(_ text: String = "hello", at milliseconds: Int64 = 1_772_352_000_000) -> Event {
  var random = SplitMix()
  let at = Timestamp(millisecondsSince1970: milliseconds)
  return Event(
    id: .make(at: at, using: &random), at: at, by: .user,
    payload: .unknown(type: "test.note", version: 1, data: ["text": .string(text)]))
}

extension EventLog {
  /// Appends with fixed randomness.
  @discardableResult
  func append(_ events: [Event]) throws(LogError) -> Appended {
    var random = SplitMix()
    return try append(events, using: &random)
  }

  /// Opens the log and repairs it.
  func repairs() throws -> [LogRepair] { try withSession { $0.repairs } }
}

/// The damage that `body` throws; `nil` with a failed expectation.
func damage<Result>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) -> Damage? {
  do {
    _ = try body()
  } catch LogError.damaged(let damage) {
    return damage
  } catch {
    Issue.record("not damage but: \(error)", sourceLocation: sourceLocation)
    return nil
  }
  Issue.record("no damage was noticed", sourceLocation: sourceLocation)
  return nil
}
