import Foundation
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Other file types in place of a ledger's files, and the permissions of new files.
struct FileKindTests {
  enum Intruder: CaseIterable {
    case link, danglingLink, pipe, folder, device
  }

  private func put(_ intruder: Intruder, at path: String, in ledger: TemporaryLedger) throws {
    unlink(path)
    switch intruder {
    case .link:
      ledger.write(SampleLog(events: 3).bytes, to: path + ".real")
      symlink(path + ".real", path)
    case .danglingLink: symlink(path + ".nowhere", path)
    case .pipe: #expect(mkfifo(path, 0o600) == 0)
    case .folder: #expect(mkdir(path, 0o700) == 0)
    case .device: symlink("/dev/zero", path)
    }
  }

  @Test(
    "Only regular files are used, and a pipe does not block", arguments: Intruder.allCases,
    ["events.jsonl", "head", "ledger.lock"])
  func onlyRegularFilesAreUsed(_ intruder: Intruder, _ name: String) throws {
    let ledger = TemporaryLedger(SampleLog(events: 3))
    try put(intruder, at: ledger.directory.path + "/" + name, in: ledger)
    let before = ledger.snapshot.filter { $0.key != "" && $0.key != "ledger.lock" }
    #expect(throws: LogError.self) { try EventLog(ledger.directory).append([note()]) }
    if name != "ledger.lock" {
      #expect(throws: LogError.self) { try Verification.verify(ledger.directory) }
      #expect(throws: LogError.self) { try LogView.open(ledger.directory) }
    }
    #expect(ledger.snapshot.filter { $0.key != "" && $0.key != "ledger.lock" } == before)
    #expect(
      !FileManager.default.fileExists(atPath: ledger.directory.path + "/" + name + ".nowhere"))
  }

  @Test("No ledger is created where any file exists", arguments: Intruder.allCases)
  func existingFile(_ intruder: Intruder) throws {
    let ledger = TemporaryLedger()
    try put(intruder, at: ledger.directory.events, in: ledger)
    let before = ledger.snapshot
    var random = SplitMix(1)
    let now = Timestamp(millisecondsSince1970: 0)
    #expect(throws: LogError.exists(path: ledger.directory.path)) {
      try EventLog.create(ledger.directory, device: "d", at: now, using: &random)
    }
    #expect(ledger.snapshot == before)
  }

  @Test("Rejected files leave no descriptor open")
  func descriptors() throws {
    let ledger = TemporaryLedger()
    #expect(mkfifo(ledger.directory.events, 0o600) == 0)
    for access in [OpenFile.Access.read, .readWrite] {
      for _ in 0..<20 {
        #expect(throws: IOFailure.self) { try OpenFile(ledger.directory.events, access) }
      }
    }
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let names = open.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
    }
    #expect(!names.contains { $0.hasSuffix(ledger.directory.events) })
  }

  private func mode(_ path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? UInt32(status.st_mode) & 0o7777 : 0
  }

  @Test("Files are private with any umask")
  func permissions() throws {
    let mask = umask(0)
    defer { umask(mask) }
    let parent = TemporaryLedger()
    let directory = LedgerDirectory(parent.directory.path + "/inner")
    var random = SplitMix(1)
    let now = Timestamp(millisecondsSince1970: 1_772_352_000_000)
    _ = try EventLog.create(directory, device: "d", at: now, using: &random)
    parent.write(parent.contents(directory.events) + [0x7B], to: directory.events)
    try EventLog(directory).append([note()])
    unlink(directory.head)
    try EventLog(directory).append([note()])
    try AtomicFile.replace(directory.settings, with: [1, 2])
    #expect(mode(directory.path) == 0o700)
    #expect(mode(directory.quarantine) == 0o700)
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
      .filter { $0 != "quarantine" }
    #expect(names.count == 5)
    for name in names { #expect(mode(directory.path + "/" + name) == 0o600, "\(name)") }
  }

  @Test("An open handle continues in a log that replaced the old one")
  func replacedLog() throws {
    let ledger = TemporaryLedger(SampleLog(events: 3))
    let disk = DiskStandIn(ledger)
    let log = disk.log()
    try log.append([note("to the first file")])
    let old = try OpenFile(ledger.directory.events, .read)
    let size = try old.size()

    let new = SampleLog(events: 6, seed: 9)
    unlink(ledger.directory.head)
    ledger.write(new.bytes, to: ledger.directory.path + "/new")
    #expect(rename(ledger.directory.path + "/new", ledger.directory.events) == 0)
    ledger.write(Array(new.head(after: 6).utf8), to: ledger.directory.head)

    let appended = try log.append([note("to the second")])
    #expect(appended.events.first?.seq.number == 7)
    #expect(disk.timesOpened == 2)
    #expect(try old.size() == size)
    try ledger.expectSound(events: 7)
  }

  @Test(
    "The parent of a path ignores trailing slashes",
    arguments: [
      ("a/b", "a"), ("/a/b/", "/a"), ("/a", "/"), ("/", "/"), ("a", "."), ("a//", "."), ("", "."),
      ("../.ledger", ".."), ("/a/b//", "/a"),
    ])
  func parents(_ path: String, _ parent: String) {
    #expect(Folder.parent(of: path) == parent)
  }
}
